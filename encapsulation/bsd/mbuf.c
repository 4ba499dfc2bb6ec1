/* Allocation of mbufs, and their crossing from and to message blocks. The macros BSD_... of <sys/mbuf.h> say how an
 * mbuf of the environment is made.
 *
 * mbufs come from slabs, which have a return routine for each mbuf: lending the data of one allocates nothing but
 * the block. */
#define STR_PREFIXED
#include "bsd/mbuf.h"
#include "stacks/common/entry.h"

#include <limits.h>
#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

/* Kernel code reads what it has just freed, e.g. the state of a control block: sanitizers see that only if asked to. */
#if defined __SANITIZE_ADDRESS__ && defined NACRE_HIDE_FREE_MBUFS
#include <sanitizer/asan_interface.h>
#define HIDE(m) __asan_poison_memory_region((m)->m_dat, MLEN)
#define SHOW(m) __asan_unpoison_memory_region((m), MSIZE)
#else
#define HIDE(m) ((void)0)
#define SHOW(m) ((void)0)
#endif

#define SLAB 65536
#define PER_SLAB (SLAB / MSIZE)
/* Bytes of a shared block that are copied for code that writes headers in place. */
#define HEADERS MHLEN

struct slab {
    struct slab *next;
    void *memory;
    frtn_t release[PER_SLAB]; /* of the mbuf at the same place */
};
#define FIRST ((sizeof(struct slab) + MSIZE - 1) / MSIZE)

static struct mbuf *spare;
static struct slab *slabs;
/* mbufs that are or were in use; those of a slab beyond the limit are not. */
static size_t made, most = 16384;
static size_t in_slab = PER_SLAB; /* the next one in the newest slab */

/* Blocks of clusters that were freed: the next MCLGET takes one. Clusters come and go in every transfer. */
#define MOST_CLUSTERS 16
static mblk_t *clusters;
static unsigned cluster_count;
static ptrdiff_t cluster_size; /* of the buffer of such a block */

struct mbstat mbstat;
struct bsd_crossings bsd_crossings;

static void take_back(char *lent) {
    bsd_crossings.lent--;
    m_free((struct mbuf *)(void *)lent);
}

static bool add_slab(void) {
    char *memory = capsule_malloc(2 * SLAB);
    if (!memory)
        return false;
    struct slab *slab = (struct slab *)(void *)(memory + (SLAB - (uintptr_t)memory % SLAB) % SLAB);
    slab->memory = memory;
    slab->next = slabs;
    slabs = slab;
    for (size_t i = FIRST; i < PER_SLAB; i++) {
        struct mbuf *m = (struct mbuf *)(void *)((char *)slab + i * MSIZE);
        slab->release[i] = (frtn_t){.free_func = take_back, .free_arg = (char *)m};
        m->m_type = MT_FREE;
        HIDE(m);
    }
    in_slab = FIRST;
    return true;
}

/* Moves mbufs from the slab to the free list, within the limit. False: none are left. */
static bool add_spare(size_t limit) {
    if (in_slab == PER_SLAB && made < limit && !add_slab())
        return false;
    for (; in_slab < PER_SLAB && made < limit; in_slab++, made++) {
        struct mbuf *m = (struct mbuf *)(void *)((char *)slabs + in_slab * MSIZE);
        m->m_next = spare;
        spare = m;
    }
    mbstat.m_mbufs = (__typeof__(mbstat.m_mbufs))made;
    return spare != NULL;
}

void bsd_clusters_drain(void) {
    while (clusters) {
        mblk_t *block = clusters;
        clusters = block->b_next;
        block->b_next = NULL;
        str_freeb(block);
    }
    cluster_count = 0;
}

void bsd_mbufs_end(void) {
    bsd_clusters_drain();
    while (slabs) {
        struct slab *slab = slabs;
        slabs = slab->next;
        for (size_t i = FIRST; i < PER_SLAB; i++) {
            struct mbuf *m = (struct mbuf *)(void *)((char *)slab + i * MSIZE);
            if (m->m_type != MT_FREE && BSD_HAS_BLOCK(m))
                str_freeb(BSD_BLOCK(m));
            SHOW(m);
        }
        capsule_free(slab->memory);
    }
    spare = NULL;
    made = 0;
    in_slab = PER_SLAB;
}

