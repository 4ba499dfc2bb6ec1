/* The lower half of the socket layer of 4.4BSD. */
#include "tests/bsd_protocol.h"

static struct socket *made(void) {
    int error;
    struct socket *so = bsd_socket_make(SOCK_STREAM, 6, &error);
    assert(so);
    return so;
}

static void test_buffers_of_bytes(void) {
    struct socket *so = made();
    struct sockbuf *sb = &so->so_rcv;
    sbappend(sb, data("abc"));
    sbappend(sb, data("defg"));
    assert(sb->sb_cc == 7 && sb->sb_mb->m_len == 7 && sb->sb_mb->m_nextpkt == NULL); /* compressed */
    sbdrop(sb, 5);
    assert(sb->sb_cc == 2 && memcmp(sb->sb_mb->m_data, "fg", 2) == 0);
    sbcheck(sb);
    sbappend(sb, data(""));
    assert(sb->sb_cc == 2 && sb->sb_mb->m_next == NULL);
    assert(sbspace(sb) == 2000 - 2);
    sbflush(sb);
    assert(sb->sb_cc == 0 && sb->sb_mbcnt == 0 && sb->sb_mb == NULL);
    bsd_socket_close(so);
}

static void test_buffers_of_records(void) {
    struct socket *so = made();
    struct sockbuf *sb = &so->so_rcv;
    sbappendrecord(sb, data("one"));
    sbappendrecord(sb, data("two"));
    assert(sb->sb_mb->m_nextpkt && memcmp(sb->sb_mb->m_nextpkt->m_data, "two", 3) == 0);
    sbappend(sb, data("more")); /* to the last record */
    assert(sb->sb_cc == 10 && sb->sb_mb->m_nextpkt->m_len == 7);
    struct mbuf *m = data("end");
    m->m_flags |= M_EOR;
    sbappend(sb, m);
    sbappend(sb, data("next"));
    assert(sb->sb_mb->m_nextpkt->m_nextpkt && sb->sb_mb->m_nextpkt->m_flags & M_EOR);
    struct mbuf *urgent = data("!");
    urgent->m_type = MT_OOBDATA;
    sbinsertoob(sb, urgent);
    assert(sb->sb_mb == urgent && memcmp(urgent->m_nextpkt->m_data, "one", 3) == 0);
    sbdroprecord(sb);
    sbdroprecord(sb);
    assert(memcmp(sb->sb_mb->m_data, "twomoreend", 10) == 0);
    sbcheck(sb);
    sbdrop(sb, 12); /* across records */
    assert(sb->sb_cc == 2);
    bsd_socket_close(so);
}

static void test_buffers_of_datagrams(void) {
    struct socket *so = made();
    struct sockaddr from = {.sa_len = sizeof from, .sa_family = FAMILY, .sa_data = "sender"};
    assert(sbappendaddr(&so->so_rcv, &from, data("hello"), NULL) == 1);
    struct mbuf *m = so->so_rcv.sb_mb;
    assert(m->m_type == MT_SONAME && m->m_len == sizeof from && memcmp(m->m_next->m_data, "hello", 5) == 0);
    struct mbuf *rights = m_get(M_DONTWAIT, MT_CONTROL);
    rights->m_len = 8;
    assert(sbappendcontrol(&so->so_rcv, data("x"), rights) == 1 && m->m_nextpkt == rights);
    struct mbuf *large = data("y");
    MCLGET(large, M_DONTWAIT);
    large->m_len = large->m_pkthdr.len = 2000;
    assert(sbappendaddr(&so->so_rcv, &from, large, NULL) == 0); /* no room: it stays the caller's */
    m_freem(large);
    sbcheck(&so->so_rcv);
    bsd_socket_close(so);
}

static void test_reserves(void) {
    struct socket *so = made();
    assert(soreserve(so, 1000, 3000) == 0 && so->so_snd.sb_hiwat == 1000 && so->so_rcv.sb_hiwat == 3000);
    assert(so->so_snd.sb_lowat == 1000 && so->so_rcv.sb_lowat == 1);
    assert(sbreserve(&so->so_rcv, 100UL << 20) == 0 && soreserve(so, 1000, 100UL << 20) == ENOBUFS);
    bsd_socket_close(so);
}

