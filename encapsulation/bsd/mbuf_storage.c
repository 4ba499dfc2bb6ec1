/* Storage outside of mbufs that is no block of the host, and sizes of headers (4.4BSD). */
#define STR_PREFIXED
#include "bsd/mbuf.h"
#include "stacks/common/entry.h"

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

int nmbclusters = 1024, nmbufs = 16384;
int max_linkhdr = 16, max_protohdr = 40, max_hdr = 56, max_datalen = MHLEN - 56;

void bsd_mbufs_begin(void) {
    if (max_linkhdr < 16)
        max_linkhdr = 16;
    max_hdr = max_linkhdr + max_protohdr;
    max_datalen = (int)MHLEN - max_hdr;
}

struct mbuf *m_retry(int how, int type) { return m_get(how, type); }
struct mbuf *m_retryhdr(int how, int type) { return m_gethdr(how, type); }

/* Clusters without an mbuf are memory of the instance. */
caddr_t bsd_clalloc(int how) {
    caddr_t cluster = capsule_malloc(MCLBYTES);
    if (!cluster && how != M_DONTWAIT)
        panic("out of clusters");
    return cluster;
}

void bsd_clfree(void *cluster) { capsule_free(cluster); }

void bsd_drop_loan(struct mbuf *m) {
    if (m->m_ext.ext_free)
        (*m->m_ext.ext_free)(m->m_ext.ext_buf, m->m_ext.ext_size);
    else
        bsd_clfree(m->m_ext.ext_buf);
}

int m_clalloc(int count, int how) {
    (void)count, (void)how;
    return 1; /* clusters come from the host one by one */
}
