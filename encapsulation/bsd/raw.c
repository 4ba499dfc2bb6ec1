/* Raw sockets of a family: each gets what matches its protocol and its addresses. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/raw_cb.h>

#ifdef NetBSD
struct rawcbhead rawcb = {NULL};
#define EACH_RAW(rp) for (struct rawcb *rp = rawcb.lh_first; rp; rp = rp->rcb_list.le_next)
#define INSERT(rp) LIST_INSERT_HEAD(&rawcb, (rp), rcb_list)
#define REMOVE(rp) LIST_REMOVE((rp), rcb_list)
#else
struct rawcb rawcb = {.rcb_next = &rawcb, .rcb_prev = &rawcb};
#define EACH_RAW(rp) for (struct rawcb *rp = rawcb.rcb_next; rp != &rawcb; rp = rp->rcb_next)
#define INSERT(rp) insque((rp), &rawcb)
#define REMOVE(rp) remque(rp)
#endif

unsigned long raw_sendspace = RAWSNDQ, raw_recvspace = RAWRCVQ;

void raw_init(void) {
#ifdef NetBSD
    LIST_INIT(&rawcb);
#else
    rawcb.rcb_next = rawcb.rcb_prev = &rawcb;
#endif
}

/* The foreign code has allocated the control block. */
int raw_attach(struct socket *so, int protocol) {
    struct rawcb *rp = sotorawcb(so);
    if (!rp)
        return ENOBUFS;
    int error = soreserve(so, raw_sendspace, raw_recvspace);
    if (error)
        return error;
    rp->rcb_socket = so;
    rp->rcb_proto.sp_family = (u_short)so->so_proto->pr_domain->dom_family;
    rp->rcb_proto.sp_protocol = (u_short)protocol;
    INSERT(rp);
    return 0;
}

void raw_detach(struct rawcb *rp) {
    struct socket *so = rp->rcb_socket;
    so->so_pcb = NULL;
    sofree(so);
    REMOVE(rp);
    free(rp, M_PCB);
}

void raw_disconnect(struct rawcb *rp) {
    if (rp->rcb_socket->so_state & SS_NOFDREF)
        raw_detach(rp);
}

static bool is_same(const struct sockaddr *one, const struct sockaddr *other) {
    return one->sa_len == other->sa_len && memcmp(one, other, one->sa_len) == 0;
}

static bool is_for(const struct rawcb *rp, const struct sockproto *protocol, const struct sockaddr *from,
                   const struct sockaddr *to) {
    return rp->rcb_proto.sp_family == protocol->sp_family &&
           (!rp->rcb_proto.sp_protocol || rp->rcb_proto.sp_protocol == protocol->sp_protocol) &&
           (!rp->rcb_laddr || is_same(rp->rcb_laddr, to)) && (!rp->rcb_faddr || is_same(rp->rcb_faddr, from));
}

static void deliver(struct socket *so, struct mbuf *m, struct sockaddr *from) {
    if (!m)
        return;
    if (sbappendaddr(&so->so_rcv, from, m, NULL))
        sorwakeup(so);
    else
        m_freem(m);
}

/* The last socket gets the packet itself, the others copies. */
void raw_input(struct mbuf *m, struct sockproto *protocol, struct sockaddr *from, struct sockaddr *to) {
    struct socket *last = NULL;
    EACH_RAW(rp) {
        if (!is_for(rp, protocol, from, to))
            continue;
        if (last)
            deliver(last, m_copym(m, 0, M_COPYALL, M_DONTWAIT), from);
        last = rp->rcb_socket;
    }
    if (last)
        deliver(last, m, from);
    else
        m_freem(m);
}

void raw_ctlinput(int command, struct sockaddr *to) { (void)command, (void)to; }

static int name(const struct sockaddr *address, struct mbuf *nam, int none) {
    if (!address)
        return none;
    nam->m_len = address->sa_len;
    memcpy(mtod(nam, caddr_t), address, address->sa_len);
    return 0;
}

/* Takes the packet. */
static int send(struct socket *so, struct rawcb *rp, struct mbuf *m, struct mbuf *nam) {
    if (nam ? rp->rcb_faddr != NULL : !rp->rcb_faddr) {
        m_freem(m);
        return nam ? EISCONN : ENOTCONN;
    }
    if (nam)
        rp->rcb_faddr = mtod(nam, struct sockaddr *);
    int error = (*so->so_proto->pr_output)(m, so);
    if (nam)
        rp->rcb_faddr = NULL;
    return error;
}

static int control_of(struct socket *so, struct rawcb *rp, int request, struct mbuf *nam) {
    switch (request) {
    case PRU_ATTACH: return so->so_state & SS_PRIV ? raw_attach(so, (int)(long)nam) : EACCES;
    case PRU_DETACH: raw_detach(rp); return 0;
    case PRU_DISCONNECT:
        if (!rp->rcb_faddr)
            return ENOTCONN;
        raw_disconnect(rp);
        soisdisconnected(so);
        return 0;
    case PRU_SHUTDOWN: socantsendmore(so); return 0;
    case PRU_ABORT:
        soisdisconnected(so);
        raw_disconnect(rp);
        return 0;
    case PRU_SENSE: return 0;
    case PRU_SOCKADDR: return name(rp->rcb_laddr, nam, EINVAL);
    case PRU_PEERADDR: return name(rp->rcb_faddr, nam, ENOTCONN);
    default: return EOPNOTSUPP;
    }
}

int raw_usrreq(struct socket *so, int request, struct mbuf *m, struct mbuf *nam, struct mbuf *control BSD_PROC) {
    struct rawcb *rp = sotorawcb(so);
    if (request == PRU_CONTROL || request == PRU_RCVD || request == PRU_RCVOOB)
        return EOPNOTSUPP; /* m is none of ours */
    int error = control && control->m_len ? EOPNOTSUPP : !rp ? EINVAL : 0;
    if (!error && request == PRU_SEND) {
        error = send(so, rp, m, nam);
        m = NULL;
    } else if (!error) {
        error = control_of(so, rp, request, nam);
    }
    m_freem(m);
    return error;
}
