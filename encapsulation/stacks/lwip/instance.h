/* lwIP as STREAMS drivers: `tcp` and `udp` above, links that carry IP packets below. */
#ifndef NACRE_LWIP_INSTANCE_H
#define NACRE_LWIP_INSTANCE_H

#include "lwip/opt.h"

#include "lwip/ip.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"

#include "stacks/common/endpoint.h"
#include "streams/stream.h"

/* Message blocks as pbufs, and back: nothing is copied, but data that others also hold and lwIP would change. */

/* Takes a message. NULL: no memory, or the message is longer than a pbuf can be; it is then freed. `type` is PBUF_ROM
 * for data that lwIP must not change, else PBUF_REF. */
struct pbuf *pbuf_of(mblk_t *message, pbuf_type type);

/* A message of the data of a chain of pbufs, each of which is referenced until its block is freed. NULL: no memory. */
mblk_t *message_of(struct pbuf *chain);

/* While lwIP is given this block to send, the pbufs that it makes for parts of it hold the block. NULL: none. */
void pbuf_lend(mblk_t *block);

/* The number of pbufs that are referenced by blocks. */
size_t parts_lent(void);

/* Links: the address of the next one is the next of the option `addresses`. */
int link_add(queue_t *below);
void link_remove(queue_t *below);
extern struct qinit link_read, link_write;

/* lwIP's timers run when they are due; to be called after each entry, which may have set some. */
void timers_update(void);

/* Addresses as `struct sockaddr_in` and `sockaddr_in6`. An empty one is any. Returns 0, EAFNOSUPPORT or EINVAL. */
int address_of(const void *bytes, size_t length, ip_addr_t *address, u16_t *port);
void address_to(const ip_addr_t *address, u16_t port, void *bytes, size_t *length);

/* The errno value of an error of lwIP. */
int error_of(err_t error);

extern const struct endpoint_calls tcp_calls, udp_calls;

#endif