static void test_states_of_a_connection(void) {
    struct socket *so = made();
    soisconnecting(so);
    assert(so->so_state & SS_ISCONNECTING);
    soisconnected(so);
    assert((so->so_state & (SS_ISCONNECTING | SS_ISCONNECTED)) == SS_ISCONNECTED && bsd_next_marked() == so);
    socantsendmore(so);
    socantrcvmore(so);
    assert(so->so_state & SS_CANTSENDMORE && so->so_state & SS_CANTRCVMORE);
    soisdisconnecting(so);
    assert(so->so_state & SS_ISDISCONNECTING);
    soisdisconnected(so);
    assert(!(so->so_state & (SS_ISCONNECTED | SS_ISDISCONNECTING)));
    sohasoutofband(so);
    assert(so->bsd_flags & BSD_URGENT && bsd_next_marked() == so && bsd_next_marked() == NULL);
    bsd_socket_close(so);
}

static void test_incoming_connections(void) {
    struct socket *head = made(), *so[4];
    head->so_options |= SO_ACCEPTCONN | SO_KEEPALIVE;
    head->so_qlimit = 2;
    for (int i = 0; i < 4; i++)
        so[i] = sonewconn(head, 0);
    assert(so[3] && sonewconn(head, 0) == NULL); /* three halves of the limit */
    assert(head->so_q0len == 4 && head->so_qlen == 0 && so[0]->so_options & SO_KEEPALIVE);
    assert(!(so[0]->so_options & SO_ACCEPTCONN) && so[0]->so_head == head && so[0]->so_rcv.sb_hiwat == 2000);
    soisconnected(so[1]);
    assert(head->so_q == so[1] && head->so_qlen == 1 && head->so_q0len == 3 && bsd_next_marked() == head);
    assert(soqremque(so[1], 0) == 0 && soqremque(so[1], 1) == 1 && head->so_qlen == 0);
    soqinsque(head, so[1], 1);
    (void)soabort(so[0]);
    assert(head->so_q0len == 2);
    refuse_attach = 1;
    assert(sonewconn(head, 0) == NULL && head->so_q0len == 2);
    refuse_attach = 0;
    bsd_socket_close(head); /* ends those that wait */
    assert(bsd_next_marked() == NULL);
}

static void test_an_aborted_connection_ends_when_its_protocol_says_so(void) {
    struct socket *head = made(), *so;
    head->so_options |= SO_ACCEPTCONN;
    head->so_qlimit = 2;
    so = sonewconn(head, SS_ISCONFIRMING);
    assert(so && head->so_qlen == 1 && so->so_state & SS_ISCONFIRMING);
    abort_lingers = 1;
    bsd_socket_close(head); /* does not wait for it */
    abort_lingers = 0;
    assert(so->so_pcb && !so->so_head && so->so_state & SS_NOFDREF);
    bsd_bury();
    soisdisconnecting(so);
    so->so_pcb = NULL;
    soisdisconnected(so);
    sofree(so);
    assert(so->bsd_flags & BSD_DEAD && bsd_next_marked() == NULL);
    bsd_bury();
}

static void woken(void *argument) { sorwakeup((struct socket *)argument); }

static void test_waiting_for_a_buffer(void) {
    struct socket *so = made();
    bsd_timeout(woken, so, hz);
    assert(sbwait(&so->so_rcv) == 0 && !(so->so_rcv.sb_flags & SB_WAIT)); /* the timeout came forward */
    assert(sbwait(&so->so_rcv) == EWOULDBLOCK);
    so->so_rcv.sb_flags = 0;
    assert(bsd_next_marked() == so);
    bsd_socket_close(so);
}

int main(void) {
    begin();
    RUN(buffers_of_bytes);
    RUN(buffers_of_records);
    RUN(buffers_of_datagrams);
    RUN(reserves);
    RUN(states_of_a_connection);
    RUN(incoming_connections);
    RUN(an_aborted_connection_ends_when_its_protocol_says_so);
    RUN(waiting_for_a_buffer);
    finish();
    return 0;
}
