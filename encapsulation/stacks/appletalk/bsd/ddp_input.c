/*
 * DDP input.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/protosw.h>
#include <sys/domain.h>

#include <net/if.h>
#include <net/route.h>
#include <net/netisr.h>

#include "core/ddp.h"
#include "at.h"
#include "at_var.h"
#include "ddp_var.h"

extern struct protosw atalksw[];

struct ifqueue ddpintrq;
int ddpqmaxlen = IFQ_MAXLEN;
struct at_ddp_counts ddpstat;
u_char ddp_protox[256];

/*
 * DDP initialization: fill in the DDP type switch.
 * All types without a protocol of their own go to sockets of DDP.
 */
void
ddp_init()
{
	register struct protosw *pr, *ddp = 0;
	register int i;

	for (pr = atalkdomain.dom_protosw;
	    pr < atalkdomain.dom_protoswNPROTOSW; pr++)
		if (pr->pr_protocol == ATPROTO_DDP)
			ddp = pr;
	if (ddp == 0)
		panic("ddp_init");
	for (i = 0; i < 256; i++)
		ddp_protox[i] = ddp - atalksw;
	for (pr = atalkdomain.dom_protosw;
	    pr < atalkdomain.dom_protoswNPROTOSW; pr++)
		if (pr->pr_protocol != ATPROTO_DDP)
			ddp_protox[pr->pr_protocol] = pr - atalksw;
	ddpcb.ddp_next = ddpcb.ddp_prev = &ddpcb;
	ddpintrq.ifq_maxlen = ddpqmaxlen;
	at_node_init(&at_node);
	at_sockets_init(&ddp_sockets);
}

/*
 * A short header becomes a long one, so that
 * the protocols above see only one form.
 */
static struct mbuf *
ddp_lengthen(m, d)
	register struct mbuf *m;
	struct at_datagram *d;
{

	m_adj(m, AT_SHORT_HEADER);
	M_PREPEND(m, AT_LONG_HEADER, M_DONTWAIT);
	if (m == 0)
		return (0);
	if (m->m_len < AT_LONG_HEADER &&
	    (m = m_pullup(m, AT_LONG_HEADER)) == 0)
		return (0);
	d->length += AT_LONG_HEADER - AT_SHORT_HEADER;
	d->header = AT_LONG_HEADER;
	at_long_write(mtod(m, at_byte *), d);
	return (m);
}

static int
ddp_badsum(m, d)
	register struct mbuf *m;
	struct at_datagram *d;
{
	register int skip = AT_CHECKSUM_FROM;
	at_short sum = 0;

	for (; m; m = m->m_next) {
		if (m->m_len > skip)
			sum = at_checksum_add(sum, mtod(m, at_byte *) + skip,
			    m->m_len - skip);
		skip = m->m_len > skip ? 0 : skip - m->m_len;
	}
	return (at_checksum_sent(sum) != d->checksum);
}

/*
 * Process one frame of a link.
 */
static void
ddp_frame(m)
	register struct mbuf *m;
{
	struct at_datagram d;
	at_byte lap[AT_LAP_HEADER];
	enum at_ddp_fault fault;
	int port = at_ifport(m->m_pkthdr.rcvif);
	int want = min(m->m_pkthdr.len, DDP_MAXHDR);

	ddpstat.received++;
	fault = AT_DDP_LINK;
	if (want < AT_LAP_HEADER || port < 0)
		goto bad;
	if (m->m_len < want && (m = m_pullup(m, want)) == 0) {
		ddpstat.dropped[AT_DDP_NO_ROOM]++;
		return;
	}
	bcopy(mtod(m, caddr_t), (caddr_t)lap, AT_LAP_HEADER);
	m->m_data += AT_LAP_HEADER;
	m->m_len -= AT_LAP_HEADER;
	m->m_pkthdr.len -= AT_LAP_HEADER;
	if (lap[2] == AT_LAP_LONG)
		fault = at_long_read(mtod(m, at_byte *),
		    want - AT_LAP_HEADER, m->m_pkthdr.len, &d);
	else if (lap[2] == AT_LAP_SHORT)
		fault = at_short_read(mtod(m, at_byte *),
		    want - AT_LAP_HEADER, m->m_pkthdr.len,
		    at_node.port[port].net, lap, &d);
	if (fault != AT_DDP_GOOD)
		goto bad;
	if (m->m_pkthdr.len > d.length)
		m_adj(m, (int)d.length - m->m_pkthdr.len);
	fault = AT_DDP_CHECKSUM;
	if (d.checksum != 0 && ddp_badsum(m, &d))
		goto bad;
	fault = AT_DDP_ELSEWHERE;
	if (!at_node_accepts(&at_node, port, &d.to))
		goto bad;
	if (d.header == AT_SHORT_HEADER && (m = ddp_lengthen(m, &d)) == 0) {
		ddpstat.dropped[AT_DDP_NO_ROOM]++;
		return;
	}
	(*atalksw[ddp_protox[d.type]].pr_input)(m, AT_LONG_HEADER);
	return;
bad:
	ddpstat.dropped[fault]++;
	m_freem(m);
}

/*
 * DDP software interrupt routine.
 */
void
ddpintr()
{
	register struct mbuf *m;
	int s, type;

	for (;;) {
		s = splimp();
		IF_DEQUEUE(&ddpintrq, m);
		splx(s);
		if (m == 0)
			return;
		if (m->m_pkthdr.rcvif != 0) {
			ddp_frame(m);
			continue;
		}
		/* our own, from ddp_output */
		type = mtod(m, at_byte *)[AT_LONG_TYPE];
		(*atalksw[ddp_protox[type]].pr_input)(m, AT_LONG_HEADER);
	}
}

/*
 * Datagrams for sockets of DDP itself.  ddpintr has checked the header.
 */
void
ddp_input(m, hlen)
	register struct mbuf *m;
	int hlen;
{
	register struct ddpcb *ddp;
	register at_byte *hdr = mtod(m, at_byte *);
	struct at_address src;
	struct sockaddr_at from;
	enum at_ddp_fault fault;
	int type = at_long_sender(hdr, &src);

	fault = AT_DDP_NO_SOCKET;
	ddp = (struct ddpcb *)ddp_sockets.owner[hdr[AT_LONG_RECEIVER]];
	if (ddp == 0 || (ddp->ddp_type != 0 && ddp->ddp_type != type) ||
	    (ddp->ddp_faddr.socket != 0 &&
	    !at_same_address(&ddp->ddp_faddr, &src)))
		goto bad;
	at_putname(&from, &src, type);
	m->m_data += hlen;
	m->m_len -= hlen;
	m->m_pkthdr.len -= hlen;
	fault = AT_DDP_NO_ROOM;
	if (sbappendaddr(&ddp->ddp_socket->so_rcv, (struct sockaddr *)&from,
	    m, (struct mbuf *)0) == 0)
		goto bad;
	sorwakeup(ddp->ddp_socket);
	return;
bad:
	ddpstat.dropped[fault]++;
	m_freem(m);
}
