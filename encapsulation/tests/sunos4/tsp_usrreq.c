/*
 * TSP: user requests.
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

tsp_usrreq(so, req, m, nam, rights)
	register struct socket *so;
	int req;
	struct mbuf *m, *nam, *rights;
{
	register struct tpcb *tp = sototpcb(so);
	register struct sockaddr_tp *stp;
	int error = 0;

	if (req == PRU_CONTROL)
		return (tp_control((int)m, (caddr_t)nam,
		    (struct ifnet *)rights));
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
