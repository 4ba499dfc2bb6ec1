/* Lower streams, as output and input see them. */
#ifndef NACRE_BSD_LOWER_H
#define NACRE_BSD_LOWER_H

#include "bsd/inside.h"

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>

#include <net/if.h>
#include <netinet/if_ether.h>

#define ETHER_HEADER 14
#ifdef BSD_PACKET_HEADERS
#define BSD_ROUTE rt /* of BSD_OUTPUT_ROUTE */
#define BSD_PASS_ROUTE , rt
#else
#define BSD_PASS_ROUTE
#define BSD_ROUTE NULL
#endif

struct lower {
    struct arpcom arp; /* first: foreign code casts an ifnet to it */
    const struct bsd_lower *kind;
    queue_t *below; /* the write queue at the top of the stream; null: unlinked */
    mblk_t *arrived;
};

/* Fills in what depends on the kind of interface, and attaches it. */
void bsd_interface_attach(struct lower *lower);

/* Ethernet headers: adds one, or reads and removes it. 0, BSD_KEPT or an errno value; the packet of an error is the
 * caller's. */
int bsd_ether_output(struct lower *lower, struct mbuf **packet, struct sockaddr *to, struct rtentry *rt);
void bsd_ether_input(struct lower *lower, struct mbuf *m);
int bsd_ether_control(struct lower *lower, unsigned long command, caddr_t data);
/* A packet without its Ethernet header, to the input that has its type. */
void bsd_ether_demultiplex(struct ifnet *ifp, struct mbuf *m, struct ether_header *header);

/* Puts a packet into the queue of an input, or calls it. */
void bsd_input(const struct bsd_input *input, struct ifnet *ifp, struct mbuf *m, struct ether_header *header);
/* The end of the table of inputs. */
static inline bool bsd_is_input(const struct bsd_input *input) { return input->queue || input->input; }

/* The loopback interface, if the description wants one. */
void bsd_loopback_attach(void);

#endif
