/* What sockets have for their endpoints: connections, data, errors. It runs when the protocol has returned. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/netisr.h>

static struct bsd_upper *of(struct socket *so) { return (struct bsd_upper *)(void *)so->bsd_endpoint; }

/* Connections that wait for the listener's user. */
static void offer(struct socket *head) {
    struct endpoint *listener = &of(head)->endpoint;
    for (struct socket *so = head->so_q; so; so = so->so_q) {
        unsigned char address[ENDPOINT_ADDRESS];
        size_t length = 0;
        if (so->bsd_flags & BSD_OFFERED)
            continue;
        struct mbuf *m = m_getclr(M_DONTWAIT, MT_SONAME);
        if (m && so->so_pcb && bsd_request(so, PRU_PEERADDR, NULL, m, NULL) == 0 && m->m_len <= ENDPOINT_ADDRESS) {
            length = (size_t)m->m_len;
            memcpy(address, mtod(m, caddr_t), length);
        }
        m_freem(m);
        if (endpoint_incoming(listener, so, address, length))
            break; /* until one is accepted or refused */
        so->bsd_flags |= BSD_OFFERED;
    }
}

void bsd_withdraw(struct socket *so) {
    struct socket *head = so->so_head;
    if (!(so->bsd_flags & BSD_OFFERED) || !head->bsd_endpoint)
        return;
    so->bsd_flags &= ~BSD_OFFERED;
    endpoint_withdrawn(&of(head)->endpoint, so, so->so_error ? so->so_error : ECONNRESET);
    bsd_mark(head);
}

/* Takes the first record out of the buffer. */
static struct mbuf *take_record(struct sockbuf *sb) {
    struct mbuf *record = sb->sb_mb;
    sb->sb_mb = record->m_act;
    record->m_act = NULL;
    for (struct mbuf *m = record; m; m = m->m_next)
        sbfree(sb, m);
    return record;
}

/* Control information has no counterpart in the indications: it is dropped. */
static struct mbuf *without_control(struct mbuf *m) {
    while (m && (m->m_type == MT_CONTROL || m->m_type == MT_RIGHTS))
        m = m_free(m);
    return m;
}

static mblk_t *data_of(struct mbuf *m) { return m ? bsd_message_of(m) : str_allocb(1, BPRI_MED); }

static void report_datagram(struct socket *so) {
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length = 0;
    struct mbuf *m = take_record(&so->so_rcv);
    if (so->so_proto->pr_flags & PR_ADDR && m->m_type == MT_SONAME) {
        length = (size_t)m->m_len < sizeof address ? (size_t)m->m_len : sizeof address;
        memcpy(address, mtod(m, caddr_t), length);
        m = m_free(m);
    }
    mblk_t *data = data_of(without_control(m));
    if (data)
        endpoint_datagram(&of(so)->endpoint, address, length, data);
}

static void report_data(struct socket *so) {
    struct mbuf *m = take_record(&so->so_rcv), *last;
    if (so->so_proto->pr_flags & PR_ADDR && m && m->m_type == MT_SONAME)
        m = m_free(m);
    m = without_control(m);
    if (!m)
        return;
    for (last = m; last->m_next;)
        last = last->m_next;
    bool is_packet = so->so_type == SOCK_SEQPACKET;
    bool more = is_packet && !(so->so_proto->pr_flags & PR_ATOMIC) && !(last->m_flags & M_EOR);
    mblk_t *data = bsd_message_of(m);
    if (data)
        endpoint_data(&of(so)->endpoint, data, false, more);
}

static void report_urgent(struct socket *so) {
    so->bsd_flags &= ~BSD_URGENT;
    if (so->so_options & SO_OOBINLINE)
        return;
    struct mbuf *m = m_get(M_DONTWAIT, MT_DATA);
    mblk_t *data = m ? str_allocb(MLEN, BPRI_MED) : NULL;
    if (!data) {
        m_freem(m);
        return;
    }
    m->m_len = 1;
    int error = bsd_request(so, PRU_RCVOOB, m, NULL, NULL);
    bool keeps = m->m_type != MT_FREE; /* SPP of 4.4BSD frees it, and its caller reads it then */
    if (!error && m->m_len > 0 && m->m_len <= (int)MLEN) {
        memcpy(data->b_wptr, mtod(m, caddr_t), (size_t)m->m_len);
        data->b_wptr += m->m_len;
    } else {
        str_freemsg(data);
        data = NULL;
    }
    if (keeps)
        m_freem(m);
    if (data)
        endpoint_data(&of(so)->endpoint, data, true, false);
}

static void report_connection(struct socket *so) {
    struct bsd_upper *upper = of(so);
    struct endpoint *endpoint = &upper->endpoint;
    bool is_open = so->so_state & (SS_ISCONNECTED | SS_ISCONNECTING | SS_ISDISCONNECTING | SS_ISCONFIRMING);
    if (so->so_state & SS_ISCONNECTED)
        endpoint_connected(endpoint);
    if (so->bsd_flags & BSD_URGENT)
        report_urgent(so);
    while (so->so_rcv.sb_mb && endpoint->read && endpoint_has_room(endpoint))
        report_data(so);
    if (so->so_rcv.sb_mb || !endpoint->read || endpoint->state == TS_IDLE || endpoint->state == TS_UNBND)
        return;
    if (so->so_state & SS_CANTRCVMORE && !so->so_error && endpoint->calls->service == T_COTS_ORD &&
        endpoint->state != TS_WCON_CREQ)
        endpoint_finished(endpoint);
    else if (!is_open || (so->so_error && !(so->so_state & SS_ISCONNECTED)))
        endpoint_disconnected(endpoint, so->so_error ? so->so_error : ECONNRESET);
}

static void report_datagrams(struct socket *so) {
    struct bsd_upper *upper = of(so);
    while (so->so_rcv.sb_mb && upper->endpoint.read && endpoint_has_room(&upper->endpoint))
        report_datagram(so);
    if (so->so_error) {
        endpoint_undelivered(&upper->endpoint, upper->to, upper->to_length, so->so_error);
        so->so_error = 0;
    }
}

void bsd_report(struct socket *so) {
    if (!so->bsd_endpoint)
        return;
    struct endpoint *endpoint = &of(so)->endpoint;
    if (so->so_options & SO_ACCEPTCONN)
        offer(so);
    else if (endpoint->calls->service == T_CLTS)
        report_datagrams(so);
    else
        report_connection(so);
    endpoint_writable(endpoint);
}

static void settle(void *argument) {
    struct socket *so;
    (void)argument;
    while (netisr || bsd_has_marked() || bsd_processes_ready()) {
        bsd_run_interrupts();
        bsd_run_processes();
        while ((so = bsd_next_marked()))
            bsd_report(so);
    }
}

void bsd_settle_inside(void) { settle(NULL); }

void bsd_settle(void) {
    if (capsule_entered())
        return; /* it is done at the end of that entry */
    if (capsule_failed()) {
        bsd_commands_fail();
        return;
    }
    if ((netisr || bsd_has_marked() || bsd_processes_ready()) && !capsule_run(settle, NULL)) {
        bsd_commands_fail();
        return;
    }
    bsd_bury();
}
