/*
 * Control blocks, addresses, packets of the test protocols.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/ioctl.h>
#include <sys/errno.h>

#include <net/if.h>
#include <net/netisr.h>
#include <net/route.h>
#include <netinet/in_systm.h>

#include "tp.h"

int	tdp_input(), tdp_usrreq(), tsp_input(), tsp_usrreq(), tp_ctloutput();
int	tp_init(), tsp_fasttimo(), tsp_slowtimo(), tp_drain(), tp_ctlinput();

struct tpcb tpcb;
struct ifqueue tpintrq;
int tp_node, tp_fasts, tp_slows, tp_drains, tp_ticks, tp_option;
static u_short tp_port = 1024;

struct protosw tpsw[] = {
{ SOCK_DGRAM,	&tpdomain,	TPPROTO_TDP,	PR_ATOMIC|PR_ADDR,
  tdp_input,	0,		tp_ctlinput,	tp_ctloutput,
  tdp_usrreq,
  tp_init,	0,		0,		tp_drain,
},
{ SOCK_STREAM,	&tpdomain,	TPPROTO_TSP,	PR_CONNREQUIRED|PR_WANTRCVD,
  tsp_input,	0,		tp_ctlinput,	tp_ctloutput,
  tsp_usrreq,
  0,		tsp_fasttimo,	tsp_slowtimo,	0,
},
};

struct domain tpdomain =
    { AF_TP, "test", 0, 0, 0,
      tpsw, &tpsw[sizeof(tpsw)/sizeof(tpsw[0])] };

static
tp_tick(arg)
	caddr_t arg;
{

	tp_ticks++;
	timeout(tp_tick, arg, hz);
}

tp_init()
{

	tpcb.tp_next = tpcb.tp_prev = &tpcb;
	tpintrq.ifq_maxlen = IFQ_MAXLEN;
	timeout(tp_tick, (caddr_t)0, hz);
}

tp_drain()
{

	tp_drains++;
}

tp_ctlinput(cmd, sa, arg)
	int cmd;
	struct sockaddr *sa;
	caddr_t arg;
{
}

tp_ctloutput(op, so, level, optname, mp)
	int op, level, optname;
	struct socket *so;
	struct mbuf **mp;
{
	register struct mbuf *m;

	if (level != AF_TP || optname != 1) {
		if (op == PRCO_SETOPT && *mp)
			(void) m_free(*mp);
		return (EINVAL);
	}
	if (op == PRCO_SETOPT) {
		tp_option = *mtod(*mp, int *);
		(void) m_free(*mp);
	} else {
		*mp = m = m_get(M_WAIT, MT_SOOPTS);
		m->m_len = sizeof(int);
		*mtod(m, int *) = tp_option;
	}
	return (0);
}

tp_attach(so, proto)
	struct socket *so;
	int proto;
{
	register struct tpcb *tp;
	int error;

	if (so->so_snd.sb_hiwat == 0 &&
	    (error = soreserve(so, (u_long)8192, (u_long)8192)))
		return (error);
	MALLOC(tp, struct tpcb *, sizeof(*tp), M_PCB, M_NOWAIT);
	if (tp == NULL)
		return (ENOBUFS);
	bzero((caddr_t)tp, sizeof(*tp));
	tp->tp_socket = so;
	tp->tp_proto = proto;
	tp->tp_win = 512;
	insque(tp, &tpcb);
	so->so_pcb = (caddr_t)tp;
	return (0);
}

tp_detach(tp)
	register struct tpcb *tp;
{
	struct socket *so = tp->tp_socket;

	so->so_pcb = 0;
	remque(tp);
	FREE(tp, M_PCB);
	sofree(so);
}

struct tpcb *
tp_lookup(proto, lport, fnode, fport)
{
	register struct tpcb *tp, *match = 0;

	for (tp = tpcb.tp_next; tp != &tpcb; tp = tp->tp_next) {
		if (tp->tp_proto != proto || tp->tp_lport != lport)
			continue;
		if (tp->tp_fport == fport && tp->tp_fnode == fnode)
			return (tp);
		if (tp->tp_fport == 0)
			match = tp;
	}
	return (match);
}

tp_bind(tp, nam)
	register struct tpcb *tp;
	struct mbuf *nam;
{
	register struct sockaddr_tp *stp;
	u_short port = 0;

	if (tp->tp_lport)
		return (EINVAL);
	if (nam) {
		stp = mtod(nam, struct sockaddr_tp *);
		if (nam->m_len != sizeof(*stp))
			return (EINVAL);
		if (stp->stp_family != AF_TP)
			return (EAFNOSUPPORT);
		port = ntohs(stp->stp_port);
		if (port && tp_lookup(tp->tp_proto, port, 0, 0))
			return (EADDRINUSE);
	}
	while (port == 0)
		if (++tp_port && !tp_lookup(tp->tp_proto, tp_port, 0, 0))
			port = tp_port;
	tp->tp_lport = port;
	return (0);
}

tp_setname(nam, node, port)
	register struct mbuf *nam;
{
	register struct sockaddr_tp *stp = mtod(nam, struct sockaddr_tp *);

	nam->m_len = sizeof(*stp);
	bzero((caddr_t)stp, sizeof(*stp));
	stp->stp_len = sizeof(*stp);
	stp->stp_family = AF_TP;
	stp->stp_node = node;
	stp->stp_port = htons((u_short)port);
}

tp_control(cmd, data, ifp)
	u_long cmd;
	caddr_t data;
	register struct ifnet *ifp;
{
	struct sockaddr_tp *stp =
	    (struct sockaddr_tp *)&((struct ifreq *)data)->ifr_addr;

	if (ifp == 0)
		return (EOPNOTSUPP);
	switch (cmd) {

	case SIOCSIFADDR:
		tp_node = stp->stp_node;
		return ((*ifp->if_ioctl)(ifp, cmd, (caddr_t)0));

	case SIOCGIFADDR:
		stp->stp_node = tp_node;
		return (0);
	}
	return (EOPNOTSUPP);
}

/*
 * Prepend the header and send.
 */
