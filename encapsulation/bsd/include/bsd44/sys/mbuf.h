/* Memory buffers of 4.4BSD. All storage outside of mbufs is a data block of the host, which copies of an mbuf share. */
#ifndef BSD_SYS_MBUF_H
#define BSD_SYS_MBUF_H
#pragma GCC system_header
#ifndef M_WAITOK
#include <sys/malloc.h>
#endif
#include <sys/param.h>

#define MLEN (MSIZE - sizeof(struct m_hdr))
#define MHLEN (MLEN - sizeof(struct pkthdr))
#define MINCLSIZE (MHLEN + MLEN)
#define M_MAXCOMPRESS (MHLEN / 2)

#define mtod(m, t) ((t)((m)->m_data))
/* The mbuf that holds an address. It stops the instance if none does: storage outside of mbufs has none around it. */
#define dtom(x) (bsd_dtom((const void *)(x)))
/* Clusters have no numbers here: sources that use mtocl, cltom or mclrefcnt themselves do not compile. */

struct ifnet;
struct msgb;

struct m_hdr {
    struct mbuf *mh_next;    /* next buffer in chain */
    struct mbuf *mh_nextpkt; /* next chain in queue or record */
    int mh_len;              /* amount of data */
    caddr_t mh_data;         /* location of data */
    short mh_type;
    short mh_flags;
};

struct pkthdr {
    int len;             /* total length of the packet */
    struct ifnet *rcvif; /* interface that received it */
};

struct m_ext {
    caddr_t ext_buf;         /* start of the storage */
    void (*ext_free)();      /* called with (ext_buf, ext_size), for storage of the foreign code */
    u_int ext_size;          /* size of the storage */
    struct msgb *ext_block;  /* with M_BLOCK: the message block that holds it */
};

struct mbuf {
    struct m_hdr m_hdr;
    union {
        struct {
            struct pkthdr MH_pkthdr;
            union {
                struct m_ext MH_ext;
                char MH_databuf[MSIZE - sizeof(struct m_hdr) - sizeof(struct pkthdr)];
            } MH_dat;
        } MH;
        char M_databuf[MSIZE - sizeof(struct m_hdr)];
    } M_dat;
};
#define m_next m_hdr.mh_next
#define m_len m_hdr.mh_len
#define m_data m_hdr.mh_data
#define m_type m_hdr.mh_type
#define m_flags m_hdr.mh_flags
#define m_nextpkt m_hdr.mh_nextpkt
#define m_act m_nextpkt
#define m_pkthdr M_dat.MH.MH_pkthdr
#define m_ext M_dat.MH.MH_dat.MH_ext
#define m_pktdat M_dat.MH.MH_dat.MH_databuf
#define m_dat M_dat.M_databuf

#define M_EXT 0x0001
#define M_PKTHDR 0x0002
#define M_EOR 0x0004
#define M_BLOCK 0x4000 /* with M_EXT: ext_block is valid */
#define M_BCAST 0x0100
#define M_MCAST 0x0200
#define M_COPYFLAGS (M_PKTHDR | M_EOR | M_BCAST | M_MCAST)

#define MT_FREE 0
#define MT_DATA 1
#define MT_HEADER 2
#define MT_SOCKET 3
#define MT_PCB 4
#define MT_RTABLE 5
#define MT_HTABLE 6
#define MT_ATABLE 7
#define MT_SONAME 8
#define MT_SOOPTS 10
#define MT_FTABLE 11
#define MT_RIGHTS 12
#define MT_IFADDR 13
#define MT_CONTROL 14
#define MT_OOBDATA 15

#define M_DONTWAIT M_NOWAIT
#define M_WAIT M_WAITOK
#define M_COPYALL 1000000000

#define MBUFLOCK(code) \
    { code }
#define MGET(m, how, type) ((m) = m_get((how), (type)))
#define MGETHDR(m, how, type) ((m) = m_gethdr((how), (type)))
#define MCLGET(m, how) bsd_clget((m), (how))
#define MCLALLOC(p, how) ((p) = bsd_clalloc(how))
#define MCLFREE(p) bsd_clfree(p)
#define MFREE(m, n) ((n) = m_free(m))
#define MEXTREMOVE(m) bsd_extremove(m)

#define M_COPY_PKTHDR(to, from) \
    do { \
        (to)->m_pkthdr = (from)->m_pkthdr; \
        (to)->m_flags = (from)->m_flags & M_COPYFLAGS; \
        (to)->m_data = (to)->m_pktdat; \
    } while (0)
#define M_ALIGN(m, length) ((m)->m_data += (MLEN - (length)) & ~(sizeof(long) - 1))
#define MH_ALIGN(m, length) ((m)->m_data += (MHLEN - (length)) & ~(sizeof(long) - 1))
#define M_LEADINGSPACE(m) bsd_leadingspace(m)
#define M_TRAILINGSPACE(m) bsd_trailingspace(m)
#define M_PREPEND(m, plen, how) \
    do { \
        if (M_LEADINGSPACE(m) >= (plen)) { \
            (m)->m_data -= (plen); \
            (m)->m_len += (plen); \
        } else \
            (m) = m_prepend((m), (plen), (how)); \
        if ((m) && (m)->m_flags & M_PKTHDR) \
            (m)->m_pkthdr.len += (plen); \
    } while (0)
