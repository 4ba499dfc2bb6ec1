/* Upper streams: TPI requests become user requests of the protocol. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

static struct bsd_upper *of(struct endpoint *endpoint) { return (struct bsd_upper *)(void *)endpoint; }

#define USUAL_NAME 32

/* An address as an mbuf. The first bytes behind a short one are zero: protocols may look further than it goes. */
static struct mbuf *name_of(const void *address, size_t length, int *error) {
    if (length < (size_t)bsd_description.shortest_address || length < 2 || length > MLEN || length > ENDPOINT_ADDRESS) {
        *error = EINVAL;
        return NULL;
    }
    struct mbuf *m = m_get(M_DONTWAIT, MT_SONAME);
    if (!m) {
        *error = ENOBUFS;
        return NULL;
    }
    memset(m->m_dat, 0, USUAL_NAME);
    memcpy(m->m_dat, address, length);
    m->m_len = (int)length;
    BSD_SET_ADDRESS_LENGTH(mtod(m, struct sockaddr *), length);
    return m;
}

static void forget(struct bsd_upper *upper) {
    struct socket *so = upper->socket;
    upper->socket = NULL;
    str_freemsg(upper->partial);
    upper->partial = NULL;
    upper->partial_length = 0;
    if (so)
        bsd_socket_close(so);
}

struct socket *bsd_socket_of(struct endpoint *endpoint, int *error) {
    struct bsd_upper *upper = of(endpoint);
    *error = 0;
    if (!upper->socket) {
        upper->socket = bsd_socket_make(upper->protocol->type, upper->protocol->protocol, error);
        if (upper->socket)
            upper->socket->bsd_endpoint = (caddr_t)endpoint;
    }
    return upper->socket;
}

/* The socket is made later: until then the graph may be built. */
static int attach(struct endpoint *endpoint) {
    (void)endpoint;
    return 0;
}

static void detach(struct endpoint *endpoint) { forget(of(endpoint)); }

static int name(struct socket *so, int request, void *address, size_t *length) {
    struct mbuf *m = m_getclr(M_DONTWAIT, MT_SONAME);
    if (!m)
        return ENOBUFS;
    int error = bsd_request(so, request, NULL, m, NULL);
    if (!error && (m->m_len < 0 || m->m_len > ENDPOINT_ADDRESS))
        error = EMSGSIZE;
    if (!error) {
        *length = (size_t)m->m_len;
        memcpy(address, mtod(m, caddr_t), *length);
    }
    m_freem(m);
    return error;
}

static int local(struct endpoint *endpoint, void *address, size_t *length) {
    struct socket *so = of(endpoint)->socket;
    return so && so->so_pcb ? name(so, PRU_SOCKADDR, address, length) : ENOTCONN;
}

static int remote(struct endpoint *endpoint, void *address, size_t *length) {
    struct socket *so = of(endpoint)->socket;
    return so && so->so_pcb ? name(so, PRU_PEERADDR, address, length) : ENOTCONN;
}

static int bind_socket(struct socket *so, const void *address, size_t length) {
    int error = 0;
    struct mbuf *nam = length ? name_of(address, length, &error) : NULL;
    if (error)
        return error;
    error = bsd_request(so, PRU_BIND, NULL, nam, NULL);
    if (nam)
        m_freem(nam);
    return error;
}

static int bind(struct endpoint *endpoint, const void *address, size_t length, unsigned backlog) {
    int error;
    struct bsd_upper *upper = of(endpoint);
    struct socket *so = bsd_socket_of(endpoint, &error);
    if (so)
        error = bind_socket(so, address, length);
    if (!error && backlog > 0) {
        error = bsd_request(so, PRU_LISTEN, NULL, NULL, NULL);
        so->so_options |= SO_ACCEPTCONN;
        so->so_qlimit = (short)backlog;
    }
    if (error) {
        forget(upper); /* it may be bound half-way */
        return error;
    }
    if (name(so, PRU_SOCKADDR, upper->local, &upper->local_length))
        upper->local_length = 0;
    return 0;
}

/* Sockets cannot be unbound: the endpoint gets another one. */
static int unbind(struct endpoint *endpoint) {
    forget(of(endpoint));
    return 0;
}

