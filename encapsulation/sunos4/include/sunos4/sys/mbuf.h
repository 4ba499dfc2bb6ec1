/* Memory buffers of SunOS 4 and 4.3BSD. The data is m_off bytes behind the mbuf, also if it is in a block of the host:
 * any address of the process is reached, since m_off has the size of a pointer. */
#ifndef SUNOS_SYS_MBUF_H
#define SUNOS_SYS_MBUF_H
#pragma GCC system_header
#include <sys/param.h>

#define MMINOFF 32               /* where data begins: 12 there */
#define MTAIL 8                  /* bytes behind the data: 4 there */
#define MMAXOFF (MSIZE - MTAIL)  /* where data ends */
#define MLEN (MSIZE - MMINOFF - MTAIL)
#define MPULL_EXTRA 32

struct ifnet;
struct msgb;

struct mbuf {
    struct mbuf *m_next;    /* next buffer in chain */
    unsigned long m_off;    /* offset of data */
    int m_len;              /* amount of data; short there */
    short m_type;
    short m_flags;          /* of the environment: M_BLOCK */
    struct msgb *bsd_block; /* with M_BLOCK: the message block that holds the data */
    union {
        u_char mun_dat[MLEN];
        struct {
            short mun_cltype;      /* MCL_... */
            int (*mun_clfun)();    /* MCL_LOANED: the release */
            long mun_clarg;        /* and its argument; int there */
            int (*mun_clswp)();
        } mun_cl;
    } m_un;
    struct mbuf *m_act; /* next chain in queue or record */
};
#define m_dat m_un.mun_dat
#define m_cltype m_un.mun_cl.mun_cltype
#define m_clfun m_un.mun_cl.mun_clfun
#define m_clarg m_un.mun_cl.mun_clarg
#define m_clswp m_un.mun_cl.mun_clswp

#define mtod(m, t) ((t)((unsigned long)(m) + (m)->m_off))
/* The mbuf that holds an address. It stops the instance if none does: clusters and blocks have none around them. */
#define dtom(x) (bsd_dtom((const void *)(x)))
/* Clusters have no numbers here: sources that use mtocl, cltom or mclrefcnt themselves do not compile. */

#define MT_FREE 0
#define MT_DATA 1
#define MT_HEADER 2
#define MT_SOCKET 3
#define MT_PCB 4
#define MT_RTABLE 5
#define MT_HTABLE 6
#define MT_ATABLE 7
#define MT_SONAME 8
#define MT_ZOMBIE 9
#define MT_SOOPTS 10
#define MT_FTABLE 11
#define MT_RIGHTS 12
#define MT_IFADDR 13

#define MCL_STATIC 1 /* a cluster or a block: copies share it */
#define MCL_LOANED 2 /* storage of others */

#define M_DONTWAIT 0
#define M_WAIT 1
#define M_COPYALL 1000000000

#define M_HASCL(m) ((m)->m_off >= MSIZE)
#define MGET(m, i, t) { (m) = m_get((i), (t)); }
/* Adds a cluster; then m_len is MCLBYTES. Some sources have a second argument, whether to wait. */
#define MCLGET(m, how...) { bsd_add_cluster(m); }
#define MFREE(m, n) { (n) = m_free(m); }

struct mbstat {
    short m_mbufs, m_clusters, m_clfree;
    unsigned short m_drops; /* allocations that failed */
    short m_mtypes[256];
    short m_space, m_drain, m_wait;
};
extern struct mbstat mbstat;

struct mbuf *m_get(int how, int type);
struct mbuf *m_getclr(int how, int type);
struct mbuf *m_free(struct mbuf *m);
void m_freem(struct mbuf *m);
struct mbuf *m_copy(struct mbuf *m, int offset, int length);
void m_copydata(struct mbuf *m, int offset, int length, caddr_t to);
int m_cpytoc(struct mbuf *m, int offset, int length, caddr_t to);
void m_cat(struct mbuf *m, struct mbuf *n);
void m_adj(struct mbuf *m, int length);
struct mbuf *m_pullup(struct mbuf *m, int length);
struct mbuf *mclgetx(int (*release)(), long argument, caddr_t address, int length, int how);
void mclput(struct mbuf *m);
void m_reclaim(void);

/* For the environment's own sources, which mbufs of other systems share. Names that only those have: */
#define M_BLOCK 0x4000
#define BSD_STORAGE_FLAGS M_BLOCK
#define M_EOR 0
#define M_BCAST 0
#define M_MCAST 0
#define MHLEN MLEN
#define MT_CONTROL MT_RIGHTS
#define MT_OOBDATA 15
#define BSD_POINT(m, at) ((m)->m_off = (unsigned long)(at) - (unsigned long)(m))
#define BSD_ADVANCE(m, bytes) ((m)->m_off += (unsigned long)(bytes))
#define BSD_IS_INSIDE(m) (!M_HASCL(m))
#define BSD_HAS_BLOCK(m) ((m)->m_flags & M_BLOCK)
#define BSD_IS_IN_BLOCK(m) (BSD_HAS_BLOCK(m) && M_HASCL(m))
#define BSD_HAS_STORAGE(m) (M_HASCL(m) || BSD_HAS_BLOCK(m))
#define BSD_BLOCK(m) ((m)->bsd_block)
#define BSD_STORAGE(m) (M_HASCL(m) ? bsd_storage(m) : 0)
#define BSD_ATTACH(m, block) \
    ((m)->bsd_block = (block), (m)->m_flags |= M_BLOCK, (m)->m_cltype = MCL_STATIC, (m)->m_clfun = 0)
#define BSD_REWIND(m) BSD_POINT((m), (m)->bsd_block->b_datap->db_base) /* to the beginning of its block */
#define BSD_GETHDR(how, type) m_get((how), (type))
#define BSD_BEGIN_PACKET(m) ((m)->m_flags = 0)
#define BSD_MOVE_HEADER(to, from) ((void)0)
#define BSD_HAS_HEADER(m) 1
#define BSD_LENGTH(m) bsd_length(m)
#define BSD_SET_LENGTH(m, bytes) ((void)sizeof(bytes))
#define BSD_RECEIVED(m, ifp) bsd_received((m), (ifp))
#define M_PREPEND(m, bytes, how) ((m) = bsd_prepend((m), (bytes), (how)))

struct mbuf *bsd_dtom(const void *address);
void bsd_clget(struct mbuf *m, int how);
void bsd_add_cluster(struct mbuf *m);
void bsd_extremove(struct mbuf *m);
void bsd_drop_loan(struct mbuf *m);
int bsd_storage(const struct mbuf *m);
int bsd_length(const struct mbuf *m);
struct mbuf *bsd_received(struct mbuf *m, struct ifnet *ifp);
struct mbuf *bsd_prepend(struct mbuf *m, int length, int how);

#endif
