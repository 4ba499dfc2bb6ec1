/*
 * TSP: a stream with connections, go back N.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/errno.h>
#include <netinet/in_systm.h>

#include "tp.h"

static
tsp_segment(tp, flags, seq, m)
	register struct tpcb *tp;
	u_int seq;
	struct mbuf *m;
{
	long win = sbspace(&tp->tp_socket->so_rcv);

	if (m == 0) {
		MGETHDR(m, M_DONTWAIT, MT_HEADER);
		if (m == 0)
			return (ENOBUFS);
		m->m_data += max_linkhdr + sizeof(struct tphdr);
		m->m_len = m->m_pkthdr.len = 0;
	}
	tp->tp_flags &= ~TPF_ACKNOW;
	return (tp_output(m, TPPROTO_TSP, flags, tp->tp_fnode, tp->tp_lport,
	    tp->tp_fport, seq, tp->tp_rcv, win < 0 ? 0 : (int)win));
}

static
tsp_drop(tp, error)
	register struct tpcb *tp;
{
	struct socket *so = tp->tp_socket;

	so->so_error = error;
	soisdisconnected(so);
	tp_detach(tp);
}

/*
 * Send what may be sent.
 */
tsp_output(tp)
	register struct tpcb *tp;
{
	register struct socket *so = tp->tp_socket;
	register int off, len;
	struct mbuf *m;

	while (tp->tp_state == TPS_OPEN) {
		off = tp->tp_nxt - tp->tp_una;
		len = min(so->so_snd.sb_cc - min(off, so->so_snd.sb_cc), TSP_MSS);
		len = min(len, tp->tp_win > off ? tp->tp_win - off : 0);
		if (len == 0)
			break;
		m = m_copy(so->so_snd.sb_mb, off, len);
		if (m && (m->m_flags & M_PKTHDR) == 0) {
			struct mbuf *h;

			MGETHDR(h, M_DONTWAIT, MT_HEADER);
			if (h) {
				MH_ALIGN(h, sizeof(struct tphdr));
				h->m_data += sizeof(struct tphdr);
				h->m_len = 0;
				h->m_next = m;
			} else
				m_freem(m);
			m = h;
		}
		if (m == 0)
			return;
		m->m_pkthdr.len = len;
		tp->tp_nxt += len;
		(void) tsp_segment(tp, TH_ACK, tp->tp_nxt - len, m);
		if (tp->tp_timer == 0)
			tp->tp_timer = 2;
	}
	if (tp->tp_state == TPS_OPEN && so->so_state & SS_CANTSENDMORE &&
	    (tp->tp_flags & TPF_FINACKED) == 0 &&
	    tp->tp_nxt - tp->tp_una == so->so_snd.sb_cc) {
		tp->tp_flags |= TPF_FINSENT;
		tp->tp_nxt++;
		(void) tsp_segment(tp, TH_FIN|TH_ACK, tp->tp_nxt - 1,
		    (struct mbuf *)0);
		if (tp->tp_timer == 0)
			tp->tp_timer = 2;
	}
	if (tp->tp_flags & TPF_ACKNOW)
		(void) tsp_segment(tp, TH_ACK, tp->tp_nxt, (struct mbuf *)0);
}

/*
 * An acknowledgement.  Returns whether the connection is gone.
 */
static
tsp_ack(tp, th)
	register struct tpcb *tp;
	register struct tphdr *th;
{
	register struct socket *so = tp->tp_socket;
	register int acked = th->th_ack - tp->tp_una;

	tp->tp_win = th->th_win;
	if (acked <= 0 || acked > so->so_snd.sb_cc + 1)
		return (0);
	tp->tp_una = th->th_ack;
	if ((int)(tp->tp_nxt - tp->tp_una) < 0)
		tp->tp_nxt = tp->tp_una;
	tp->tp_tries = 0;
	tp->tp_timer = tp->tp_nxt != tp->tp_una ? 2 : 0;
	if (acked > so->so_snd.sb_cc) {
		acked = so->so_snd.sb_cc;
		tp->tp_flags |= TPF_FINACKED;
	}
	sbdrop(&so->so_snd, acked);
	sowwakeup(so);
	return (0);
}

