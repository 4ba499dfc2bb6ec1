/* Operations on chains of mbufs with packet headers, from their documentation in 4.4BSD. Arguments out of range stop
 * the instance, as they stop the kernel there. */
#define STR_PREFIXED
#include "bsd/mbuf.h"

#include <limits.h>
#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/systm.h>

/* Storage that others hold too must not be written before or after the data. */
static bool is_own(const struct mbuf *m) {
    return !(m->m_flags & M_BLOCK) || m->m_ext.ext_block->b_datap->db_ref == 1;
}

int bsd_leadingspace(const struct mbuf *m) {
    if (m->m_flags & M_EXT)
        return m->m_flags & M_BLOCK && is_own(m) ? (int)(m->m_data - m->m_ext.ext_buf) : 0;
    return (int)(m->m_data - (m->m_flags & M_PKTHDR ? m->m_pktdat : m->m_dat));
}

int bsd_trailingspace(const struct mbuf *m) {
    if (m->m_flags & M_EXT)
        return is_own(m) ? (int)(m->m_ext.ext_buf + m->m_ext.ext_size - (m->m_data + m->m_len)) : 0;
    return (int)(m->m_dat + MLEN - (m->m_data + m->m_len));
}

struct mbuf *m_prepend(struct mbuf *m, int length, int how) {
    struct mbuf *first = m->m_flags & M_PKTHDR ? m_gethdr(how, m->m_type) : m_get(how, m->m_type);
    if (!first || length < 0) {
        if (first)
            m_free(first);
        m_freem(m);
        return NULL;
    }
    if (m->m_flags & M_PKTHDR) {
        M_COPY_PKTHDR(first, m);
        m->m_flags &= ~M_PKTHDR;
    }
    int room = first->m_flags & M_PKTHDR ? (int)MHLEN : (int)MLEN;
    if (length > room) {
        m_freem(first);
        m_freem(m);
        return NULL;
    }
    first->m_data += (room - length) & ~(int)(sizeof(long) - 1);
    first->m_len = length;
    first->m_next = m;
    return first;
}

/* Copies storage that has no block, because it has no count of references. */
static bool copy_storage(struct mbuf *to, const struct mbuf *from, int offset, int length, int how) {
    if (length > (int)(to->m_flags & M_PKTHDR ? MHLEN : MLEN)) {
        bsd_clget(to, how);
        if (!(to->m_flags & M_EXT) || length > MCLBYTES)
            return false;
    }
    memcpy(to->m_data, from->m_data + offset, (size_t)length);
    return true;
}

static bool copy_one(struct mbuf *to, const struct mbuf *from, int offset, int length, int how) {
    to->m_len = length;
    if (!(from->m_flags & M_BLOCK))
        return copy_storage(to, from, offset, length, how);
    mblk_t *block = str_dupb(from->m_ext.ext_block);
    if (!block)
        return false;
    to->m_ext = from->m_ext;
    to->m_ext.ext_block = block;
    to->m_flags |= M_EXT | M_BLOCK;
    to->m_data = from->m_data + offset;
    return true;
}

struct mbuf *m_copym(struct mbuf *m, int offset, int length, int how) {
    struct mbuf *first = NULL, **end = &first;
    bool with_header = offset == 0 && m && m->m_flags & M_PKTHDR;
    int total = length;
    if (offset < 0 || length < 0)
        panic("m_copym: offset %d, length %d", offset, length);
    for (; m && offset >= m->m_len && offset > 0; m = m->m_next)
        offset -= m->m_len;
    if (offset > 0 && !m)
        panic("m_copym: the offset is behind the end");
    while (length > 0) {
        if (!m) {
            if (length != M_COPYALL && total != M_COPYALL)
                panic("m_copym: the chain is too short");
            break;
        }
        struct mbuf *copy = with_header ? m_gethdr(how, m->m_type) : m_get(how, m->m_type);
        if (!copy) {
            m_freem(first);
            return NULL;
        }
        *end = copy;
        end = &copy->m_next;
        if (with_header) {
            M_COPY_PKTHDR(copy, m);
            if (total != M_COPYALL)
                copy->m_pkthdr.len = total;
            with_header = false;
        }
        int here = imin(m->m_len - offset, length);
        if (!copy_one(copy, m, offset, here, how)) {
            m_freem(first);
            return NULL;
        }
        if (length != M_COPYALL)
            length -= here;
        offset = 0;
        m = m->m_next;
    }
    return first;
}

