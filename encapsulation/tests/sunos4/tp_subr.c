/*
 * Control blocks, addresses, packets of the test protocols.
 */
#include "param.h"
#include "systm.h"
#include "dir.h"
#include "user.h"
#include "kernel.h"
#include "mbuf.h"
#include "protosw.h"
#include "domain.h"
#include "socket.h"
#include "socketvar.h"
#include "ioctl.h"
#include "errno.h"

#include "../net/if.h"
#include "../net/route.h"
#include "../netinet/in_systm.h"

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

tp_ctlinput(cmd, sa)
	int cmd;
	struct sockaddr *sa;
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
	register struct mbuf *m;
	int error;

	if (so->so_snd.sb_hiwat == 0 &&
	    (error = soreserve(so, 8192, 8192)))
		return (error);
	m = m_getclr(M_DONTWAIT, MT_PCB);
	if (m == NULL)
		return (ENOBUFS);
	tp = mtod(m, struct tpcb *);
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
	register struct mbuf *m;

	while (m = tp->tp_early) {
		tp->tp_early = m->m_act;
		m_freem(m);
	}
	so->so_pcb = 0;
	sofree(so);
	remque(tp);
	(void) m_free(dtom(tp));
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
		if (port && port < 8 && u.u_uid != 0)
			return (EACCES);
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
	stp->stp_family = AF_TP;
	stp->stp_node = node;
	stp->stp_port = htons((u_short)port);
}

tp_control(cmd, data, ifp)
	int cmd;
	caddr_t data;
	register struct ifnet *ifp;
{
	struct sockaddr_tp *stp =
	    (struct sockaddr_tp *)&((struct ifreq *)data)->ifr_addr;

	if (ifp == 0)
		return (EOPNOTSUPP);
	switch (cmd) {

	case SIOCGIFADDR:
		stp->stp_node = tp_node;
		return (0);
	}
	if (!suser())
		return (u.u_error);
	switch (cmd) {

	case SIOCSIFADDR:
		tp_node = stp->stp_node;
		return ((*ifp->if_ioctl)(ifp, cmd, (caddr_t)0));
	}
	return (EOPNOTSUPP);
}

/*
 * Prepend the header and send.
 */
tp_output(m0, proto, flags, node, lport, fport, seq, ack, win)
	struct mbuf *m0;
	u_int seq, ack;
{
	register struct mbuf *m = m0;
	register struct tphdr *th;
	register int len;
	struct sockaddr dst;

	if (m->m_off > MMAXOFF || m->m_off < MMINOFF + sizeof(struct tphdr)) {
		m = m_get(M_DONTWAIT, MT_HEADER);
		if (m == 0) {
			m_freem(m0);
			return (ENOBUFS);
		}
		m->m_off = MMAXOFF - sizeof(struct tphdr);
		m->m_len = sizeof(struct tphdr);
		m->m_next = m0;
	} else {
		m->m_off -= sizeof(struct tphdr);
		m->m_len += sizeof(struct tphdr);
	}
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
	for (len = 0, m0 = m; m0; m0 = m0->m_next)
		len += m0->m_len;
	th->th_sum = in_cksum(m, len);
	if (ifnet == 0 || (ifnet->if_flags & IFF_UP) == 0) {
		m_freem(m);
		return (ENETDOWN);
	}
	if (len > ifnet->if_mtu) {
		m_freem(m);
		return (EMSGSIZE);
	}
	dst.sa_family = AF_UNSPEC;
	return ((*ifnet->if_output)(ifnet, m, &dst));
}

tpintr()
{
	register struct mbuf *m, *m0;
	register struct tphdr *th;
	struct ifnet *ifp;
	int s, proto, len;

next:
	s = splimp();
	IF_DEQUEUEIF(&tpintrq, m, ifp);
	splx(s);
	if (m == 0)
		return;
	if (ifp != ifnet)
		panic("tpintr: no interface");
	if ((m->m_off > MMAXOFF || m->m_len < sizeof(struct tphdr)) &&
	    (m = m_pullup(m, sizeof(struct tphdr))) == 0)
		goto next;
	th = mtod(m, struct tphdr *);
	if (dtom(th) != m)
		panic("tpintr: dtom");
	for (len = 0, m0 = m; m0; m0 = m0->m_next)
		len += m0->m_len;
	if (th->th_to != tp_node || in_cksum(m, len)) {
		m_freem(m);
		goto next;
	}
	proto = th->th_proto;
	if (proto == 255)
		panic("tpintr: protocol %d", proto);
	th->th_sport = ntohs(th->th_sport);
	th->th_dport = ntohs(th->th_dport);
	th->th_win = ntohs(th->th_win);
	th->th_seq = ntohl(th->th_seq);
	th->th_ack = ntohl(th->th_ack);
	if (proto == TPPROTO_TDP)
		tdp_input(m, len);
	else if (proto == TPPROTO_TSP)
		tsp_input(m, len);
	else
		m_freem(m);
	goto next;
}
