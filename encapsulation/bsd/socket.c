/* The lower half of the socket layer: what protocols call. Wakeups mark a socket; it is looked at when the entry is
 * done. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/proc.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

static struct socket *marked, *last_marked;
/* Sockets that were freed in this entry: kernel code looks at them once more, as memory that is free stays readable. */
static struct socket *dead;

void bsd_mark(struct socket *so) {
    if (so->bsd_flags & (BSD_MARKED | BSD_DEAD))
        return;
    so->bsd_flags |= BSD_MARKED;
    so->bsd_ring = NULL;
    if (last_marked)
        last_marked->bsd_ring = so;
    else
        marked = so;
    last_marked = so;
}

bool bsd_has_marked(void) { return marked != NULL; }

struct socket *bsd_next_marked(void) {
    struct socket *so = marked;
    if (!so)
        return NULL;
    marked = so->bsd_ring;
    if (!marked)
        last_marked = NULL;
    so->bsd_flags &= ~BSD_MARKED;
    return so;
}

static void unmark(struct socket *so) {
    struct socket *before = NULL;
    if (!(so->bsd_flags & BSD_MARKED))
        return;
    for (struct socket *each = marked; each != so; each = each->bsd_ring)
        before = each;
    if (before)
        before->bsd_ring = so->bsd_ring;
    else
        marked = so->bsd_ring;
    if (last_marked == so)
        last_marked = before;
    so->bsd_flags &= ~BSD_MARKED;
}

int bsd_request(struct socket *so, int request, struct mbuf *m, struct mbuf *nam, struct mbuf *control) {
    bsd_clock();
    /* Some descendants of 4.4BSD take the process as one more argument; the others do not see it. */
    return (*so->so_proto->pr_usrreq)(so, request, m, nam, control, curproc);
}

struct socket *bsd_socket_make(int type, int protocol, int *error) {
    bsd_start();
    struct domain *const *first = bsd_description.domains;
    int family = (*first)->dom_family;
    struct protosw *sw = protocol ? pffindproto(family, protocol, type) : pffindtype(family, type);
    if (!sw || !sw->pr_usrreq || sw->pr_type != type) {
        *error = EPROTONOSUPPORT;
        return NULL;
    }
    struct socket *so = malloc(sizeof *so, M_SOCKET, M_NOWAIT);
    if (!so) {
        *error = ENOBUFS;
        return NULL;
    }
    memset(so, 0, sizeof *so);
    so->so_type = (short)type;
    so->so_state = SS_PRIV;
    so->so_proto = sw;
    *error = bsd_request(so, PRU_ATTACH, NULL, (struct mbuf *)(long)protocol, NULL);
    if (*error) {
        so->so_state |= SS_NOFDREF;
        sofree(so);
        return NULL;
    }
    return so;
}

void bsd_socket_close(struct socket *so) {
    so->bsd_endpoint = NULL;
    if (so->so_options & SO_ACCEPTCONN) {
        while (so->so_q0)
            (void)soabort(so->so_q0);
        while (so->so_q)
            (void)soabort(so->so_q);
    }
    if (so->so_pcb && so->so_state & SS_ISCONNECTED && !(so->so_state & SS_ISDISCONNECTING))
        (void)sodisconnect(so);
    if (so->so_pcb)
        (void)bsd_request(so, PRU_DETACH, NULL, NULL, NULL);
    so->so_state |= SS_NOFDREF;
    sofree(so);
}

int soabort(struct socket *so) {
    struct socket *head = so->so_head;
    so->bsd_flags &= ~BSD_OFFERED;
    int error = bsd_request(so, PRU_ABORT, NULL, NULL, NULL);
    /* The protocol has freed it now, as a rule. If it is still queued it must go, or its listener would never end; the
     * protocol frees it when it has told the peer. */
    if (head && so->so_head == head && (soqremque(so, 0) || soqremque(so, 1))) {
        so->so_state |= SS_NOFDREF;
        sofree(so);
    }
    return error;
}

int sodisconnect(struct socket *so) {
    if (!(so->so_state & SS_ISCONNECTED))
        return ENOTCONN;
    if (so->so_state & SS_ISDISCONNECTING)
        return EALREADY;
    return bsd_request(so, PRU_DISCONNECT, NULL, NULL, NULL);
}

void sofree(struct socket *so) {
    if (so->so_pcb || !(so->so_state & SS_NOFDREF) || so->bsd_flags & BSD_DEAD)
        return;
    if (so->so_head) {
        bsd_withdraw(so);
        if (!soqremque(so, 0) && !soqremque(so, 1))
            panic("sofree: in no queue");
        so->so_head = NULL;
    }
    sbrelease(&so->so_snd);
    sorflush(so);
    unmark(so);
    so->bsd_flags |= BSD_DEAD;
    so->bsd_ring = dead;
    dead = so;
}

