/*
 * LP: the domain, input and output.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/proc.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/errno.h>
#include <sys/queue.h>

#include <net/if.h>
#include <net/if_dl.h>
#include <net/netisr.h>
#include <net/radix.h>
#include <net/raw_cb.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/if_ether.h>

#include "lp.h"

struct protosw lpsw[] = {
{ SOCK_DGRAM,	&lpdomain,	1,	PR_ATOMIC|PR_ADDR,
  0,		0,		0,		0,
  lp_usrreq,
  lp_init,	0,		0,		0,
},
{ SOCK_RAW,	&lpdomain,	0,	PR_ATOMIC|PR_ADDR,
  0,		lp_rawoutput,	raw_ctlinput,	0,
  lp_rawusrreq,
  raw_init,	0,		0,		0,
},
};

struct domain lpdomain =
    { AF_LP, "lp", 0, 0, 0,
      lpsw, &lpsw[sizeof(lpsw)/sizeof(lpsw[0])], 0,
      rn_inithead, 32, sizeof(struct sockaddr_lp) };

struct ifqueue lpintrq;
#ifdef NetBSD
struct lp_ifaddrhead lp_ifaddr;
struct lpcbhead lpcb;
#else
struct lp_ifaddr *lp_ifaddr;
struct lpcb lpcb;
#endif

void
lp_init()
{

	lpintrq.ifq_maxlen = IFQ_MAXLEN;
#ifdef NetBSD
	TAILQ_INIT(&lp_ifaddr);
	LIST_INIT(&lpcb);
#else
	lpcb.lp_next = lpcb.lp_prev = &lpcb;
#endif
}

struct lp_ifaddr *
lp_iaonif(ifp)
	struct ifnet *ifp;
{
	struct lp_ifaddr *ia;

#ifdef NetBSD
	for (ia = lp_ifaddr.tqh_first; ia; ia = ia->ia_list.tqe_next)
#else
	for (ia = lp_ifaddr; ia; ia = ia->ia_next)
#endif
		if (ia->ia_ifp == ifp)
			break;
	return (ia);
}

static void
lp_input(m)
	struct mbuf *m;
{
	struct lphdr *lh;
	struct lpcb *lp;
	struct mbuf *n;
	struct sockaddr_lp from, to;
	struct sockproto proto;
	struct lp_ifaddr *ia = lp_iaonif(m->m_pkthdr.rcvif);

	if (m->m_len < sizeof(struct lphdr) &&
	    (m = m_pullup(m, sizeof(struct lphdr))) == 0)
		return;
	lh = mtod(m, struct lphdr *);
	if (ia == 0 || (lh->lh_to != ia->ia_addr.slp_node &&
	    lh->lh_to != 255)) {
		m_freem(m);
		return;
	}
	bzero((caddr_t)&from, sizeof(from));
	from.slp_len = sizeof(from);
	from.slp_family = AF_LP;
	from.slp_node = lh->lh_from;
	from.slp_port = lh->lh_sport;
	to = from;
	to.slp_node = lh->lh_to;
	to.slp_port = lh->lh_dport;
	m_adj(m, sizeof(struct lphdr));
	if ((n = m_copy(m, 0, (int)M_COPYALL)) != 0) {
		proto.sp_family = AF_LP;
		proto.sp_protocol = 1;
		raw_input(n, &proto, (struct sockaddr *)&from,
		    (struct sockaddr *)&to);
	}
#ifdef NetBSD
	for (lp = lpcb.lh_first; lp; lp = lp->lp_list.le_next)
		if (lp->lp_port == to.slp_port)
			break;
	if (lp == 0) {
#else
	for (lp = lpcb.lp_next; lp != &lpcb; lp = lp->lp_next)
		if (lp->lp_port == to.slp_port)
			break;
	if (lp == &lpcb) {
#endif
		m_freem(m);
		return;
	}
	if (sbappendaddr(&lp->lp_socket->so_rcv, (struct sockaddr *)&from, m,
	    (struct mbuf *)0) == 0)
		m_freem(m);
	else
		sorwakeup(lp->lp_socket);
}

void
lpintr()
{
	struct mbuf *m;
	int s;

	for (;;) {
		s = splimp();
		IF_DEQUEUE(&lpintrq, m);
		splx(s);
		if (m == 0)
			return;
		lp_input(m);
	}
}

int
lp_output(m, node, dport, sport)
	struct mbuf *m;
	int node;
	u_short dport, sport;
{
	struct lphdr *lh;
	struct lp_ifaddr *ia;
	struct ifnet *ifp;
	struct rtentry *rt;
	struct sockaddr_lp dst;

	bzero((caddr_t)&dst, sizeof(dst));
	dst.slp_len = sizeof(dst);
	dst.slp_family = AF_LP;
	dst.slp_node = node;
	if ((rt = rtalloc1((struct sockaddr *)&dst, 1)) == 0) {
		m_freem(m);
		return (ENETUNREACH);
	}
	ifp = rt->rt_ifp;
	rt->rt_use++;
	RTFREE(rt);
	ia = lp_iaonif(ifp);
	M_PREPEND(m, sizeof(struct lphdr), M_DONTWAIT);
	if (m == 0)
		return (ENOBUFS);
	lh = mtod(m, struct lphdr *);
	lh->lh_to = node;
	lh->lh_from = ia->ia_addr.slp_node;
	lh->lh_dport = dport;
	lh->lh_sport = sport;
	return ((*ifp->if_output)(ifp, m, (struct sockaddr *)&dst,
	    (struct rtentry *)0));
}