/* A socket that has had a connection cannot have another: a new one is bound to the same address. */
static int renew(struct endpoint *endpoint) {
    struct bsd_upper *upper = of(endpoint);
    int error = 0;
    if (upper->socket && !(upper->socket->bsd_flags & BSD_USED) && upper->socket->so_pcb)
        return 0;
    forget(upper);
    struct socket *so = bsd_socket_of(endpoint, &error);
    return so && upper->local_length ? bind_socket(so, upper->local, upper->local_length) : error;
}

static int connect(struct endpoint *endpoint, const void *address, size_t length) {
    int error = renew(endpoint);
    struct mbuf *nam = error ? NULL : name_of(address, length, &error);
    if (!nam)
        return error;
    struct socket *so = of(endpoint)->socket;
    so->bsd_flags |= BSD_USED;
    error = bsd_request(so, PRU_CONNECT, NULL, nam, NULL);
    m_freem(nam);
    bsd_mark(so);
    return error;
}

/* The protocol has accepted the connection before its user: accepting gives it to a stream. */
static int accept(struct endpoint *listener, void *incoming, struct endpoint *acceptor) {
    struct socket *so = incoming;
    struct bsd_upper *upper = of(acceptor);
    (void)listener;
    so->bsd_flags &= ~BSD_OFFERED;
    if (!soqremque(so, 1))
        return ECONNABORTED;
    forget(upper);
    so->so_state &= (short)~SS_NOFDREF;
    upper->socket = so;
    so->bsd_endpoint = (caddr_t)acceptor;
    struct mbuf *nam = m_getclr(M_DONTWAIT, MT_SONAME);
    int error = nam ? bsd_request(so, PRU_ACCEPT, NULL, nam, NULL) : ENOBUFS;
    m_freem(nam);
    if (!error && so->so_state & SS_ISCONFIRMING) /* the protocol waits for its user's consent */
        error = bsd_request(so, PRU_RCVD, NULL, NULL, NULL);
    if (error)
        forget(upper);
    else
        bsd_mark(so);
    if (of(listener)->socket)
        bsd_mark(of(listener)->socket);
    return error;
}

static void refuse(struct endpoint *listener, void *incoming) {
    (void)soabort(incoming);
    if (of(listener)->socket)
        bsd_mark(of(listener)->socket);
}

/* Splits the first bytes off a message; the rest shares the block in which they end. Null without memory. */
static mblk_t *split(mblk_t **message, size_t count) {
    mblk_t *first = *message, **at = message;
    while (*at && (size_t)((*at)->b_wptr - (*at)->b_rptr) <= count) {
        count -= (size_t)((*at)->b_wptr - (*at)->b_rptr);
        at = &(*at)->b_cont;
    }
    mblk_t *rest = *at;
    if (rest && count > 0) {
        mblk_t *front = str_dupb(rest);
        if (!front)
            return NULL;
        front->b_wptr = front->b_rptr + count;
        rest->b_rptr += count;
        if (at == message)
            first = front;
        *at = front;
    } else {
        *at = NULL;
    }
    *message = rest;
    return first;
}

/* Some protocols wake a writer only if one is said to wait. */
static int wait_for_room(struct socket *so) {
    so->so_snd.sb_flags |= SB_WAIT;
    return EAGAIN;
}

static int send_chain(struct socket *so, mblk_t *data, bool expedited, bool ends) {
    struct mbuf *m = bsd_mbufs_of(data);
    if (!m)
        return ENOBUFS;
    if (ends) {
        struct mbuf *last = m;
        while (last->m_next)
            last = last->m_next;
        last->m_flags |= M_EOR;
    }
    return bsd_request(so, expedited ? PRU_SENDOOB : PRU_SEND, m, NULL, NULL);
}

/* An atomic message goes as a whole: parts are kept until its end comes. */
static int send_atomic(struct bsd_upper *upper, mblk_t **message, bool expedited, bool more) {
    struct socket *so = upper->socket;
    size_t length = str_msgdsize(*message) + upper->partial_length;
    if (length > (size_t)so->so_snd.sb_hiwat)
        return EMSGSIZE;
    if (!expedited && !more && (long)length > sbspace(&so->so_snd))
        return wait_for_room(so);
    mblk_t *whole = *message;
    *message = NULL;
    if (upper->partial) {
        str_linkb(upper->partial, whole);
        whole = upper->partial;
    }
    upper->partial = more ? whole : NULL;
    upper->partial_length = more ? length : 0;
    return more ? 0 : send_chain(so, whole, expedited, true);
}

