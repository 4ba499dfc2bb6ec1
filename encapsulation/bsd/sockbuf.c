/* Socket buffers: records of mbufs. A record is a chain; records are joined by m_act. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <limits.h>
#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

u_long sb_max = SB_MAX;

int sbreserve(struct sockbuf *sb, unsigned long cc) {
    if (cc > (unsigned long)sb_max * MCLBYTES / (MSIZE + MCLBYTES))
        return 0;
    sb->sb_hiwat = (BSD_COUNT)cc;
    sb->sb_mbmax = (BSD_COUNT)(cc * 2 < sb_max ? cc * 2 : sb_max);
    if (sb->sb_lowat > (long)sb->sb_hiwat)
        sb->sb_lowat = (long)sb->sb_hiwat;
    return 1;
}

int soreserve(struct socket *so, unsigned long sndcc, unsigned long rcvcc) {
    if (!sbreserve(&so->so_snd, sndcc))
        return ENOBUFS;
    if (!sbreserve(&so->so_rcv, rcvcc)) {
        sbrelease(&so->so_snd);
        return ENOBUFS;
    }
    if (so->so_rcv.sb_lowat == 0)
        so->so_rcv.sb_lowat = 1;
    if (so->so_snd.sb_lowat == 0)
        so->so_snd.sb_lowat = MCLBYTES;
    if (so->so_snd.sb_lowat > (long)so->so_snd.sb_hiwat)
        so->so_snd.sb_lowat = (long)so->so_snd.sb_hiwat;
    return 0;
}

void sbrelease(struct sockbuf *sb) {
    sbflush(sb);
    sb->sb_hiwat = sb->sb_mbmax = 0;
}

void sbflush(struct sockbuf *sb) {
    while (sb->sb_mb)
        sbdroprecord(sb);
    if (sb->sb_cc != 0 || sb->sb_mbcnt != 0)
        panic("sbflush: counts of an empty buffer");
}

static struct mbuf **last_record(struct sockbuf *sb) {
    struct mbuf **at = &sb->sb_mb;
    while (*at && (*at)->m_act)
        at = &(*at)->m_act;
    return at;
}

void sbappend(struct sockbuf *sb, struct mbuf *m) {
    if (!m)
        return;
    struct mbuf *n = *last_record(sb);
    while (n && n->m_next) {
        if (n->m_flags & M_EOR)
            break;
        n = n->m_next;
    }
    if (n && n->m_flags & M_EOR)
        sbappendrecord(sb, m); /* the record is complete */
    else
        sbcompress(sb, m, n);
}

/* The first mbuf begins a record of its own; the rest follows with compression. */
static void begin_record(struct sockbuf *sb, struct mbuf **at, struct mbuf *m0) {
    sballoc(sb, m0);
    m0->m_act = *at;
    *at = m0;
    struct mbuf *rest = m0->m_next;
    m0->m_next = NULL;
    if (rest && m0->m_flags & M_EOR) {
        m0->m_flags &= ~M_EOR;
        rest->m_flags |= M_EOR;
    }
    sbcompress(sb, rest, m0);
}

void sbappendrecord(struct sockbuf *sb, struct mbuf *m0) {
    if (!m0)
        return;
    struct mbuf **at = last_record(sb);
    begin_record(sb, *at ? &(*at)->m_act : at, m0);
}

/* Out-of-band data goes before other records, but behind such data that is there. */
void sbinsertoob(struct sockbuf *sb, struct mbuf *m0) {
    if (!m0)
        return;
    struct mbuf **at = &sb->sb_mb;
    for (; *at; at = &(*at)->m_act) {
        struct mbuf *m = *at;
        while (m && m->m_type != MT_OOBDATA && m->m_type == MT_CONTROL)
            m = m->m_next; /* look behind control information */
        if (!m || m->m_type != MT_OOBDATA)
            break;
    }
    begin_record(sb, at, m0);
}

static void append_chain(struct sockbuf *sb, struct mbuf *m) {
    for (struct mbuf *n = m; n; n = n->m_next)
        sballoc(sb, n);
    struct mbuf **at = last_record(sb);
    *(*at ? &(*at)->m_act : at) = m;
}