tp_output(m, proto, flags, node, lport, fport, seq, ack, win)
	register struct mbuf *m;
	u_int seq, ack;
{
	register struct tphdr *th;
	struct sockaddr dst;

	M_PREPEND(m, sizeof(struct tphdr), M_DONTWAIT);
	if (m == 0)
		return (ENOBUFS);
	th = mtod(m, struct tphdr *);
	th->th_to = node;
	th->th_from = tp_node;
	th->th_proto = proto;
	th->th_flags = flags;
	th->th_sport = htons((u_short)lport);
	th->th_dport = htons((u_short)fport);
	th->th_seq = htonl(seq);
	th->th_ack = htonl(ack);
	th->th_win = htons((u_short)win);
	th->th_sum = 0;
	th->th_sum = in_cksum(m, m->m_pkthdr.len);
	if (ifnet == 0 || (ifnet->if_flags & IFF_UP) == 0) {
		m_freem(m);
		return (ENETDOWN);
	}
	dst.sa_family = AF_UNSPEC;
	return ((*ifnet->if_output)(ifnet, m, &dst, (struct rtentry *)0));
}

tpintr()
{
	register struct mbuf *m;
	register struct tphdr *th;
	int s, proto;

next:
	s = splimp();
	IF_DEQUEUE(&tpintrq, m);
	splx(s);
	if (m == 0)
		return;
	if (m->m_pkthdr.rcvif == 0)
		panic("tpintr: no interface");
	if ((m->m_flags & M_EXT || m->m_len < sizeof(struct tphdr)) &&
	    (m = m_pullup(m, sizeof(struct tphdr))) == 0)
		goto next;
	th = mtod(m, struct tphdr *);
	if (dtom(th) != m)
		panic("tpintr: dtom");
	if (th->th_to != tp_node || in_cksum(m, m->m_pkthdr.len)) {
		m_freem(m);
		goto next;
	}
	proto = th->th_proto;
	if (proto == 255)
		panic("tpintr: protocol %d", proto);
	NTOHS(th->th_sport);
	NTOHS(th->th_dport);
	NTOHS(th->th_win);
	NTOHL(th->th_seq);
	NTOHL(th->th_ack);
	if (proto == TPPROTO_TDP)
		tdp_input(m, th);
	else if (proto == TPPROTO_TSP)
		tsp_input(m, th);
	else
		m_freem(m);
	goto next;
}
