/* Lower streams, as output and input see them. */
#ifndef NACRE_BSD_LOWER_H
#define NACRE_BSD_LOWER_H

#include "bsd/inside.h"

#include <sys/param.h>

#include <sys/socket.h>

#include <net/if.h>
#include <netinet/if_ether.h>

#define ETHER_HEADER 14

struct lower {
    struct arpcom arp; /* first: foreign code casts an ifnet to it */
    const struct bsd_lower *kind;
    queue_t *below; /* the write queue at the top of the stream; null: unlinked */
    mblk_t *arrived;
};

/* Fills in what depends on the kind of interface, and attaches it. */
void bsd_interface_attach(struct lower *lower);

#endif
