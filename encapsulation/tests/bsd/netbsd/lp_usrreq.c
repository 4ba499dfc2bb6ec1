/*
 * LP: user requests and control.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/kernel.h>
#include <sys/proc.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/ioctl.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/errno.h>
#include <sys/queue.h>

#include <net/if.h>
#include <net/raw_cb.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/if_ether.h>

#include "lp.h"

static int lp_ifinit __P((struct ifnet *, struct lp_ifaddr *,
	    struct sockaddr_lp *));

static struct lp_ifaddr *
lp_newia(ifp)
	struct ifnet *ifp;
{
	struct lp_ifaddr *ia;
#ifndef NetBSD
	struct ifaddr *ifa;
#endif

	MALLOC(ia, struct lp_ifaddr *, sizeof(*ia), M_IFADDR, M_WAITOK);
	bzero((caddr_t)ia, sizeof(*ia));
	ia->ia_ifa.ifa_addr = (struct sockaddr *)&ia->ia_addr;
	ia->ia_ifa.ifa_broadaddr = (struct sockaddr *)&ia->ia_broadaddr;
	ia->ia_ifa.ifa_netmask = (struct sockaddr *)&ia->ia_mask;
	ia->ia_ifp = ifp;
	ia->ia_probes = -1;
#ifdef NetBSD
	TAILQ_INSERT_TAIL(&lp_ifaddr, ia, ia_list);
	TAILQ_INSERT_TAIL(&ifp->if_addrlist, &ia->ia_ifa, ifa_list);
#else
	ia->ia_next = lp_ifaddr;
	lp_ifaddr = ia;
	for (ifa = ifp->if_addrlist; ifa->ifa_next; ifa = ifa->ifa_next)
		;
	ifa->ifa_next = &ia->ia_ifa;
#endif
	return (ia);
}

static int
lp_fail()
{

	(void) tsleep((caddr_t)&lp_resolved, PZERO, "lpfail", hz);
	panic("lp: told to fail");
}

int
lp_control(cmd, data, ifp, p)
	u_long cmd;
	caddr_t data;
	struct ifnet *ifp;
	struct proc *p;
{
	struct ifreq *ifr = (struct ifreq *)data;
	struct lp_ifaddr *ia = ifp ? lp_iaonif(ifp) : 0;
	struct ether_multistep step;
	struct ether_multi *enm;

	switch (cmd) {

	case SIOCSIFADDR:
		if (p == 0 || suser(p->p_ucred, &p->p_acflag))
			return (EPERM);
		if (ia == 0)
			ia = lp_newia(ifp);
		return (lp_ifinit(ifp, ia, satoslp(&ifr->ifr_addr)));

	case SIOCGIFADDR:
		if (ia == 0 || ia->ia_addr.slp_node == 0)
			return (EADDRNOTAVAIL);
		*satoslp(&ifr->ifr_addr) = ia->ia_addr;
		return (0);

	case SIOCLPMULTI:
		ifr->ifr_metric = 0;
		ETHER_FIRST_MULTI(step, (struct arpcom *)ifp, enm);
		while (enm != NULL) {
			ifr->ifr_metric++;
			ETHER_NEXT_MULTI(step, enm);
		}
		return (0);

	case SIOCLPFAIL:
		return (lp_fail());

	default:
		if (ifp == 0 || ifp->if_ioctl == 0)
			return (EOPNOTSUPP);
		return ((*ifp->if_ioctl)(ifp, cmd, data));
	}
}

static int
lp_ifinit(ifp, ia, slp)
	struct ifnet *ifp;
	struct lp_ifaddr *ia;
	struct sockaddr_lp *slp;
{
	struct ifreq ifr;
	int error, s = splimp();

	if (ia->ia_ifa.ifa_flags & IFA_ROUTE)
		(void) rtinit(&ia->ia_ifa, RTM_DELETE, 0);
	ia->ia_ifa.ifa_flags &= ~IFA_ROUTE;
	ia->ia_addr = *slp;
	ia->ia_broadaddr = ia->ia_addr;
	ia->ia_broadaddr.slp_node = 255;
	ia->ia_mask = ia->ia_addr;
	ia->ia_mask.slp_node = ifp->if_flags & IFF_LOOPBACK ? 0xff : 0;
	ia->ia_mask.slp_port = 0;
	ia->ia_mask.slp_len = 5;
	if ((ifp->if_flags & IFF_LOOPBACK) == 0) {
		ia->ia_probes = 10;
		ia->ia_taken = 0;
		timeout(lpprobe, (caddr_t)ia, hz / 5);
		error = tsleep((caddr_t)ia, PPAUSE | PCATCH, "lpprobe", 0);
		if (error == 0 && ia->ia_taken)
			error = EADDRINUSE;
		if (error) {
			untimeout(lpprobe, (caddr_t)ia);
			ia->ia_addr.slp_node = 0;
			ia->ia_probes = -1;
			splx(s);
			return (error);
		}
		bzero((caddr_t)&ifr, sizeof(ifr));
		bcopy((caddr_t)lp_multicast, ifr.ifr_addr.sa_data, 6);
		(void) (*ifp->if_ioctl)(ifp, SIOCADDMULTI, (caddr_t)&ifr);
	}
	error = (*ifp->if_ioctl)(ifp, SIOCSIFADDR, (caddr_t)ia);
	if (error == 0)
		error = rtinit(&ia->ia_ifa, RTM_ADD, RTF_UP);
	if (error == 0)
		ia->ia_ifa.ifa_flags |= IFA_ROUTE;
	splx(s);
	return (error);
}

static int
lp_attach(so)
	struct socket *so;
{
	struct lpcb *lp;
	int error;

	if ((error = soreserve(so, 2048, 20 * 1024)) != 0)
		return (error);
	MALLOC(lp, struct lpcb *, sizeof(*lp), M_PCB, M_WAITOK);
	bzero((caddr_t)lp, sizeof(*lp));
	lp->lp_socket = so;
	so->so_pcb = (caddr_t)lp;
#ifdef NetBSD
	LIST_INSERT_HEAD(&lpcb, lp, lp_list);
#else
	insque(lp, &lpcb);
#endif
	return (0);
}

static void
lp_detach(lp)
	struct lpcb *lp;
{
	struct socket *so = lp->lp_socket;

	so->so_pcb = 0;
	sofree(so);
#ifdef NetBSD
	LIST_REMOVE(lp, lp_list);
#else
	remque(lp);
#endif
	free((caddr_t)lp, M_PCB);
}

int
lp_usrreq(so, req, m, nam, control, p)
	struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
	struct proc *p;
{
	struct lpcb *lp = sotolpcb(so);
	struct sockaddr_lp *slp;
	static u_short next = 128;
	int error = 0;

	if (req == PRU_CONTROL)
#ifdef NetBSD
		return (lp_control((u_long)m, (caddr_t)nam,
		    (struct ifnet *)control, p));
#else
		return (lp_control((u_long)m, (caddr_t)nam,
		    (struct ifnet *)control, curproc));
#endif
	if (control && control->m_len) {
		error = EINVAL;
		goto release;
	}
	if (lp == 0 && req != PRU_ATTACH) {
		error = EINVAL;
		goto release;
	}
	switch (req) {

	case PRU_ATTACH:
		error = lp ? EINVAL : lp_attach(so);
		break;

	case PRU_DETACH:
		lp_detach(lp);
		break;

	case PRU_BIND:
		lp->lp_port = nam ? mtod(nam, struct sockaddr_lp *)->slp_port :
		    htons(next++);
		break;

	case PRU_SEND:
		if (nam == 0) {
			error = ENOTCONN;
			break;
		}
		slp = mtod(nam, struct sockaddr_lp *);
		error = lp_output(m, slp->slp_node, slp->slp_port,
		    lp->lp_port);
		m = 0;
		break;

	case PRU_SHUTDOWN:
		socantsendmore(so);
		break;

	case PRU_SOCKADDR:
		slp = mtod(nam, struct sockaddr_lp *);
		nam->m_len = sizeof(*slp);
		bzero((caddr_t)slp, sizeof(*slp));
		slp->slp_len = sizeof(*slp);
		slp->slp_family = AF_LP;
		slp->slp_port = lp->lp_port;
		break;

	case PRU_RCVD:
	case PRU_SENSE:
		return (0);

	default:
		error = EOPNOTSUPP;
	}
release:
	if (m)
		m_freem(m);
	return (error);
}

/*
 * Raw sockets: all datagrams that arrive.
 */
int
lp_rawusrreq(so, req, m, nam, control, p)
	struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
	struct proc *p;
{

	if (req == PRU_ATTACH) {
		if (so->so_pcb)
			return (EINVAL);
		MALLOC(so->so_pcb, caddr_t, sizeof(struct rawcb), M_PCB,
		    M_WAITOK);
		bzero(so->so_pcb, sizeof(struct rawcb));
	}
	if (req == PRU_BIND)
		return (0);		/* they have no names */
#ifdef NetBSD
	return (raw_usrreq(so, req, m, nam, control, p));
#else
	return (raw_usrreq(so, req, m, nam, control));
#endif
}

int
lp_rawoutput(m, so)
	struct mbuf *m;
	struct socket *so;
{
	struct sockaddr_lp *slp = satoslp(sotorawcb(so)->rcb_faddr);

	return (lp_output(m, slp->slp_node, slp->slp_port, 0));
}
