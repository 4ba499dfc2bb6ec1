/* Allocation and release of mbufs: 0, or -1 if there is none. */
#ifndef NACRE_MEASURE_MBUFS_H
#define NACRE_MEASURE_MBUFS_H

extern const int mbuf_bytes, cluster_bytes; /* the data that they hold */

int mbufs_small(long count);
int mbufs_cluster(long count);

#endif