size_t bsd_mbufs_live(void) {
    size_t count = made;
    for (struct mbuf *m = spare; m; m = m->m_next)
        count--;
    return count;
}

void bsd_mbufs_limit(size_t number) { most = number; }

/* The slow path: the limit, a new slab, or the protocols' drain routines. */
static bool replenish(int how) {
    if (add_spare(most))
        return true;
    /* Code that may wait gets one of the reserve. */
    if (how != M_DONTWAIT && made < most + most / 8 && add_spare(made + 1))
        return true;
    if (how != M_DONTWAIT) {
        m_reclaim();
        if (spare)
            return true;
        panic("out of mbufs"); /* code that may wait does not expect to fail */
    }
    mbstat.m_drops++;
    return false;
}

static inline struct mbuf *allocate(int how, int type) {
    if (__builtin_expect(!spare, 0) && !replenish(how))
        return NULL;
    struct mbuf *m = spare;
    spare = m->m_next;
    SHOW(m);
    m->m_next = m->m_act = NULL;
    m->m_len = 0;
    m->m_type = (short)type;
    return m;
}

struct mbuf *m_get(int how, int type) {
    struct mbuf *m = allocate(how, type);
    if (m) {
        BSD_POINT(m, m->m_dat);
        m->m_flags = 0;
    }
    return m;
}

#ifdef BSD_PACKET_HEADERS
struct mbuf *m_gethdr(int how, int type) {
    struct mbuf *m = allocate(how, type);
    if (m) {
        m->m_data = m->m_pktdat;
        m->m_flags = M_PKTHDR;
        m->m_pkthdr.len = 0;
        m->m_pkthdr.rcvif = NULL;
    }
    return m;
}
#endif

struct mbuf *m_getclr(int how, int type) {
    struct mbuf *m = m_get(how, type);
    if (m)
        memset(m->m_dat, 0, MLEN);
    return m;
}

/* Puts an mbuf back, whose storage is gone. */
static inline void retire(struct mbuf *m) {
    m->m_type = MT_FREE;
    m->m_next = spare;
    spare = m;
    HIDE(m);
}

static inline void drop_block(mblk_t *block) {
    dblk_t *data = block->b_datap;
    if (data->db_lim - data->db_base != cluster_size || data->db_ref != 1 || data->db_frtnp ||
        cluster_count == MOST_CLUSTERS) {
        str_freeb(block);
        return;
    }
    block->b_next = clusters;
    clusters = block;
    cluster_count++;
}

static void drop_storage(struct mbuf *m) {
    if (BSD_HAS_BLOCK(m))
        drop_block(BSD_BLOCK(m));
    else
        bsd_drop_loan(m);
}

struct mbuf *m_free(struct mbuf *m) {
    struct mbuf *next = m->m_next;
    if (__builtin_expect(m->m_type == MT_FREE, 0))
        panic("m_free of a free mbuf");
    if (BSD_HAS_STORAGE(m))
        drop_storage(m);
    retire(m);
    return next;
}

void m_freem(struct mbuf *m) {
    while (m)
        m = m_free(m);
}

struct mbuf *bsd_dtom(const void *address) {
    uintptr_t slab = (uintptr_t)address & ~(uintptr_t)(SLAB - 1);
    for (struct slab *each = slabs; each; each = each->next)
        if ((uintptr_t)each == slab)
            return (struct mbuf *)((uintptr_t)address & ~(uintptr_t)(MSIZE - 1));
    panic("dtom of data outside of mbufs");
}

void bsd_clget(struct mbuf *m, int how) {
    mblk_t *block = clusters;
    if (block) {
        clusters = block->b_next;
        cluster_count--;
        block->b_next = NULL;
        block->b_band = 0;
        block->b_flag = 0;
    } else if ((block = str_allocb(MCLBYTES, BPRI_MED))) {
        cluster_size = block->b_datap->db_lim - block->b_datap->db_base;
    } else {
        if (how != M_DONTWAIT)
            panic("out of clusters");
        mbstat.m_drops++;
        return; /* the data stays within: that is how the caller sees it */
    }
    BSD_ATTACH(m, block);
    BSD_REWIND(m);
}

void bsd_extremove(struct mbuf *m) {
    if (BSD_HAS_STORAGE(m))
        drop_storage(m);
    m->m_flags &= ~BSD_STORAGE_FLAGS;
}