void m_copyback(struct mbuf *m0, int offset, int length, caddr_t from) {
    struct mbuf *m = m0;
    int total = 0;
    if (!m0 || offset < 0 || length < 0)
        return;
    while (offset >= m->m_len) {
        offset -= m->m_len;
        total += m->m_len;
        if (!m->m_next) {
            struct mbuf *more = m_getclr(M_DONTWAIT, m->m_type);
            if (!more)
                goto out;
            more->m_len = imin((int)MLEN, length + offset);
            m->m_next = more;
        }
        m = m->m_next;
    }
    while (length > 0) {
        int here = imin(m->m_len - offset, length);
        memcpy(m->m_data + offset, from, (size_t)here);
        from += here;
        length -= here;
        total += here + offset;
        offset = 0;
        if (length == 0)
            break;
        if (!m->m_next) {
            struct mbuf *more = m_get(M_DONTWAIT, m->m_type);
            if (!more)
                break;
            more->m_len = imin((int)MLEN, length);
            m->m_next = more;
        }
        m = m->m_next;
    }
out:
    if (m0->m_flags & M_PKTHDR && m0->m_pkthdr.len < total)
        m0->m_pkthdr.len = total;
}

/* Afterwards the first `length` bytes are in one mbuf, which is no external storage: dtom() works on them. */
struct mbuf *m_pullup(struct mbuf *n, int length) {
    struct mbuf *m;
    bool fits = !(n->m_flags & M_EXT) && n->m_data + length <= n->m_dat + MLEN;
    if (length < 0 || length > (int)(n->m_flags & M_PKTHDR ? MHLEN : MLEN))
        goto bad;
    if (fits && n->m_next) {
        if (n->m_len >= length)
            return n;
        m = n;
        n = n->m_next;
        length -= m->m_len;
    } else if (fits && n->m_len >= length) {
        return n;
    } else {
        m = m_get(M_DONTWAIT, n->m_type);
        if (!m)
            goto bad;
        if (n->m_flags & M_PKTHDR) {
            M_COPY_PKTHDR(m, n);
            n->m_flags &= ~M_PKTHDR;
        }
    }
    int space = (int)(m->m_dat + MLEN - (m->m_data + m->m_len));
    do {
        int here = imin(imin(length > max_protohdr ? length : max_protohdr, space), n->m_len);
        memcpy(m->m_data + m->m_len, n->m_data, (size_t)here);
        m->m_len += here;
        n->m_len -= here;
        length -= here;
        space -= here;
        if (n->m_len > 0)
            n->m_data += here;
        else
            n = m_free(n);
    } while (length > 0 && n);
    m->m_next = n;
    if (length > 0) {
        m_freem(m);
        return NULL;
    }
    return m;
bad:
    m_freem(n);
    return NULL;
}

/* The tail begins behind `keep` bytes of m0, which keeps those. */
struct mbuf *m_split(struct mbuf *m0, int keep, int how) {
    struct mbuf *m = m0, *tail;
    int left = keep, whole = m0->m_flags & M_PKTHDR ? m0->m_pkthdr.len : 0;
    if (keep < 0)
        return NULL;
    for (; m && left > m->m_len; m = m->m_next)
        left -= m->m_len;
    if (!m)
        return NULL;
    int moved = m->m_len - left;
    tail = m0->m_flags & M_PKTHDR ? m_gethdr(how, m0->m_type) : m_get(how, m->m_type);
    if (!tail)
        return NULL;
    if (m0->m_flags & M_PKTHDR) {
        tail->m_pkthdr.rcvif = m0->m_pkthdr.rcvif;
        tail->m_pkthdr.len = whole - keep;
    }
    if (moved > 0 && !copy_one(tail, m, left, moved, how)) {
        m_free(tail);
        return NULL;
    }
    if (m0->m_flags & M_PKTHDR)
        m0->m_pkthdr.len = keep;
    tail->m_len = moved;
    tail->m_next = m->m_next;
    m->m_len = left;
    m->m_next = NULL;
    return tail;
}

/* Copies a packet from the memory of a device; room for a link header is left in front. */
struct mbuf *m_devget(char *buffer, int length, int offset, struct ifnet *ifp, void (*copy)()) {
    struct mbuf *first = m_gethdr(M_DONTWAIT, MT_DATA), *m = first, **end;
    (void)offset; /* of trailers: those are not supported */
    if (!first || length < 0) {
        m_freem(first);
        return NULL;
    }
    first->m_pkthdr.rcvif = ifp;
    first->m_pkthdr.len = length;
    for (end = &first->m_next; length > 0; end = &m->m_next) {
        int room = m == first ? (int)MHLEN : (int)MLEN;
        if (length >= (int)MINCLSIZE) {
            bsd_clget(m, M_DONTWAIT);
            room = m->m_flags & M_EXT ? MCLBYTES : room;
        } else if (m == first && length + max_linkhdr <= room) {
            m->m_data += max_linkhdr;
        }
        m->m_len = imin(length, room);
        if (copy)
            (*copy)(buffer, m->m_data, (u_int)m->m_len);
        else
            memcpy(m->m_data, buffer, (size_t)m->m_len);
        buffer += m->m_len;
        length -= m->m_len;
        if (length > 0 && !(m = *end = m_get(M_DONTWAIT, MT_DATA))) {
            m_freem(first);
            return NULL;
        }
    }
    return first;
}
