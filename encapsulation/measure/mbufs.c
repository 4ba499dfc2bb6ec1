/* Allocation and release of mbufs, as protocols do it. Compiled like the foreign code. */
#include <sys/param.h>
#include <sys/mbuf.h>

#include "measure/mbufs.h"

const int mbuf_bytes = MLEN, cluster_bytes = MCLBYTES;

int mbufs_small(long count)
{
    while (count-- > 0) {
        struct mbuf *m;
        MGET(m, M_DONTWAIT, MT_DATA);
        if (m == 0)
            return -1;
        m_freem(m);
    }
    return 0;
}

int mbufs_cluster(long count)
{
    while (count-- > 0) {
        struct mbuf *m;
        MGET(m, M_DONTWAIT, MT_DATA);
        if (m == 0)
            return -1;
        MCLGET(m, M_DONTWAIT);
        if ((m->m_flags & M_EXT) == 0)
            return -1;
        m_freem(m);
    }
    return 0;
}
