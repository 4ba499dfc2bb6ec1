/* Operations on chains of mbufs that are the same in all environments. Arguments out of range stop the instance, as
 * they stop the kernel. */
#define STR_PREFIXED
#include "bsd/mbuf.h"

#include <limits.h>
#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

void m_copydata(struct mbuf *m, int offset, int length, caddr_t to) {
    if (offset < 0 || length < 0)
        panic("m_copydata: offset %d, length %d", offset, length);
    for (; offset > 0; m = m->m_next) {
        if (!m)
            panic("m_copydata: the offset is behind the end");
        if (offset < m->m_len)
            break;
        offset -= m->m_len;
    }
    for (; length > 0; m = m->m_next, offset = 0) {
        if (!m)
            panic("m_copydata: the chain is too short");
        int here = imin(m->m_len - offset, length);
        memcpy(to, mtod(m, caddr_t) + offset, (size_t)here);
        to += here;
        length -= here;
    }
}

void m_cat(struct mbuf *m, struct mbuf *n) {
    while (m->m_next)
        m = m->m_next;
    while (n) {
        if (!BSD_IS_INSIDE(m) || mtod(m, caddr_t) + m->m_len + n->m_len > (caddr_t)m->m_dat + MLEN) {
            m->m_next = n;
            return;
        }
        memcpy(mtod(m, caddr_t) + m->m_len, mtod(n, caddr_t), (size_t)n->m_len);
        m->m_len += n->m_len;
        n = m_free(n);
    }
}

static void trim_front(struct mbuf *first, int length) {
    int left = length;
    for (struct mbuf *m = first; m && left > 0; m = m->m_next) {
        int here = imin(m->m_len, left);
        BSD_ADVANCE(m, here);
        m->m_len -= here;
        left -= here;
    }
    if (BSD_HAS_HEADER(first))
        BSD_SET_LENGTH(first, BSD_LENGTH(first) - (length - left));
}

static void trim_end(struct mbuf *first, int length) {
    int total = 0;
    for (struct mbuf *m = first; m; m = m->m_next)
        total += m->m_len;
    int keep = total > length ? total - length : 0;
    if (BSD_HAS_HEADER(first))
        BSD_SET_LENGTH(first, keep);
    for (struct mbuf *m = first; m; m = m->m_next) {
        m->m_len = imin(m->m_len, keep);
        keep -= m->m_len;
    }
}

void m_adj(struct mbuf *m, int length) {
    if (!m)
        return;
    if (length >= 0)
        trim_front(m, length);
    else
        trim_end(m, length == INT_MIN ? INT_MAX : -length);
}
