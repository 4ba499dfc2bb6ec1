/*
 * TSP: a stream with connections.  Segments out of order wait.
 */
#include "param.h"
#include "systm.h"
#include "mbuf.h"
#include "protosw.h"
#include "socket.h"
#include "socketvar.h"
#include "errno.h"
#include "../net/if.h"
#include "../netinet/in_systm.h"

#include "tp.h"

tsp_segment(tp, flags, seq, m)
	register struct tpcb *tp;
	u_int seq;
	struct mbuf *m;
{
	int win = sbspace(&tp->tp_socket->so_rcv);

	if (m == 0) {
		MGET(m, M_DONTWAIT, MT_HEADER);
		if (m == 0)
			return (ENOBUFS);
		m->m_off = MMAXOFF;
		m->m_len = 0;
	}
	tp->tp_flags &= ~TPF_ACKNOW;
	return (tp_output(m, TPPROTO_TSP, flags, tp->tp_fnode, tp->tp_lport,
	    tp->tp_fport, seq, tp->tp_rcv, win < 0 ? 0 : win));
}

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
		len = MIN(so->so_snd.sb_cc, (int)tp->tp_win) - off;
		len = MIN(len, TSP_MSS);
		if (len <= 0)
			break;
		m = m_copy(so->so_snd.sb_mb, off, len);
		if (m == 0)
			return;
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

static
tsp_ack(tp, th)
	register struct tpcb *tp;
	register struct tphdr *th;
{
	register struct socket *so = tp->tp_socket;
	register int acked = th->th_ack - tp->tp_una;

	tp->tp_win = th->th_win;
	if (acked <= 0 || acked > so->so_snd.sb_cc + 1)
		return;
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
}

/*
 * Keep a segment that comes too early.
 */
static
tsp_keep(tp, m)
	register struct tpcb *tp;
	struct mbuf *m;
{
	register struct mbuf **mp;
	u_int seq = mtod(m, struct tphdr *)->th_seq;
	int n = 0;

	for (mp = &tp->tp_early; *mp; mp = &(*mp)->m_act, n++)
		if (mtod(*mp, struct tphdr *)->th_seq == seq)
			break;
	if (*mp || n == TSP_EARLY) {
		m_freem(m);
		return;
	}
	m->m_act = 0;
	*mp = m;
}

/*
 * Take a segment's data, and that of those behind it which are here.
 */
static
tsp_take(tp, m)
	register struct tpcb *tp;
	register struct mbuf *m;
{
	struct sockbuf *sb = &tp->tp_socket->so_rcv;
	register struct mbuf *n, **mp;
	register struct tphdr *th;

	while (m) {
		m->m_off += sizeof(struct tphdr);
		m->m_len -= sizeof(struct tphdr);
		for (n = m; n; n = n->m_next)
			tp->tp_rcv += n->m_len;
		sbappend(sb, m);
		m = 0;
		for (mp = &tp->tp_early; *mp; ) {
			th = mtod(*mp, struct tphdr *);
			if ((int)(th->th_seq - tp->tp_rcv) > 0 || m) {
				mp = &(*mp)->m_act;
				continue;
			}
			{
				struct mbuf *here = *mp;

				*mp = here->m_act;
				here->m_act = 0;
				if (th->th_seq == tp->tp_rcv)
					m = here;
				else
					m_freem(here);
			}
		}
	}
	sorwakeup(tp->tp_socket);
}

tsp_input(m, len)
	register struct mbuf *m;
{
	register struct tphdr *th = mtod(m, struct tphdr *);
	register struct tpcb *tp;
	register struct socket *so;

	len -= sizeof(struct tphdr);
	tp = tp_lookup(TPPROTO_TSP, th->th_dport, th->th_from, th->th_sport);
	if (tp == 0 || tp->tp_state == TPS_CLOSED) {
		int node = th->th_from, lport = th->th_dport,
		    fport = th->th_sport;
		u_int seq = th->th_ack;

		if (th->th_flags & TH_RST)
			goto drop;
		m_freem(m->m_next);
		m->m_next = 0;
		m->m_off = MMAXOFF;
		m->m_len = 0;
		(void) tp_output(m, TPPROTO_TSP, TH_RST, node, lport, fport,
		    seq, 0, 0);
		return;
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
		    (so = sonewconn(so)) == 0)
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
		else if (th->th_flags & TH_ACK)
			tsp_ack(tp, th);
		break;
	}
	if (th->th_flags & TH_OOB && len > 0) {
		m_copydata(m, (int)sizeof(struct tphdr), 1, &tp->tp_oob);
		tp->tp_flags |= TPF_HAVEOOB;
		sohasoutofband(so);
		goto drop;
	}
	if (len > 0 || th->th_flags & TH_FIN)
		tp->tp_flags |= TPF_ACKNOW;
	if (tp->tp_flags & TPF_FINRCVD)
		m_freem(m);
	else if (len > 0 && (int)(th->th_seq - tp->tp_rcv) > 0 &&
	    (int)(th->th_seq - tp->tp_rcv) < sbspace(&so->so_rcv))
		tsp_keep(tp, m);
	else if (th->th_seq != tp->tp_rcv)
		m_freem(m);
	else if (len > 0 && sbspace(&so->so_rcv) >= len)
		tsp_take(tp, m);
	else {
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
