/*
 * TDP: datagrams.
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

#define	TDP_REFUSED	TH_RST

tdp_input(m, th)
	register struct mbuf *m;
	register struct tphdr *th;
{
	register struct tpcb *tp;
	struct sockaddr_tp from;

	tp = tp_lookup(TPPROTO_TDP, th->th_dport, th->th_from, th->th_sport);
	if (th->th_flags & TDP_REFUSED) {
		if (tp) {
			tp->tp_socket->so_error = ECONNREFUSED;
			sorwakeup(tp->tp_socket);
		}
		m_freem(m);
		return;
	}
	if (tp == 0) {
		int node = th->th_from, lport = th->th_dport,
		    fport = th->th_sport;

		m_adj(m, m->m_pkthdr.len);
		m->m_data = m->m_pktdat + MHLEN;
		(void) tp_output(m, TPPROTO_TDP, TDP_REFUSED, node, lport,
		    fport, 0, 0, 0);
		return;
	}
	bzero((caddr_t)&from, sizeof(from));
	from.stp_len = sizeof(from);
	from.stp_family = AF_TP;
	from.stp_node = th->th_from;
	from.stp_port = htons(th->th_sport);
	m_adj(m, sizeof(struct tphdr));
	if (sbappendaddr(&tp->tp_socket->so_rcv, (struct sockaddr *)&from, m,
	    (struct mbuf *)0) == 0)
		m_freem(m);
	else
		sorwakeup(tp->tp_socket);
}

tdp_usrreq(so, req, m, nam, control)
	register struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
{
	register struct tpcb *tp = sototpcb(so);
	register struct sockaddr_tp *stp;
	int error = 0;

	if (req == PRU_CONTROL)
		return (tp_control((u_long)m, (caddr_t)nam, control));
	if (control && control->m_len) {
		error = EINVAL;
		goto release;
	}
	if (tp == 0 && req != PRU_ATTACH) {
		error = EINVAL;
		goto release;
	}
	switch (req) {

	case PRU_ATTACH:
		error = tp_attach(so, TPPROTO_TDP);
		break;

	case PRU_DETACH:
	case PRU_ABORT:
		soisdisconnected(so);
		tp_detach(tp);
		break;

	case PRU_BIND:
		error = tp_bind(tp, nam);
		break;

	case PRU_SEND:
		if (nam == 0 || (tp->tp_lport == 0 && (error = tp_bind(tp, 0)))) {
			error = EDESTADDRREQ;
			break;
		}
		stp = mtod(nam, struct sockaddr_tp *);
		if (stp->stp_family != AF_TP) {
			error = EAFNOSUPPORT;
			break;
		}
		error = tp_output(m, TPPROTO_TDP, 0, stp->stp_node,
		    tp->tp_lport, ntohs(stp->stp_port), 0, 0, 0);
		m = 0;
		break;

	case PRU_SOCKADDR:
		tp_setname(nam, tp_node, tp->tp_lport);
		break;

	case PRU_SENSE:
		return (0);

	case PRU_SHUTDOWN:
		socantsendmore(so);
		break;

	default:
		error = EOPNOTSUPP;
	}
release:
	if (m != NULL)
		m_freem(m);
	return (error);
}