int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *control) {
    const int length = BSD_ADDRESS_LENGTH(asa);
    long space = length;
    if (m0 && !BSD_HAS_HEADER(m0))
        panic("sbappendaddr: no packet header");
    if (m0)
        space += BSD_LENGTH(m0);
    for (struct mbuf *n = control; n; n = n->m_next)
        space += n->m_len;
    if (space > sbspace(sb) || length > (int)MLEN)
        return 0;
    struct mbuf *name = m_get(M_DONTWAIT, MT_SONAME);
    if (!name)
        return 0;
    name->m_len = length;
    memcpy(mtod(name, caddr_t), asa, (size_t)length);
    struct mbuf **end = &name->m_next;
    for (*end = control; *end;)
        end = &(*end)->m_next;
    *end = m0;
    append_chain(sb, name);
    return 1;
}

int sbappendcontrol(struct sockbuf *sb, struct mbuf *m0, struct mbuf *control) {
    long space = 0;
    if (!control)
        panic("sbappendcontrol: no control information");
    struct mbuf *last = control;
    for (struct mbuf *n = control; n; n = n->m_next) {
        space += n->m_len;
        last = n;
    }
    for (struct mbuf *n = m0; n; n = n->m_next)
        space += n->m_len;
    if (space > sbspace(sb))
        return 0;
    last->m_next = m0;
    append_chain(sb, control);
    return 1;
}

/* Appends m behind n, which is the last mbuf of a record or null; copies small pieces together. */
void sbcompress(struct sockbuf *sb, struct mbuf *m, struct mbuf *n) {
    int eor = 0;
    while (m) {
        eor |= m->m_flags & M_EOR;
        bool is_empty = m->m_len == 0;
        if (is_empty && (eor == 0 || ((m->m_next || n) && (m->m_next ? m->m_next : n)->m_type == m->m_type))) {
            m = m_free(m);
            continue;
        }
        if (n && BSD_IS_INSIDE(n) && !(n->m_flags & M_EOR) && n->m_type == m->m_type &&
            mtod(n, caddr_t) + n->m_len + m->m_len < (caddr_t)n->m_dat + MLEN) {
            memcpy(mtod(n, caddr_t) + n->m_len, mtod(m, caddr_t), (size_t)m->m_len);
            n->m_len += m->m_len;
            sb->sb_cc += (BSD_COUNT)m->m_len;
            m = m_free(m);
            continue;
        }
        if (n)
            n->m_next = m;
        else
            sb->sb_mb = m;
        sballoc(sb, m);
        n = m;
        m->m_flags &= ~M_EOR;
        m = m->m_next;
        n->m_next = NULL;
    }
    if (eor && n)
        n->m_flags |= eor;
}

void sbdrop(struct sockbuf *sb, int length) {
    struct mbuf *m = sb->sb_mb, *next = m ? m->m_act : NULL;
    while (length > 0) {
        if (!m) {
            if (!next)
                panic("sbdrop: more than there is");
            m = next;
            next = m->m_act;
            continue;
        }
        if (m->m_len > length) {
            m->m_len -= length;
            BSD_ADVANCE(m, length);
            sb->sb_cc -= (BSD_COUNT)length;
            break;
        }
        length -= m->m_len;
        sbfree(sb, m);
        m = m_free(m);
    }
    while (m && m->m_len == 0) {
        sbfree(sb, m);
        m = m_free(m);
    }
    if (m) {
        sb->sb_mb = m;
        m->m_act = next;
    } else {
        sb->sb_mb = next;
    }
}

void sbdroprecord(struct sockbuf *sb) {
    struct mbuf *m = sb->sb_mb;
    if (!m)
        return;
    sb->sb_mb = m->m_act;
    while (m) {
        sbfree(sb, m);
        m = m_free(m);
    }
}

void sbcheck(struct sockbuf *sb) {
    unsigned long length = 0, storage = 0;
    for (struct mbuf *record = sb->sb_mb; record; record = record->m_act)
        for (struct mbuf *m = record; m; m = m->m_next) {
            length += (unsigned long)m->m_len;
            storage += MSIZE + BSD_STORAGE(m);
        }
    if (length != (unsigned long)sb->sb_cc || storage != (unsigned long)sb->sb_mbcnt)
        panic("sbcheck: %lu bytes are counted as %lu", length, (unsigned long)sb->sb_cc);
}
