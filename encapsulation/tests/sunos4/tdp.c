/*
 * TDP: datagrams.
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

#define	TDP_REFUSED	TH_RST

struct	sockaddr_tp tdp_from = { AF_TP };

tdp_input(m, len)
	register struct mbuf *m;
{
	register struct tphdr *th = mtod(m, struct tphdr *);
	register struct tpcb *tp;

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

		m_freem(m->m_next);
		m->m_next = 0;
		m->m_off = MMAXOFF;
		m->m_len = 0;
		(void) tp_output(m, TPPROTO_TDP, TDP_REFUSED, node, lport,
		    fport, 0, 0, 0);
		return;
	}
	tdp_from.stp_node = th->th_from;
	tdp_from.stp_port = htons(th->th_sport);
	m->m_off += sizeof(struct tphdr);
	m->m_len -= sizeof(struct tphdr);
	if (sbappendaddr(&tp->tp_socket->so_rcv, (struct sockaddr *)&tdp_from,
	    m, (struct mbuf *)0) == 0)
		m_freem(m);
	else
		sorwakeup(tp->tp_socket);
}

tdp_usrreq(so, req, m, nam, rights)
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
	if (rights && rights->m_len) {
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
		tp_detach(tp);
		break;

	case PRU_ABORT:
		soisdisconnected(so);
		tp_detach(tp);
		break;

	case PRU_BIND:
		error = tp_bind(tp, nam);
		break;

	case PRU_SEND:
		if (nam == 0 ||
		    (tp->tp_lport == 0 && (error = tp_bind(tp, (struct mbuf *)0)))) {
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
		m = NULL;
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
