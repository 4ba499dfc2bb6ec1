/* mbufs whose data lies at an offset: storage of others, copies of chains, packets in input queues. */
#define STR_PREFIXED
#include "bsd/mbuf.h"
#include "stacks/common/entry.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

#include <net/if.h>

_Static_assert(offsetof(struct mbuf, m_dat) == MMINOFF, "data begins at MMINOFF");
_Static_assert(offsetof(struct mbuf, m_act) == MMAXOFF && sizeof(struct mbuf) == MSIZE, "and ends at MMAXOFF");

void bsd_mbufs_begin(void) {}

int bsd_length(const struct mbuf *m) {
    int length = 0;
    for (; m; m = m->m_next)
        length += m->m_len;
    return length;
}

int bsd_storage(const struct mbuf *m) {
    if (!BSD_HAS_BLOCK(m))
        return MCLBYTES;
    return (int)(m->bsd_block->b_datap->db_lim - m->bsd_block->b_datap->db_base);
}

void bsd_add_cluster(struct mbuf *m) {
    bsd_clget(m, M_DONTWAIT);
    if (M_HASCL(m))
        m->m_len = MCLBYTES;
}

/* Storage that others have lent. */

struct mbuf *mclgetx(int (*release)(), long argument, caddr_t address, int length, int how) {
    struct mbuf *m = m_get(how, MT_DATA);
    if (!m)
        return NULL;
    BSD_POINT(m, address);
    m->m_len = length;
    m->m_cltype = MCL_LOANED;
    m->m_clfun = release;
    m->m_clarg = argument;
    m->m_clswp = NULL;
    return m;
}

/* What is called when the last user of the storage is done. */
struct loan {
    frtn_t release; /* first */
    int (*routine)();
    long argument;
};

static void give_back(void *argument) {
    struct loan *loan = argument;
    (*loan->routine)(loan->argument);
    capsule_free(loan);
}

/* The host frees a block at any time: within an entry, or outside. */
static void release(char *argument) {
    bsd_crossings.lent--;
    if (capsule_failed())
        capsule_free(argument);
    else if (capsule_entered())
        give_back(argument);
    else
        capsule_run(give_back, argument);
}

void bsd_drop_loan(struct mbuf *m) {
    if (m->m_cltype != MCL_LOANED || !m->m_clfun)
        panic("m_free: storage of type %d", m->m_cltype);
    (*m->m_clfun)(m->m_clarg);
}

/* Releases what is outside; the caller points the mbuf elsewhere. */
void mclput(struct mbuf *m) {
    bsd_extremove(m);
    BSD_POINT(m, m->m_dat);
    m->m_len = 0;
}

/* Lent storage becomes a block: copies share it, and its owner gets it back after the last one. */
static bool share(struct mbuf *m) {
    if (BSD_HAS_BLOCK(m))
        return true;
    if (m->m_cltype != MCL_LOANED || !m->m_clfun)
        panic("m_copy: storage of type %d", m->m_cltype);
    struct loan *loan = capsule_malloc(sizeof *loan);
    if (!loan)
        return false;
    *loan = (struct loan){{release, (char *)loan}, m->m_clfun, m->m_clarg};
    mblk_t *block = str_esballoc(mtod(m, unsigned char *), (size_t)m->m_len, BPRI_MED, &loan->release);
    if (!block) {
        capsule_free(loan);
        return false;
    }
    bsd_crossings.lent++;
    BSD_ATTACH(m, block);
    return true;
}

/* Chains. */

static bool copy_one(struct mbuf *to, struct mbuf *from, int offset, int length) {
    to->m_len = length;
    if (BSD_IS_INSIDE(from)) {
        memcpy(mtod(to, caddr_t), mtod(from, caddr_t) + offset, (size_t)length);
        return true;
    }
    mblk_t *block = share(from) ? str_dupb(from->bsd_block) : NULL;
    if (!block)
        return false;
    BSD_ATTACH(to, block);
    BSD_POINT(to, mtod(from, caddr_t) + offset);
    return true;
}