tsp_input(m, th)
	register struct mbuf *m;
	register struct tphdr *th;
{
	register struct tpcb *tp;
	register struct socket *so;
	int len = m->m_pkthdr.len - sizeof(struct tphdr);

	tp = tp_lookup(TPPROTO_TSP, th->th_dport, th->th_from, th->th_sport);
	if (tp == 0 || tp->tp_state == TPS_CLOSED) {
		struct tpcb none;
		struct socket noso;

		if ((th->th_flags & TH_RST) == 0) {
			bzero((caddr_t)&none, sizeof(none));
			bzero((caddr_t)&noso, sizeof(noso));
			none.tp_socket = &noso;
			none.tp_fnode = th->th_from;
			none.tp_fport = th->th_sport;
			none.tp_lport = th->th_dport;
			(void) tsp_segment(&none, TH_RST, th->th_ack,
			    (struct mbuf *)0);
		}
		goto drop;
	}
	so = tp->tp_socket;
	if (th->th_flags & TH_RST) {
		if (tp->tp_state != TPS_LISTEN)
			tsp_drop(tp, tp->tp_state == TPS_SYNSENT ?
			    ECONNREFUSED : ECONNRESET);
		goto drop;
	}
	switch (tp->tp_state) {

	case TPS_LISTEN:
		if ((th->th_flags & (TH_SYN|TH_ACK)) != TH_SYN ||
		    (so = sonewconn(so, 0)) == 0)
			goto drop;
		{
			u_short lport = tp->tp_lport;

			tp = sototpcb(so);
			tp->tp_lport = lport;
		}
		tp->tp_fnode = th->th_from;
		tp->tp_fport = th->th_sport;
		tp->tp_rcv = th->th_seq + 1;
		tp->tp_una = random();
		tp->tp_nxt = tp->tp_una + 1;
		tp->tp_state = TPS_SYNRCVD;
		tp->tp_timer = 2;
		(void) tsp_segment(tp, TH_SYN|TH_ACK, tp->tp_una,
		    (struct mbuf *)0);
		goto drop;

	case TPS_SYNSENT:
		if ((th->th_flags & (TH_SYN|TH_ACK)) != (TH_SYN|TH_ACK) ||
		    th->th_ack != tp->tp_nxt)
			goto drop;
		tp->tp_una = tp->tp_nxt;
		tp->tp_rcv = th->th_seq + 1;
		tp->tp_win = th->th_win;
		tp->tp_state = TPS_OPEN;
		tp->tp_timer = tp->tp_tries = 0;
		soisconnected(so);
		tp->tp_flags |= TPF_ACKNOW;
		tsp_output(tp);
		goto drop;

	case TPS_SYNRCVD:
		if (th->th_flags & TH_SYN || th->th_ack != tp->tp_nxt)
			goto drop;
		tp->tp_una = tp->tp_nxt;
		tp->tp_state = TPS_OPEN;
		tp->tp_timer = tp->tp_tries = 0;
		tp->tp_win = th->th_win;
		soisconnected(so);
		break;

	case TPS_OPEN:
		if (th->th_flags & TH_SYN)
			tp->tp_flags |= TPF_ACKNOW;
		else if (th->th_flags & TH_ACK && tsp_ack(tp, th))
			goto drop;
		break;
	}
	if (th->th_flags & TH_OOB && len > 0) {
		m_copydata(m, sizeof(struct tphdr), 1, &tp->tp_oob);
		tp->tp_flags |= TPF_HAVEOOB;
		sohasoutofband(so);
		goto drop;
	}
	if (len > 0 || th->th_flags & TH_FIN)
		tp->tp_flags |= TPF_ACKNOW;
	if (th->th_seq != tp->tp_rcv || tp->tp_flags & TPF_FINRCVD)
		m_freem(m);
	else if (len > 0 && sbspace(&so->so_rcv) >= len) {
		int fin = th->th_flags & TH_FIN;

		m_adj(m, sizeof(struct tphdr));
		tp->tp_rcv += len;
		sbappend(&so->so_rcv, m);
		sorwakeup(so);
		if (fin)
			tp->tp_rcv++;
	} else {
		if (len == 0 && th->th_flags & TH_FIN) {
			tp->tp_rcv++;
			tp->tp_flags |= TPF_FINRCVD;
			socantrcvmore(so);
		}
		m_freem(m);
	}
	tsp_output(tp);
	if (tp->tp_flags & TPF_FINACKED && tp->tp_flags & TPF_FINRCVD) {
		soisdisconnected(so);
		tp_detach(tp);
	}
	return;
drop:
	m_freem(m);
}

