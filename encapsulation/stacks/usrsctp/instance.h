/* usrsctp as a STREAMS driver: `sctp` above, links that carry IPv4 packets below. */
#ifndef NACRE_USRSCTP_INSTANCE_H
#define NACRE_USRSCTP_INSTANCE_H

#include <netinet/in.h>

#include "stacks/common/endpoint.h"

#define MOST_LINKS 8

/* The address of a link, by the option `addresses`: ADDRESS[/BITS][,ADDRESS ...]. False: there is none. */
bool link_address(unsigned number, struct sockaddr_in *address, uint32_t *mask);

int link_add(queue_t *below);
void link_remove(queue_t *below);
extern struct qinit link_read, link_write;
size_t parts_lent(void);

/* What usrsctp's interface does not tell (internals.c). In ms until its first callout; UINT64_MAX: there is none. */
struct socket;
uint64_t callout_wait(void);
int socket_error(struct socket *);
void socket_clear_error(struct socket *);
bool socket_is_connected(struct socket *);
/* The socket of an association has changed. */
void association_reported(void *association);

/* Lets those try again that wait for room: after each packet and each timer. */
void associations_unblock(void);

/* Handles what sockets have reported. Never within an entry: usrsctp reports in the midst of its work. */
void association_events(void);

/* Handles reports, and sets the timer to the first callout; to be called after each entry. */
void timers_update(void);

extern const struct endpoint_calls sctp_calls;

#endif
