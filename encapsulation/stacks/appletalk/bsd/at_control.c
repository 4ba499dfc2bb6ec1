/*
 * AppleTalk addresses of interfaces, and names of sockets.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/ioctl.h>
#include <sys/errno.h>

#include <net/if.h>
#include <net/route.h>

#include "core/ddp.h"
#include "at.h"
#include "at_var.h"

struct at_node at_node;
struct ifnet *at_ifp[AT_PORTS];

/*
 * Get an address out of a name; also the DDP type.
 */
int
at_getname(nam, addr, type)
	struct mbuf *nam;
	struct at_address *addr;
	u_char *type;
{
	register struct sockaddr_at *sat;

	if (nam == 0 || nam->m_len < sizeof(struct sockaddr_at))
		return (EINVAL);
	sat = mtod(nam, struct sockaddr_at *);
	if (sat->sat_family != AF_APPLETALK)
		return (EAFNOSUPPORT);
	addr->net = ntohs(sat->sat_net);
	addr->node = sat->sat_node;
	addr->socket = sat->sat_port;
	*type = sat->sat_type;
	return (0);
}

void
at_putname(sat, addr, type)
	register struct sockaddr_at *sat;
	struct at_address *addr;
	int type;
{

	bzero((caddr_t)sat, sizeof(*sat));
	sat->sat_len = sizeof(*sat);
	sat->sat_family = AF_APPLETALK;
	sat->sat_port = addr->socket;
	sat->sat_type = type;
	sat->sat_net = htons(addr->net);
	sat->sat_node = addr->node;
}

/*
 * The number of an interface, or -1.
 */
int
at_ifport(ifp)
	register struct ifnet *ifp;
{
	register int i;

	for (i = 0; i < AT_PORTS; i++)
		if (at_ifp[i] == ifp)
			return (i);
	return (-1);
}

static struct at_ifaddr *
at_ifwithifp(ifp)
	struct ifnet *ifp;
{
	register struct ifaddr *ifa;

	for (ifa = ifp->if_addrlist; ifa; ifa = ifa->ifa_next)
		if (ifa->ifa_addr && ifa->ifa_addr->sa_family == AF_APPLETALK)
			return ((struct at_ifaddr *)ifa);
	return (0);
}

/*
 * Allocate an address for an interface and link it there.
 */
static struct at_ifaddr *
at_ifnew(ifp)
	struct ifnet *ifp;
{
	register struct at_ifaddr *aa;
	register struct ifaddr *ifa;
	int port;

	if ((port = at_ifport((struct ifnet *)0)) < 0)
		return (0);
	MALLOC(aa, struct at_ifaddr *, sizeof(*aa), M_IFADDR, M_NOWAIT);
	if (aa == 0)
		return (0);
	bzero((caddr_t)aa, sizeof(*aa));
	aa->aa_ifa.ifa_addr = (struct sockaddr *)&aa->aa_addr;
	aa->aa_ifa.ifa_dstaddr = (struct sockaddr *)&aa->aa_broadaddr;
	aa->aa_ifp = ifp;
	aa->aa_port = port;
	at_ifp[port] = ifp;
	if ((ifa = ifp->if_addrlist) != 0) {
		while (ifa->ifa_next)
			ifa = ifa->ifa_next;
		ifa->ifa_next = (struct ifaddr *)aa;
	} else
		ifp->if_addrlist = (struct ifaddr *)aa;
	return (aa);
}

int
at_control(so, cmd, data, ifp)
	struct socket *so;
	u_long cmd;
	caddr_t data;
	register struct ifnet *ifp;
{
	register struct ifreq *ifr = (struct ifreq *)data;
	register struct at_ifaddr *aa;
	struct sockaddr_at *sat = (struct sockaddr_at *)&ifr->ifr_addr;
	struct at_address addr;

	if (ifp == 0)
		return (EOPNOTSUPP);
	aa = at_ifwithifp(ifp);

	switch (cmd) {

	case SIOCGIFADDR:
		if (aa == 0)
			return (EADDRNOTAVAIL);
		*sat = aa->aa_addr;
		return (0);

	case SIOCSIFADDR:
		if ((so->so_state & SS_PRIV) == 0)
			return (EPERM);
		if (sat->sat_family != AF_APPLETALK || sat->sat_node == 0 ||
		    sat->sat_node == AT_BROADCAST)
			return (EINVAL);
		if (aa == 0 && (aa = at_ifnew(ifp)) == 0)
			return (ENOBUFS);
		addr.net = ntohs(sat->sat_net);
		addr.node = sat->sat_node;
		addr.socket = 0;
		at_putname(&aa->aa_addr, &addr, 0);
		addr.node = AT_BROADCAST;
		at_putname(&aa->aa_broadaddr, &addr, 0);
		(void) at_node_set(&at_node, aa->aa_port, addr.net,
		    sat->sat_node);
		if (ifp->if_ioctl)
			return ((*ifp->if_ioctl)(ifp, SIOCSIFADDR,
			    (caddr_t)aa));
		return (0);

	default:
		if (ifp->if_ioctl == 0)
			return (EOPNOTSUPP);
		return ((*ifp->if_ioctl)(ifp, cmd, data));
	}
}