void bsd_bury(void) {
    while (dead) {
        struct socket *so = dead;
        dead = so->bsd_ring;
        free(so, M_SOCKET);
    }
}

void sorflush(struct socket *so) {
    struct sockbuf *sb = &so->so_rcv;
    socantrcvmore(so);
    sbrelease(sb);
    memset(sb, 0, sizeof *sb);
}

void sowakeup(struct socket *so, struct sockbuf *sb) {
    if (sb->sb_flags & SB_WAIT) {
        sb->sb_flags &= (short)~SB_WAIT;
        wakeup((caddr_t)&sb->sb_cc);
    }
    bsd_mark(so);
    if (so->so_upcall)
        (*so->so_upcall)(so, so->so_upcallarg, M_DONTWAIT);
}

int sbwait(struct sockbuf *sb) {
    sb->sb_flags |= SB_WAIT;
    return tsleep((caddr_t)&sb->sb_cc, PSOCK | PCATCH, "netio", sb->sb_timeo);
}

void soisconnecting(struct socket *so) {
    so->so_state &= (short)~(SS_ISCONNECTED | SS_ISDISCONNECTING);
    so->so_state |= SS_ISCONNECTING;
}

void soisconnected(struct socket *so) {
    struct socket *head = so->so_head;
    so->so_state &= (short)~(SS_ISCONNECTING | SS_ISDISCONNECTING | SS_ISCONFIRMING);
    so->so_state |= SS_ISCONNECTED;
    so->bsd_flags |= BSD_USED;
    if (head && soqremque(so, 0)) {
        soqinsque(head, so, 1);
        sorwakeup(head);
    } else {
        bsd_mark(so);
    }
}

void soisdisconnecting(struct socket *so) {
    so->so_state &= (short)~SS_ISCONNECTING;
    so->so_state |= SS_ISDISCONNECTING | SS_CANTRCVMORE | SS_CANTSENDMORE;
    bsd_mark(so);
}

void soisdisconnected(struct socket *so) {
    so->so_state &= (short)~(SS_ISCONNECTING | SS_ISCONNECTED | SS_ISDISCONNECTING);
    so->so_state |= SS_CANTRCVMORE | SS_CANTSENDMORE;
    bsd_mark(so);
}

/* A connection arrives: null if three halves of the limit are queued, or without memory. */
struct socket *sonewconn1(struct socket *head, int connstatus) {
    int q = connstatus ? 1 : 0;
    if (head->so_qlen + head->so_q0len > 3 * head->so_qlimit / 2)
        return NULL;
    struct socket *so = malloc(sizeof *so, M_SOCKET, M_NOWAIT);
    if (!so)
        return NULL;
    memset(so, 0, sizeof *so);
    so->so_type = head->so_type;
    so->so_options = head->so_options & (short)~SO_ACCEPTCONN;
    so->so_linger = head->so_linger;
    so->so_state = head->so_state | SS_NOFDREF;
    so->so_proto = head->so_proto;
    so->so_timeo = head->so_timeo;
    so->so_pgid = head->so_pgid;
    (void)soreserve(so, head->so_snd.sb_hiwat, head->so_rcv.sb_hiwat);
    soqinsque(head, so, q);
    if (bsd_request(so, PRU_ATTACH, NULL, NULL, NULL)) {
        (void)soqremque(so, q);
        unmark(so);
        sbrelease(&so->so_snd);
        sbrelease(&so->so_rcv);
        free(so, M_SOCKET);
        return NULL;
    }
    if (connstatus) {
        so->so_state |= (short)connstatus;
        so->bsd_flags |= BSD_USED;
        sorwakeup(head);
    }
    return so;
}

void soqinsque(struct socket *head, struct socket *so, int q) {
    struct socket **at = q ? &head->so_q : &head->so_q0;
    so->so_head = head;
    if (q)
        head->so_qlen++;
    else
        head->so_q0len++;
    while (*at)
        at = q ? &(*at)->so_q : &(*at)->so_q0;
    *at = so;
}

int soqremque(struct socket *so, int q) {
    struct socket *head = so->so_head;
    if (!head)
        return 0;
    struct socket **at = q ? &head->so_q : &head->so_q0;
    while (*at && *at != so)
        at = q ? &(*at)->so_q : &(*at)->so_q0;
    if (!*at)
        return 0;
    *at = q ? so->so_q : so->so_q0;
    if (q) {
        head->so_qlen--;
        so->so_q = NULL;
    } else {
        head->so_q0len--;
        so->so_q0 = NULL;
    }
    so->so_head = NULL;
    return 1;
}

void socantsendmore(struct socket *so) {
    so->so_state |= SS_CANTSENDMORE;
    sowwakeup(so);
}

void socantrcvmore(struct socket *so) {
    so->so_state |= SS_CANTRCVMORE;
    sorwakeup(so);
}

void sohasoutofband(struct socket *so) {
    so->bsd_flags |= BSD_URGENT;
    bsd_mark(so);
}
