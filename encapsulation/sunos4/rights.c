/* Records with access rights. The rights that a protocol gives stay its own: the record gets a copy. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

static bool copied(struct mbuf *rights, struct mbuf **copy) {
    *copy = NULL;
    if (!rights || rights->m_len == 0)
        return true;
    return (*copy = m_copy(rights, 0, rights->m_len)) != NULL;
}

int sbappendrights(struct sockbuf *sb, struct mbuf *m0, struct mbuf *rights) {
    struct mbuf *copy;
    if (!rights || !copied(rights, &copy))
        return 0;
    if (!copy)
        copy = m_get(M_DONTWAIT, MT_RIGHTS);
    if (copy && sbappendcontrol(sb, m0, copy))
        return 1;
    m_freem(copy);
    return 0;
}

#undef sbappendaddr
int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *rights);

int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *rights) {
    struct mbuf *copy;
    if (!copied(rights, &copy))
        return 0;
    if (bsd_sbappendaddr(sb, asa, m0, copy))
        return 1;
    m_freem(copy);
    return 0;
}