struct mbuf *m_copy(struct mbuf *m, int offset, int length) {
    struct mbuf *first = NULL, **end = &first;
    const bool whole = length == M_COPYALL;
    if (offset < 0 || length < 0)
        panic("m_copy: offset %d, length %d", offset, length);
    for (; m && offset > 0 && offset >= m->m_len; m = m->m_next)
        offset -= m->m_len;
    if (!m && offset > 0)
        panic("m_copy: the offset is behind the end");
    for (; length > 0 && (m || !whole); m = m->m_next, offset = 0) {
        if (!m)
            panic("m_copy: the chain is too short");
        int here = imin(m->m_len - offset, length);
        struct mbuf *copy = *end = m_get(M_DONTWAIT, m->m_type);
        if (!copy || !copy_one(copy, m, offset, here)) {
            m_freem(first);
            return NULL;
        }
        end = &copy->m_next;
        length -= here;
    }
    return first;
}

/* Copies as much as there is: how many bytes are missing. */
int m_cpytoc(struct mbuf *m, int offset, int length, caddr_t to) {
    if (!m || offset < 0 || length < 0 || !to)
        panic("m_cpytoc: offset %d, length %d", offset, length);
    int there = bsd_length(m) - offset;
    int count = there < 0 ? 0 : imin(there, length);
    if (count > 0)
        m_copydata(m, offset, count, to);
    return length - count;
}

/* Afterwards the first `length` bytes are within one mbuf: dtom() works on them. */
struct mbuf *m_pullup(struct mbuf *n, int length) {
    struct mbuf *m;
    if (length < 0 || length > MLEN) {
        m_freem(n);
        return NULL;
    }
    if (BSD_IS_INSIDE(n) && n->m_off + (unsigned)length <= MMAXOFF && (n->m_next || n->m_len >= length)) {
        m = n;
        n = n->m_next;
    } else if (!(m = m_get(M_DONTWAIT, n->m_type))) {
        m_freem(n);
        return NULL;
    }
    int space = (int)(MMAXOFF - m->m_off) - m->m_len;
    int missing = length - m->m_len;
    while (missing > 0 && n) {
        int here = imin(imin(missing + MPULL_EXTRA, space), n->m_len);
        memcpy(mtod(m, caddr_t) + m->m_len, mtod(n, caddr_t), (size_t)here);
        m->m_len += here;
        n->m_len -= here;
        missing -= here;
        space -= here;
        if (n->m_len > 0)
            BSD_ADVANCE(n, here);
        else
            n = m_free(n);
    }
    m->m_next = n;
    if (missing > 0) {
        m_freem(m);
        return NULL;
    }
    return m;
}

/* Room in front of a packet: in the first mbuf if it has it, otherwise at the end of another. */
struct mbuf *bsd_prepend(struct mbuf *m, int length, int how) {
    bool has_room = BSD_IS_INSIDE(m) && m->m_off >= MMINOFF + (unsigned)length;
    if (has_room) {
        m->m_off -= (unsigned)length;
        m->m_len += length;
        return m;
    }
    struct mbuf *first = length <= MLEN ? m_get(how, MT_HEADER) : NULL;
    if (!first) {
        m_freem(m);
        return NULL;
    }
    first->m_off = (MMAXOFF - (unsigned)length) & ~(sizeof(long) - 1);
    first->m_len = length;
    first->m_next = m;
    return first;
}

/* The pointer has an mbuf of its own: in front of the data it would not be aligned. */
struct mbuf *bsd_received(struct mbuf *m, struct ifnet *ifp) {
    struct mbuf *first = m_get(M_DONTWAIT, MT_HEADER);
    if (!first) {
        m_freem(m);
        return NULL;
    }
    first->m_len = sizeof ifp;
    memcpy(mtod(first, caddr_t), &ifp, sizeof ifp);
    first->m_next = m;
    return first;
}
