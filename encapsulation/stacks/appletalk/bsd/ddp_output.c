/*
 * DDP output.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>
#include <sys/errno.h>
#include <sys/socket.h>
#include <sys/socketvar.h>

#include <net/if.h>
#include <net/route.h>
#include <net/netisr.h>

#include "core/ddp.h"
#include "at.h"
#include "at_var.h"
#include "ddp_var.h"

int ddp_cksum = 0;

static at_short
ddp_sum(m)
	register struct mbuf *m;
{
	register int skip = AT_CHECKSUM_FROM;
	at_short sum = 0;

	for (; m; m = m->m_next) {
		if (m->m_len > skip)
			sum = at_checksum_add(sum, mtod(m, at_byte *) + skip,
			    m->m_len - skip);
		skip = m->m_len > skip ? 0 : skip - m->m_len;
	}
	return (at_checksum_sent(sum));
}

/*
 * Add the header of the link.
 */
static struct mbuf *
ddp_lap(m, to, from, type)
	register struct mbuf *m;
	int to, from, type;
{
	register at_byte *lap;

	M_PREPEND(m, AT_LAP_HEADER, M_DONTWAIT);
	if (m == 0)
		return (0);
	lap = mtod(m, at_byte *);
	lap[0] = to;
	lap[1] = from;
	lap[2] = type;
	return (m);
}

/*
 * To ourselves: the datagram arrives without an interface, and has no
 * header of a link.
 */
static int
ddp_loop(m)
	register struct mbuf *m;
{
	int s;

	m->m_pkthdr.rcvif = 0;
	s = splimp();
	if (IF_QFULL(&ddpintrq)) {
		IF_DROP(&ddpintrq);
		splx(s);
		ddpstat.dropped[AT_DDP_NO_ROOM]++;
		m_freem(m);
		return (ENOBUFS);
	}
	IF_ENQUEUE(&ddpintrq, m);
	schednetisr(NETISR_ATALK);
	splx(s);
	ddpstat.looped++;
	return (0);
}

/*
 * Send a datagram.  It begins with a long header, in which the caller has
 * set receiver, sender (node zero: ours) and type.  We fill in the rest.
 */
int
ddp_output(m, ro, flags)
	register struct mbuf *m;
	struct route *ro;
	int flags;
{
	struct at_datagram d;
	struct at_route route;
	struct sockaddr_at dst;
	struct ifnet *ifp;
	struct mbuf *copy;
	at_byte *hdr;
	int error, type = AT_LAP_LONG;

	if (m->m_len < AT_LONG_HEADER &&
	    (m = m_pullup(m, AT_LONG_HEADER)) == 0)
		return (ENOBUFS);
	if (m->m_pkthdr.len > AT_DDP_MOST) {
		error = EMSGSIZE;
		goto bad;
	}
	hdr = mtod(m, at_byte *);
	d.to.net = at_get_short(hdr + 4);
	d.to.node = hdr[8];
	d.to.socket = hdr[10];
	d.from.net = at_get_short(hdr + 6);
	d.from.node = hdr[9];
	d.from.socket = hdr[11];
	d.type = hdr[12];
	d.hops = 0;
	d.length = m->m_pkthdr.len;
	d.checksum = 0;
	if (d.to.node == AT_ANY_NODE || d.type == 0) {
		error = EADDRNOTAVAIL;
		goto bad;
	}
	if (at_node_route(&at_node, &d.to, &route) != AT_DDP_GOOD) {
		ddpstat.dropped[AT_DDP_UNREACHABLE]++;
		error = ENETUNREACH;
		goto bad;
	}
	if (d.from.node == AT_ANY_NODE) {
		d.from.net = at_node.port[route.own].net;
		d.from.node = at_node.port[route.own].node;
	}
	at_long_write(hdr, &d);
	if (ddp_cksum)
		at_put_short(hdr + 2, ddp_sum(m));
	ddpstat.sent++;

	if (route.local) {
		if (route.port < 0)
			return (ddp_loop(m));
		if ((copy = m_copy(m, 0, M_COPYALL)) != 0)
			(void) ddp_loop(copy);
	}
	ifp = at_ifp[route.port];
	if (at_node.port[route.port].net == AT_ANY_NET) {
		/* a network without a number has no router */
		m_adj(m, AT_LONG_HEADER - AT_SHORT_HEADER);
		d.length -= AT_LONG_HEADER - AT_SHORT_HEADER;
		at_short_write(mtod(m, at_byte *), &d);
		type = AT_LAP_SHORT;
	}
	if ((m = ddp_lap(m, route.next, at_node.port[route.port].node,
	    type)) == 0)
		return (ENOBUFS);
	bzero((caddr_t)&dst, sizeof(dst));
	dst.sat_len = sizeof(dst);
	dst.sat_family = AF_APPLETALK;
	dst.sat_net = htons(d.to.net);
	dst.sat_node = route.next;
	return ((*ifp->if_output)(ifp, m, (struct sockaddr *)&dst,
	    (struct rtentry *)0));
bad:
	m_freem(m);
	return (error);
}