#define MCHTYPE(m, t) ((m)->m_type = (t))
#define m_copy(m, o, l) m_copym((m), (o), (l), M_DONTWAIT)

struct mbstat {
    unsigned long m_mbufs;    /* mbufs in existence */
    unsigned long m_clusters; /* data blocks held */
    unsigned long m_spare;
    unsigned long m_clfree;
    unsigned long m_drops; /* allocations that failed */
    unsigned long m_wait;
    unsigned long m_drain; /* calls of the protocols' drain routines */
    u_short m_mtypes[256];
};
extern struct mbstat mbstat;
extern int nmbclusters, nmbufs, max_linkhdr, max_protohdr, max_hdr, max_datalen;

struct mbuf *m_get(int how, int type);
struct mbuf *m_gethdr(int how, int type);
struct mbuf *m_getclr(int how, int type);
struct mbuf *m_free(struct mbuf *m);
void m_freem(struct mbuf *m);
struct mbuf *m_prepend(struct mbuf *m, int length, int how);
struct mbuf *m_copym(struct mbuf *m, int offset, int length, int how);
void m_copydata(struct mbuf *m, int offset, int length, caddr_t to);
void m_copyback(struct mbuf *m, int offset, int length, caddr_t from);
void m_cat(struct mbuf *m, struct mbuf *n);
void m_adj(struct mbuf *m, int length);
struct mbuf *m_pullup(struct mbuf *m, int length);
struct mbuf *m_split(struct mbuf *m, int length, int how);
struct mbuf *m_devget(char *buffer, int length, int offset, struct ifnet *ifp, void (*copy)());
int m_clalloc(int count, int how);
struct mbuf *m_retry(int how, int type);
struct mbuf *m_retryhdr(int how, int type);
void m_reclaim(void);

/* For the environment's own sources, which mbufs of other systems share. */
#define BSD_PACKET_HEADERS
#define BSD_STORAGE_FLAGS (M_EXT | M_BLOCK)
#define BSD_POINT(m, at) ((m)->m_data = (caddr_t)(at))
#define BSD_ADVANCE(m, bytes) ((m)->m_data += (bytes))
#define BSD_IS_INSIDE(m) (!((m)->m_flags & M_EXT)) /* its data is within the mbuf */
#define BSD_HAS_BLOCK(m) ((m)->m_flags & M_BLOCK)
#define BSD_IS_IN_BLOCK(m) BSD_HAS_BLOCK(m)
#define BSD_HAS_STORAGE(m) ((m)->m_flags & M_EXT)
#define BSD_BLOCK(m) ((m)->m_ext.ext_block)
#define BSD_STORAGE(m) ((m)->m_flags & M_EXT ? (m)->m_ext.ext_size : 0)
#define BSD_ATTACH(m, block) \
    do { \
        (m)->m_ext.ext_buf = (caddr_t)(block)->b_datap->db_base; \
        (m)->m_ext.ext_free = NULL; \
        (m)->m_ext.ext_size = (u_int)((block)->b_datap->db_lim - (block)->b_datap->db_base); \
        (m)->m_ext.ext_block = (block); \
        (m)->m_flags |= M_EXT | M_BLOCK; \
    } while (0)
#define BSD_REWIND(m) ((m)->m_data = (m)->m_ext.ext_buf) /* to the beginning of its block */
#define BSD_GETHDR(how, type) m_gethdr((how), (type))
#define BSD_BEGIN_PACKET(m) ((m)->m_flags = M_PKTHDR, (m)->m_pkthdr.rcvif = NULL)
#define BSD_MOVE_HEADER(to, from) ((to)->m_pkthdr = (from)->m_pkthdr, (from)->m_flags &= ~M_PKTHDR)
#define BSD_HAS_HEADER(m) ((m)->m_flags & M_PKTHDR)
#define BSD_LENGTH(m) ((m)->m_pkthdr.len) /* of a packet */
#define BSD_SET_LENGTH(m, bytes) ((m)->m_pkthdr.len = (bytes))
#define BSD_RECEIVED(m, ifp) ((m)->m_pkthdr.rcvif = (ifp), (m)) /* notes the interface of a packet */

struct mbuf *bsd_dtom(const void *address);
void bsd_clget(struct mbuf *m, int how);
caddr_t bsd_clalloc(int how);
void bsd_clfree(void *cluster);
void bsd_extremove(struct mbuf *m);
void bsd_drop_loan(struct mbuf *m);
int bsd_leadingspace(const struct mbuf *m);
int bsd_trailingspace(const struct mbuf *m);

#endif
