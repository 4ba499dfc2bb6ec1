/*
 * ATP input.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/socketvar.h>

#include <net/if.h>
#include <net/route.h>

#include "core/ddp.h"
#include "core/atp.h"
#include "at.h"
#include "at_var.h"
#include "atp_var.h"

struct atpcb atpcb;
struct at_sockets atp_sockets;
struct at_requests atp_requests;
struct at_transactions atp_transactions;
struct at_atp_counts atpstat;
at_long atp_now;

int atp_retry = 2000;			/* ms */
int atp_retries = 8;

static struct at_request atp_req[ATP_NREQ];
static struct at_transaction atp_trans[ATP_NTRANS];

void
atp_init()
{

	atpcb.atp_next = atpcb.atp_prev = &atpcb;
	at_sockets_init(&atp_sockets);
	at_requests_init(&atp_requests, atp_req, ATP_NREQ,
	    (at_short)random(), atp_retry, atp_retries);
	at_transactions_init(&atp_transactions, atp_trans, ATP_NTRANS);
}

/*
 * Give a message to the user.  Returns zero if there is no room.
 */
int
atp_deliver(atp, addr, m)
	struct atpcb *atp;
	struct at_address *addr;
	register struct mbuf *m;
{
	struct sockaddr_at from;

	at_putname(&from, addr, ATPROTO_ATP);
	if (sbappendaddr(&atp->atp_socket->so_rcv, (struct sockaddr *)&from,
	    m, (struct mbuf *)0) == 0) {
		atpstat.dropped[AT_ATP_FULL]++;
		m_freem(m);
		return (0);
	}
	sorwakeup(atp->atp_socket);
	return (1);
}

/*
 * Send again what we sent of the packets that the requester misses.
 */
static void
atp_again(atp, one)
	struct atpcb *atp;
	register struct at_transaction *one;
{
	register struct mbuf *m;
	struct at_atp h;
	register int i;

	at_transaction_answered(one, atp_now);
	for (i = 0; i < AT_ATP_PACKETS; i++) {
		m = (struct mbuf *)one->response[i];
		if (m == 0 || (one->bitmap >> i & 1) == 0)
			continue;
		(void) at_atp_read(mtod(m, at_byte *), m->m_len, &h);
		(void) atp_output(atp, &one->peer, &h,
		    mtod(m, at_byte *) + 4, m, 1);
		atpstat.resent++;
	}
}

/*
 * A request.
 */
static void
atp_request(atp, from, h, m)
	register struct atpcb *atp;
	struct at_address *from;
	struct at_atp *h;
	register struct mbuf *m;
{
	struct at_transaction *one;
	enum at_atp_fault fault;

	switch (at_request_arrived(&atp_transactions, from, atp->atp_port,
	    (void *)atp, h, atp_now, &one, &fault)) {

	case AT_DELIVER:
		atpstat.requests++;
		if (atp_deliver(atp, from, m) == 0 && one)
			at_transaction_close(&atp_transactions, one);
		return;

	case AT_RESEND:
		atp_again(atp, one);
		break;

	default:
		atpstat.dropped[fault]++;
	}
	m_freem(m);
}

/*
 * All of a response is there.
 */
static void
atp_complete(atp, rq)
	register struct atpcb *atp;
	register struct at_request *rq;
{
	struct at_address peer;
	struct at_atp h;
	struct mbuf *pkt[AT_ATP_PACKETS];
	register struct mbuf *m;
	register int i, last = rq->last;
	int reference = rq->reference;
	static at_byte none[4];

	peer = rq->peer;
	if (rq->control & AT_ATP_XO) {
		h.control = AT_ATP_RELEASE;
		h.bitmap = 0;
		h.tid = rq->tid;
		(void) atp_output(atp, &peer, &h, none, (struct mbuf *)0, 0);
	}
	for (i = 0; i <= last; i++) {
		pkt[i] = (struct mbuf *)rq->response[i];
		rq->response[i] = 0;
	}
	atp_freerequest(rq);
	for (i = 0; i <= last; i++) {
		if ((m = pkt[i]) == 0)
			continue;
		at_put_short(mtod(m, at_byte *) + 2, reference);
		(void) atp_deliver(atp, &peer, m);
	}
}

/*
 * A packet of a response.
 */
static void
atp_response(atp, from, h, m)
	register struct atpcb *atp;
	struct at_address *from;
	struct at_atp *h;
	register struct mbuf *m;
{
	struct at_request *rq;
	struct at_atp again;
	enum at_atp_fault fault;
	register int what;

	what = at_response_arrived(&atp_requests, from, h, atp_now, &rq,
	    &fault);
	if (what == 0 || rq->owner != (void *)atp) {
		atpstat.dropped[what ? AT_ATP_UNKNOWN : fault]++;
		m_freem(m);
		return;
	}
	atpstat.responses++;
	rq->response[h->bitmap] = (void *)m;
	if (what & AT_DONE)
		atp_complete(atp, rq);
	else if (what & AT_ASK) {
		at_request_header(rq, &again);
		(void) atp_output(atp, &rq->peer, &again,
		    mtod((struct mbuf *)rq->packet, at_byte *) + 4,
		    (struct mbuf *)rq->packet, 1);
	}
}

/*
 * From DDP: a datagram with a long header of hlen bytes.
 */
void
atp_input(m, hlen)
	register struct mbuf *m;
	int hlen;
{
	struct at_address from;
	struct at_atp h;
	struct at_transaction *one;
	register at_byte *hdr;
	register struct atpcb *atp;
	int fault = AT_ATP_MALFORMED;

	if (m->m_pkthdr.len < hlen + AT_ATP_HEADER ||
	    m->m_pkthdr.len > hlen + AT_ATP_HEADER + AT_ATP_DATA)
		goto bad;
	if (m->m_len < hlen + AT_ATP_HEADER &&
	    (m = m_pullup(m, hlen + AT_ATP_HEADER)) == 0) {
		atpstat.dropped[AT_ATP_FULL]++;
		return;
	}
	hdr = mtod(m, at_byte *);
	if (hlen != AT_LONG_HEADER || at_long_sender(hdr, &from) != AT_TYPE_ATP)
		goto bad;
	atp = (struct atpcb *)atp_sockets.owner[hdr[AT_LONG_RECEIVER]];
	m->m_data += hlen;
	m->m_len -= hlen;
	m->m_pkthdr.len -= hlen;
	(void) at_atp_read(mtod(m, at_byte *), m->m_len, &h);
	fault = AT_ATP_UNKNOWN;
	if (atp == 0)
		goto bad;

	switch (h.control & AT_ATP_FUNCTION) {

	case AT_ATP_REQUEST:
		atp_request(atp, &from, &h, m);
		return;

	case AT_ATP_RESPONSE:
		atp_response(atp, &from, &h, m);
		return;

	case AT_ATP_RELEASE:
		one = at_transaction_find(&atp_transactions, &from,
		    atp->atp_port, h.tid);
		if (one == 0)
			goto bad;
		atpstat.releases++;
		atp_freetransaction(one);
		m_freem(m);
		return;
	}
	fault = AT_ATP_MALFORMED;
bad:
	atpstat.dropped[fault]++;
	m_freem(m);
}
