/*
 * LP: resolution of addresses.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/syslog.h>
#include <sys/proc.h>
#include <sys/queue.h>

#include <net/if.h>
#include <net/if_dl.h>
#include <net/if_llc.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/if_ether.h>

#include "lp.h"

struct lptab {
	u_char	lt_station[6];
	u_char	lt_known;
	struct	mbuf *lt_hold;
} lptab[256];

u_char lp_org_code[3] = { 0x02, 0x00, 0x25 };
u_char lp_multicast[6] = { 0x03, 0x00, 0x00, 0x00, 0x00, 0x25 };
int lp_resolved;

static void
lparpsend(ifp, op, tpa, tha)
	struct ifnet *ifp;
	int op, tpa;
	u_char *tha;
{
	struct mbuf *m;
	struct lparp *la;
	struct llc *llc;
	struct sockaddr sa;
	struct ether_header *eh = (struct ether_header *)sa.sa_data;

	if ((m = m_gethdr(M_DONTWAIT, MT_DATA)) == NULL)
		return;
	m->m_len = m->m_pkthdr.len = sizeof(*la);
	MH_ALIGN(m, sizeof(*la));
	la = mtod(m, struct lparp *);
	bzero((caddr_t)la, sizeof(*la));
	la->la_hdr.ar_hrd = htons(ARPHRD_ETHER);
	la->la_hdr.ar_pro = htons(LPTYPE_DATA);
	la->la_hdr.ar_hln = 6;
	la->la_hdr.ar_pln = 1;
	la->la_hdr.ar_op = htons(op);
	bcopy(LP_STATION(ifp), (caddr_t)la->la_sha, 6);
	la->la_spa = lp_iaonif(ifp)->ia_addr.slp_node;
	la->la_tpa = tpa;
	if (op == LPOP_REPLY)
		bcopy((caddr_t)tha, (caddr_t)la->la_tha, 6);
	bcopy((caddr_t)tha, (caddr_t)eh->ether_dhost, 6);
	M_PREPEND(m, sizeof(struct llc), M_WAIT);
	llc = mtod(m, struct llc *);
	llc->llc_dsap = llc->llc_ssap = LLC_SNAP_LSAP;
	llc->llc_control = LLC_UI;
	bcopy((caddr_t)lp_org_code, (caddr_t)llc->llc_org_code, 3);
	llc->llc_ether_type = htons(LPTYPE_RESOLVE);
#ifdef NetBSD
	eh->ether_type = 0;		/* if_output takes it for 802.3 */
#else
	eh->ether_type = sizeof(struct llc) + sizeof(*la); /* it will swap */
#endif
	sa.sa_len = sizeof(sa);
	sa.sa_family = AF_UNSPEC;
	(void) (*ifp->if_output)(ifp, m, &sa, (struct rtentry *)0);
}

/*
 * 1: desten is filled in.  0: the packet waits.
 */
int
lpresolve(ifp, m, dst, desten)
	struct ifnet *ifp;
	struct mbuf *m;
	struct sockaddr_lp *dst;
	u_char *desten;
{
	struct lptab *lt = &lptab[dst->slp_node];
	struct lp_ifaddr *ia = lp_iaonif(ifp);

	if (dst->slp_node == 255) {
		bcopy((caddr_t)lp_multicast, (caddr_t)desten, 6);
		return (1);
	}
	if (ia && ia->ia_addr.slp_node == dst->slp_node) {
		bcopy(LP_STATION(ifp), (caddr_t)desten, 6);
		return (1);
	}
	if (lt->lt_known) {
		bcopy((caddr_t)lt->lt_station, (caddr_t)desten, 6);
		return (1);
	}
	if (lt->lt_hold)
		m_freem(lt->lt_hold);
	lt->lt_hold = m;
	lparpsend(ifp, LPOP_REQUEST, dst->slp_node, etherbroadcastaddr);
	return (0);
}

void
lparpinput(ifp, m)
	struct ifnet *ifp;
	struct mbuf *m;
{
	struct lparp *la = mtod(m, struct lparp *);
	struct lp_ifaddr *ia = lp_iaonif(ifp);
	struct lptab *lt;
	struct sockaddr_lp dst;
	int op;

	if (m->m_len < sizeof(*la) || ia == 0 ||
	    ntohs(la->la_hdr.ar_pro) != LPTYPE_DATA)
		goto out;
	op = ntohs(la->la_hdr.ar_op);
	if (bcmp((caddr_t)la->la_sha, LP_STATION(ifp), 6) == 0)
		goto out;
	if (la->la_spa == ia->ia_addr.slp_node) {
		if (ia->ia_probes >= 0) {
			ia->ia_taken = 1;
			untimeout(lpprobe, (caddr_t)ia);
			wakeup((caddr_t)ia);
			goto out;
		} else if (op != LPOP_PROBE) {
			log(LOG_ERR, "lp: duplicate address %s\n",
			    ether_sprintf(la->la_sha));
			goto out;
		}
	}
	lt = &lptab[la->la_spa];
	if (op != LPOP_PROBE) {
		bcopy((caddr_t)la->la_sha, (caddr_t)lt->lt_station, 6);
		lt->lt_known = 1;
		lp_resolved++;
		if (lt->lt_hold) {
			bzero((caddr_t)&dst, sizeof(dst));
			dst.slp_len = sizeof(dst);
			dst.slp_family = AF_LP;
			dst.slp_node = la->la_spa;
			(void) (*ifp->if_output)(ifp, lt->lt_hold,
			    (struct sockaddr *)&dst, (struct rtentry *)0);
			lt->lt_hold = 0;
		}
	}
	if (la->la_tpa == ia->ia_addr.slp_node && op != LPOP_REPLY &&
	    ia->ia_probes < 0)
		lparpsend(ifp, LPOP_REPLY, la->la_spa, la->la_sha);
out:
	m_freem(m);
}

/*
 * An address is ours when ten probes have had no answer.
 */
void
lpprobe(arg)
	void *arg;
{
	struct lp_ifaddr *ia = arg;

	if (ia->ia_probes == 0) {
		ia->ia_probes = -1;
		wakeup((caddr_t)ia);
		return;
	}
	ia->ia_probes--;
	timeout(lpprobe, (caddr_t)ia, hz / 5);
	lparpsend(ia->ia_ifp, LPOP_PROBE, ia->ia_addr.slp_node,
	    etherbroadcastaddr);
}