tsp_fasttimo()
{

	tp_fasts++;
}

tsp_slowtimo()
{
	register struct tpcb *tp, *next;

	tp_slows++;
	for (tp = tpcb.tp_next; tp != &tpcb; tp = next) {
		next = tp->tp_next;
		if (tp->tp_proto != TPPROTO_TSP || tp->tp_timer == 0 ||
		    --tp->tp_timer > 0)
			continue;
		if (++tp->tp_tries > TSP_TRIES) {
			tsp_drop(tp, ETIMEDOUT);
			continue;
		}
		tp->tp_timer = 2;
		switch (tp->tp_state) {
		case TPS_SYNSENT:
			(void) tsp_segment(tp, TH_SYN, tp->tp_una,
			    (struct mbuf *)0);
			break;
		case TPS_SYNRCVD:
			(void) tsp_segment(tp, TH_SYN|TH_ACK, tp->tp_una,
			    (struct mbuf *)0);
			break;
		case TPS_OPEN:
			tp->tp_nxt = tp->tp_una;
			if (tp->tp_win == 0)
				tp->tp_win = 1;
			tsp_output(tp);
			break;
		}
	}
}

tsp_usrreq(so, req, m, nam, control)
	register struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
{
	register struct tpcb *tp = sototpcb(so);
	register struct sockaddr_tp *stp;
	int error = 0;

	if (req == PRU_CONTROL)
		return (tp_control((u_long)m, (caddr_t)nam, control));
	if (tp == 0 && req != PRU_ATTACH) {
		if (m && (req == PRU_SEND || req == PRU_SENDOOB))
			m_freem(m);
		return (EINVAL);
	}
	switch (req) {

	case PRU_ATTACH:
		error = tp_attach(so, TPPROTO_TSP);
		break;

	case PRU_DETACH:
	case PRU_DISCONNECT:
		if (tp->tp_state < TPS_SYNRCVD) {
			soisdisconnected(so);
			tp_detach(tp);
		} else {
			soisdisconnecting(so);
			sbflush(&so->so_rcv);
			tsp_output(tp);
		}
		break;

	case PRU_BIND:
		error = tp_bind(tp, nam);
		break;

	case PRU_LISTEN:
		tp->tp_state = TPS_LISTEN;
		break;

	case PRU_CONNECT:
		stp = mtod(nam, struct sockaddr_tp *);
		if (stp->stp_family != AF_TP) {
			error = EAFNOSUPPORT;
			break;
		}
		if (tp->tp_lport == 0 && (error = tp_bind(tp, (struct mbuf *)0)))
			break;
		tp->tp_fnode = stp->stp_node;
		tp->tp_fport = ntohs(stp->stp_port);
		soisconnecting(so);
		tp->tp_state = TPS_SYNSENT;
		tp->tp_una = random();
		tp->tp_nxt = tp->tp_una + 1;
		tp->tp_timer = 2;
		error = tsp_segment(tp, TH_SYN, tp->tp_una, (struct mbuf *)0);
		break;

	case PRU_ACCEPT:
	case PRU_PEERADDR:
		tp_setname(nam, tp->tp_fnode, tp->tp_fport);
		break;

	case PRU_SHUTDOWN:
		socantsendmore(so);
		tsp_output(tp);
		break;

	case PRU_RCVD:
		(void) tsp_segment(tp, TH_ACK, tp->tp_nxt, (struct mbuf *)0);
		break;

	case PRU_SEND:
		sbappend(&so->so_snd, m);
		tsp_output(tp);
		break;

	case PRU_ABORT:
		(void) tsp_segment(tp, TH_RST, tp->tp_nxt, (struct mbuf *)0);
		tsp_drop(tp, ECONNABORTED);
		break;

	case PRU_RCVOOB:
		if ((tp->tp_flags & TPF_HAVEOOB) == 0) {
			error = EINVAL;
			break;
		}
		m->m_len = 1;
		*mtod(m, caddr_t) = tp->tp_oob;
		tp->tp_flags &= ~TPF_HAVEOOB;
		break;

	case PRU_SENDOOB:
		error = tsp_segment(tp, TH_OOB|TH_ACK, tp->tp_nxt, m);
		break;

	case PRU_SOCKADDR:
		tp_setname(nam, tp_node, tp->tp_lport);
		break;

	default:
		error = EOPNOTSUPP;
	}
	return (error);
}