static int send(struct endpoint *endpoint, mblk_t **message, bool expedited, bool more) {
    struct bsd_upper *upper = of(endpoint);
    struct socket *so = upper->socket;
    if (!so || so->so_state & SS_CANTSENDMORE)
        return so && so->so_error ? so->so_error : EPIPE;
    size_t length = str_msgdsize(*message);
    if (length == 0 && !(so->so_proto->pr_flags & PR_ATOMIC))
        return 0;
    if (so->so_proto->pr_flags & PR_ATOMIC)
        return send_atomic(upper, message, expedited, more);
    long space = expedited ? (long)length : sbspace(&so->so_snd);
    if (space < (long)length && space < so->so_snd.sb_lowat)
        return wait_for_room(so);
    mblk_t *part = split(message, (size_t)space < length ? (size_t)space : length);
    if (!part)
        return ENOBUFS;
    int error = send_chain(so, part, expedited, false);
    return error ? error : *message ? wait_for_room(so) : 0;
}

static int send_to(struct endpoint *endpoint, const void *address, size_t length, mblk_t *data) {
    int error;
    struct bsd_upper *upper = of(endpoint);
    struct socket *so = bsd_socket_of(endpoint, &error);
    struct mbuf *nam = so ? name_of(address, length, &error) : NULL;
    if (nam && str_msgdsize(data) > (size_t)so->so_snd.sb_hiwat)
        error = EMSGSIZE;
    else if (nam && so->so_state & SS_CANTSENDMORE)
        error = EPIPE;
    if (!nam || error) {
        str_freemsg(data);
        m_freem(nam);
        return error;
    }
    memcpy(upper->to, address, length);
    upper->to_length = length;
    struct mbuf *m = bsd_mbufs_of(data);
    error = m ? bsd_request(so, PRU_SEND, m, nam, NULL) : ENOBUFS;
    m_freem(nam);
    return error;
}

static int finish(struct endpoint *endpoint) {
    struct socket *so = of(endpoint)->socket;
    if (!so || !so->so_pcb || !(so->so_state & SS_ISCONNECTED))
        return 0; /* the protocol has ended the connection meanwhile */
    return bsd_request(so, PRU_SHUTDOWN, NULL, NULL, NULL);
}

/* Abortive, as T_DISCON_REQ is. The endpoint stays bound: renew() makes its next socket. */
static int disconnect(struct endpoint *endpoint) {
    struct bsd_upper *upper = of(endpoint);
    struct socket *so = upper->socket;
    if (!so)
        return 0;
    upper->socket = NULL;
    so->bsd_endpoint = NULL;
    if (so->so_pcb)
        (void)bsd_request(so, PRU_ABORT, NULL, NULL, NULL);
    if (so->so_pcb)
        (void)bsd_request(so, PRU_DETACH, NULL, NULL, NULL);
    so->so_state |= SS_NOFDREF;
    sofree(so);
    str_freemsg(upper->partial);
    upper->partial = NULL;
    upper->partial_length = 0;
    return 0;
}

static void taken(struct endpoint *endpoint, size_t bytes) {
    struct socket *so = of(endpoint)->socket;
    (void)bytes;
    if (so && so->so_pcb && so->so_proto->pr_flags & PR_WANTRCVD)
        (void)bsd_request(so, PRU_RCVD, NULL, NULL, NULL);
}

/* The sizes and the service are filled in for each protocol. */
const struct endpoint_calls bsd_calls = {
    .size = sizeof(struct bsd_upper),
    .attach = attach,
    .detach = detach,
    .bind = bind,
    .unbind = unbind,
    .local = local,
    .remote = remote,
    .connect = connect,
    .accept = accept,
    .refuse = refuse,
    .send = send,
    .send_to = send_to,
    .finish = finish,
    .disconnect = disconnect,
    .taken = taken,
    .set_option = bsd_set_option,
    .option = bsd_option,
    .link = bsd_link,
    .unlink = bsd_unlink,
    .done = bsd_settle,
};
