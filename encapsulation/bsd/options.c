/* Options of sockets, and commands of interfaces and protocols. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/if.h>

static int set_socket_option(struct socket *so, int name, const void *value, size_t length) {
    int number;
    if (length < sizeof number)
        return EINVAL;
    memcpy(&number, value, sizeof number);
    switch (name) {
    case SO_DEBUG: case SO_REUSEADDR: case SO_KEEPALIVE: case SO_DONTROUTE: case SO_BROADCAST: case SO_REUSEPORT:
    case SO_OOBINLINE: case SO_USELOOPBACK:
        so->so_options = (short)(number ? so->so_options | name : so->so_options & ~name);
        return 0;
    case SO_SNDBUF:
    case SO_RCVBUF:
        if (number <= 0)
            return EINVAL;
        return sbreserve(name == SO_SNDBUF ? &so->so_snd : &so->so_rcv, (unsigned long)number) ? 0 : ENOBUFS;
    case SO_SNDLOWAT: so->so_snd.sb_lowat = number; return 0;
    case SO_RCVLOWAT: so->so_rcv.sb_lowat = number; return 0;
    default: return EOPNOTSUPP;
    }
}

int bsd_set_option(struct endpoint *endpoint, int level, int name_, const void *value, size_t length) {
    int error;
    struct socket *so = bsd_socket_of(endpoint, &error);
    if (!so)
        return error;
    if (level == SOL_SOCKET)
        return set_socket_option(so, name_, value, length);
    if (!so->so_proto->pr_ctloutput || length > MLEN)
        return EOPNOTSUPP;
    struct mbuf *m = m_getclr(M_DONTWAIT, MT_SOOPTS);
    if (!m)
        return ENOBUFS;
    memcpy(mtod(m, caddr_t), value, length);
    m->m_len = (int)length;
    return (*so->so_proto->pr_ctloutput)(PRCO_SETOPT, so, level, name_, &m); /* it frees the mbuf */
}

int bsd_option(struct endpoint *endpoint, int level, int name_, void *value, size_t *length) {
    int error;
    struct socket *so = bsd_socket_of(endpoint, &error);
    if (!so)
        return error;
    if (level == SOL_SOCKET) {
        int number = so->so_options & name_;
        switch (name_) {
        case SO_SNDBUF: number = (int)so->so_snd.sb_hiwat; break;
        case SO_RCVBUF: number = (int)so->so_rcv.sb_hiwat; break;
        case SO_TYPE: number = so->so_type; break;
        case SO_ERROR: number = so->so_error; so->so_error = 0; break;
        default:
            if (name_ >= SO_SNDBUF)
                return EOPNOTSUPP;
        }
        memcpy(value, &number, *length = sizeof number);
        return 0;
    }
    struct mbuf *m = NULL;
    error = so->so_proto->pr_ctloutput ? (*so->so_proto->pr_ctloutput)(PRCO_GETOPT, so, level, name_, &m) : EOPNOTSUPP;
    if (!error && m) {
        *length = (size_t)m->m_len < *length ? (size_t)m->m_len : *length;
        memcpy(value, mtod(m, caddr_t), *length);
    } else if (!error) {
        *length = 0;
    }
    m_freem(m);
    return error;
}

int bsd_control(struct endpoint *endpoint, unsigned long command, char *data) {
    int error;
    if (((struct bsd_upper *)(void *)endpoint)->protocol->above)
        return EOPNOTSUPP; /* it has no socket: commands go to streams that have */
    struct socket *so = bsd_socket_of(endpoint, &error);
    if (!so)
        return error;
    if (IOCGROUP(command) == 'i')
        return ifioctl(so, command, data, curproc);
    return bsd_request(so, PRU_CONTROL, (struct mbuf *)command, (struct mbuf *)(void *)data, NULL);
}
