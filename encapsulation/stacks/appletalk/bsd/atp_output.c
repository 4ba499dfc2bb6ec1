/*
 * ATP output and timeouts.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>
#include <sys/errno.h>
#include <sys/socket.h>
#include <sys/socketvar.h>

#include <net/if.h>
#include <net/route.h>

#include "core/ddp.h"
#include "core/atp.h"
#include "at.h"
#include "at_var.h"
#include "ddp_var.h"
#include "atp_var.h"

/*
 * Send a packet: the headers in an mbuf of their own, then what follows
 * the ATP header in m.  If keep is set, m stays the caller's.
 */
int
atp_output(atp, to, h, user, m, keep)
	struct atpcb *atp;
	struct at_address *to;
	struct at_atp *h;
	at_byte *user;
	register struct mbuf *m;
	int keep;
{
	register struct mbuf *m0;
	register at_byte *p;
	struct at_datagram d;
	int len = 0;

	if (m)
		len = m->m_pkthdr.len - AT_ATP_HEADER;
	MGETHDR(m0, M_DONTWAIT, MT_HEADER);
	if (m0 == 0)
		goto nobufs;
	MH_ALIGN(m0, AT_LONG_HEADER + AT_ATP_HEADER);
	m0->m_len = AT_LONG_HEADER + AT_ATP_HEADER;
	m0->m_pkthdr.len = m0->m_len + len;
	d.to = *to;
	d.from.net = AT_ANY_NET;
	d.from.node = AT_ANY_NODE;
	d.from.socket = atp->atp_port;
	d.length = m0->m_pkthdr.len;
	d.checksum = 0;
	d.hops = 0;
	d.type = AT_TYPE_ATP;
	p = mtod(m0, at_byte *);
	at_long_write(p, &d);
	p += AT_LONG_HEADER;
	at_atp_write(p, h);
	bcopy((caddr_t)user, (caddr_t)p + 4, 4);
	if (len > 0 && keep) {
		m = m_copy(m, AT_ATP_HEADER, M_COPYALL);
		if (m == 0) {
			m_freem(m0);
			return (ENOBUFS);
		}
		m0->m_next = m;
	} else if (len > 0) {
		m_adj(m, AT_ATP_HEADER);
		m->m_flags &= ~M_PKTHDR;
		m0->m_next = m;
	} else if (m && keep == 0)
		m_freem(m);
	return (ddp_output(m0, (struct route *)0, 0));
nobufs:
	if (m && keep == 0)
		m_freem(m);
	return (ENOBUFS);
}

/*
 * Forget a request, and what there is of its response.
 */
void
atp_freerequest(rq)
	register struct at_request *rq;
{
	register int i;

	m_freem((struct mbuf *)rq->packet);
	rq->packet = 0;
	for (i = 0; i < AT_ATP_PACKETS; i++)
		if (rq->response[i]) {
			m_freem((struct mbuf *)rq->response[i]);
			rq->response[i] = 0;
		}
	at_request_close(&atp_requests, rq);
}

void
atp_freetransaction(one)
	register struct at_transaction *one;
{
	register int i;

	for (i = 0; i < AT_ATP_PACKETS; i++)
		if (one->response[i]) {
			m_freem((struct mbuf *)one->response[i]);
			one->response[i] = 0;
		}
	at_transaction_close(&atp_transactions, one);
}

/*
 * No response came: the user gets the header of the request back,
 * with function zero.
 */
static void
atp_fail(rq)
	register struct at_request *rq;
{
	struct atpcb *atp = (struct atpcb *)rq->owner;
	struct at_address peer;
	struct at_atp h;
	register struct mbuf *m = (struct mbuf *)rq->packet;

	atpstat.expired++;
	peer = rq->peer;
	h.control = AT_ATP_FAILED;
	h.bitmap = rq->bitmap;
	h.tid = rq->reference;
	at_atp_write(mtod(m, at_byte *), &h);
	if (m->m_pkthdr.len > AT_ATP_HEADER)
		m_adj(m, AT_ATP_HEADER - m->m_pkthdr.len);
	rq->packet = 0;
	atp_freerequest(rq);
	(void) atp_deliver(atp, &peer, m);
}

/*
 * ATP slow timeout: requests are sent again or fail,
 * transactions that were never released are forgotten.
 */
void
atp_slowtimo()
{
	register struct at_request *rq;
	register struct at_transaction *one;
	struct at_atp h;
	at_short i;
	int again, s = splnet();

	atp_now += ATP_TICK;
	for (i = 0; atp_requests.used; ) {
		rq = at_request_due(&atp_requests, atp_now, &i, &again);
		if (rq == 0)
			break;
		if (again == 0) {
			atp_fail(rq);
			continue;
		}
		atpstat.resent++;
		at_request_header(rq, &h);
		(void) atp_output((struct atpcb *)rq->owner, &rq->peer, &h,
		    mtod((struct mbuf *)rq->packet, at_byte *) + 4,
		    (struct mbuf *)rq->packet, 1);
	}
	for (i = 0; atp_transactions.used; ) {
		one = at_transaction_due(&atp_transactions, atp_now, &i);
		if (one == 0)
			break;
		atpstat.forgotten++;
		atp_freetransaction(one);
	}
	splx(s);
}