/* One block; the chain and the header are the caller's. */
static inline struct mbuf *wrap(struct mbuf *m, mblk_t *block) {
    BSD_ATTACH(m, block);
    BSD_POINT(m, block->b_rptr);
    m->m_len = (int)(block->b_wptr - block->b_rptr);
    block->b_cont = NULL;
    bsd_crossings.in++;
    return m;
}

/* The blocks behind the first one, which is wrapped already. */
static struct mbuf *wrap_rest(struct mbuf *first, mblk_t *rest) {
    struct mbuf *last = first;
    size_t total = (size_t)first->m_len;
    while (rest) {
        mblk_t *block = rest;
        size_t length = (size_t)(block->b_wptr - block->b_rptr);
        struct mbuf *m = total + length <= INT_MAX ? m_get(M_DONTWAIT, MT_DATA) : NULL;
        if (!m) {
            str_freemsg(rest);
            m_freem(first);
            return NULL;
        }
        rest = block->b_cont;
        total += length;
        last->m_next = wrap(m, block);
        last = m;
    }
    BSD_SET_LENGTH(first, (int)total);
    return first;
}

static inline struct mbuf *mbufs_of(mblk_t *message) {
    struct mbuf *first = allocate(M_DONTWAIT, MT_DATA);
    if (__builtin_expect(!first || message->b_wptr - message->b_rptr > INT_MAX, 0)) {
        str_freemsg(message);
        return first ? m_free(first) : NULL;
    }
    mblk_t *rest = message->b_cont;
    BSD_BEGIN_PACKET(first);
    wrap(first, message);
    BSD_SET_LENGTH(first, first->m_len);
    return rest ? wrap_rest(first, rest) : first;
}

struct mbuf *bsd_mbufs_of(mblk_t *message) { return mbufs_of(message); }

/* Replaces the first bytes of shared storage by a copy; the rest stays shared. */
static struct mbuf *unshare(struct mbuf *m) {
    int length = m->m_len < (int)HEADERS ? m->m_len : (int)HEADERS;
    struct mbuf *copy = BSD_GETHDR(M_DONTWAIT, MT_DATA);
    if (!copy) {
        m_freem(m);
        return NULL;
    }
    BSD_MOVE_HEADER(copy, m);
    memcpy(mtod(copy, caddr_t), mtod(m, caddr_t), (size_t)length);
    copy->m_len = length;
    bsd_crossings.copied += (size_t)length;
    BSD_ADVANCE(m, length);
    m->m_len -= length;
    copy->m_next = m->m_len > 0 ? m : m_free(m);
    return copy;
}

struct mbuf *bsd_own_mbufs_of(mblk_t *message) {
    unsigned holders = message->b_datap->db_ref;
    struct mbuf *m = mbufs_of(message);
    return __builtin_expect(holders > 1 && m, 0) ? unshare(m) : m;
}

/* Lends the data within an mbuf: the block's release gives the mbuf back. */
static mblk_t *lend(struct mbuf *m) {
    struct slab *slab = (struct slab *)((uintptr_t)m & ~(uintptr_t)(SLAB - 1));
    frtn_t *release = &slab->release[((uintptr_t)m & (SLAB - 1)) / MSIZE];
    mblk_t *block = str_esballoc(mtod(m, unsigned char *), (size_t)m->m_len, BPRI_MED, release);
    if (!block)
        return NULL;
    block->b_wptr = block->b_rptr + m->m_len;
    m->m_next = NULL;
    bsd_crossings.lent++;
    return block;
}

mblk_t *bsd_message_of(struct mbuf *chain) {
    mblk_t *first = NULL, **end = &first;
    while (chain) {
        struct mbuf *m = chain;
        chain = m->m_next;
        mblk_t *block;
        if (m->m_len == 0 && (first || chain)) {
            m_free(m);
            continue;
        }
        if (BSD_IS_IN_BLOCK(m)) {
            block = BSD_BLOCK(m);
            block->b_rptr = mtod(m, unsigned char *);
            block->b_wptr = block->b_rptr + m->m_len;
            retire(m);
        } else if (!(block = lend(m))) {
            m_free(m);
            m_freem(chain);
            str_freemsg(first);
            return NULL;
        }
        bsd_crossings.out++;
        *end = block;
        end = &block->b_cont;
    }
    return first;
}
