/* mbufs and message blocks: how data passes between the foreign protocol and STREAMS, without copying. */
#ifndef NACRE_BSD_MBUF_H
#define NACRE_BSD_MBUF_H

#include "streams/stream.h"

#include <stddef.h>

struct mbuf;

/* Counters of the crossings of an instance. */
struct bsd_crossings {
    size_t in, out; /* blocks */
    size_t copied;  /* bytes of blocks that others held too */
    size_t lent;    /* mbufs whose data a message block of the host is at present */
};

extern struct bsd_crossings bsd_crossings;

/* Turns M_DATA blocks into a packet. Each block's data becomes the external storage of an mbuf. Takes the message;
 * NULL without memory or if it is longer than an int can say: it is freed then. */
struct mbuf *bsd_mbufs_of(mblk_t *message);

/* The same for data that the protocol may overwrite: the first bytes of a block that others hold too are copied. */
struct mbuf *bsd_own_mbufs_of(mblk_t *message);

/* Turns an mbuf chain into M_DATA blocks. External storage passes as it is; data within an mbuf is lent. Takes the
 * chain; NULL without memory or for an empty chain. */
mblk_t *bsd_message_of(struct mbuf *chain);

/* Gives free clusters, of which a few are kept, back to the host. */
void bsd_clusters_drain(void);

/* Releases all mbufs that nobody has: at the end of an instance. */
void bsd_mbufs_end(void);

/* mbufs in use. */
size_t bsd_mbufs_live(void);

/* Settles the sizes of headers, when the domains are initialized. */
void bsd_mbufs_begin(void);

/* Sets the limit of mbufs; M_WAIT may use an eighth more. */
void bsd_mbufs_limit(size_t most);

#endif
