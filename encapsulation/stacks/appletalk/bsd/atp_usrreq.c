/*
 * ATP user requests.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/errno.h>

#include <net/if.h>
#include <net/route.h>

#include "core/ddp.h"
#include "core/atp.h"
#include "at.h"
#include "at_var.h"
#include "atp_var.h"

u_long	atp_sendspace = AT_ATP_HEADER + AT_ATP_DATA + 1;
u_long	atp_recvspace = 32 * (AT_ATP_HEADER + AT_ATP_DATA +
	    sizeof(struct sockaddr_at));

static int
atp_attach(so)
	struct socket *so;
{
	register struct atpcb *atp;
	int error;

	error = soreserve(so, atp_sendspace, atp_recvspace);
	if (error)
		return (error);
	MALLOC(atp, struct atpcb *, sizeof(*atp), M_PCB, M_NOWAIT);
	if (atp == 0)
		return (ENOBUFS);
	bzero((caddr_t)atp, sizeof(*atp));
	atp->atp_socket = so;
	so->so_pcb = (caddr_t)atp;
	insque(atp, &atpcb);
	return (0);
}

static void
atp_detach(atp)
	register struct atpcb *atp;
{
	register struct socket *so = atp->atp_socket;
	register int i;

	for (i = 0; i < ATP_NREQ; i++)
		if (atp_requests.slot[i].used &&
		    atp_requests.slot[i].owner == (void *)atp)
			atp_freerequest(&atp_requests.slot[i]);
	for (i = 0; i < ATP_NTRANS; i++)
		if (atp_transactions.slot[i].used &&
		    atp_transactions.slot[i].owner == (void *)atp)
			atp_freetransaction(&atp_transactions.slot[i]);
	if (atp->atp_port)
		at_socket_unbind(&atp_sockets, atp->atp_port);
	remque(atp);
	so->so_pcb = 0;
	sofree(so);
	FREE(atp, M_PCB);
}

static int
atp_bind(atp, nam)
	register struct atpcb *atp;
	struct mbuf *nam;
{
	struct at_address addr;
	u_char type;
	int error;

	if (atp->atp_port)
		return (EINVAL);
	addr.socket = 0;
	if (nam && (error = at_getname(nam, &addr, &type)))
		return (error);
	if (addr.socket == 255)
		return (EINVAL);
	if (addr.socket && addr.socket < AT_FIRST_DYNAMIC &&
	    (atp->atp_socket->so_state & SS_PRIV) == 0)
		return (EACCES);
	atp->atp_port = at_socket_bind(&atp_sockets, addr.socket, (void *)atp);
	return (atp->atp_port ? 0 : EADDRINUSE);
}

/*
 * Begin a transaction.
 */
static int
atp_ask(atp, to, h, m)
	struct atpcb *atp;
	struct at_address *to;
	struct at_atp *h;
	register struct mbuf *m;
{
	register struct at_request *rq;
	enum at_atp_fault fault;
	int error;

	rq = at_request_open(&atp_requests, to, h, (void *)atp, atp_now,
	    &fault);
	if (rq == 0) {
		m_freem(m);
		return (fault == AT_ATP_FULL ? ENOBUFS : EINVAL);
	}
	rq->packet = (void *)m;
	error = atp_output(atp, to, h, mtod(m, at_byte *) + 4, m, 1);
	if (error && error != ENOBUFS)
		atp_freerequest(rq);	/* no retry can help */
	else
		error = 0;
	return (error);
}

/*
 * Send a packet of a response.
 */
static int
atp_answer(atp, to, h, m)
	struct atpcb *atp;
	struct at_address *to;
	struct at_atp *h;
	register struct mbuf *m;
{
	register struct at_transaction *one;
	int error;

	if (h->bitmap >= AT_ATP_PACKETS) {
		m_freem(m);
		return (EINVAL);
	}
	h->control &= AT_ATP_FUNCTION|AT_ATP_EOM|AT_ATP_STS;
	one = at_transaction_find(&atp_transactions, to, atp->atp_port,
	    h->tid);
	if (one == 0)
		return (atp_output(atp, to, h, mtod(m, at_byte *) + 4, m, 0));
	at_atp_write(mtod(m, at_byte *), h);
	if (one->response[h->bitmap])
		m_freem((struct mbuf *)one->response[h->bitmap]);
	one->response[h->bitmap] = (void *)m;
	at_transaction_answered(one, atp_now);
	error = atp_output(atp, to, h, mtod(m, at_byte *) + 4, m, 1);
	return (error == ENOBUFS ? 0 : error);
}

static int
atp_send(atp, m, nam)
	register struct atpcb *atp;
	register struct mbuf *m;
	struct mbuf *nam;
{
	struct at_address to;
	struct at_atp h;
	u_char type;
	int error;

	if ((error = at_getname(nam, &to, &type)))
		goto bad;
	error = EADDRNOTAVAIL;
	if (to.socket == 0 || to.socket == 255 || to.node == 0 ||
	    to.node == AT_BROADCAST)
		goto bad;
	error = m->m_pkthdr.len < AT_ATP_HEADER ? EINVAL : EMSGSIZE;
	if (m->m_pkthdr.len < AT_ATP_HEADER ||
	    m->m_pkthdr.len > AT_ATP_HEADER + AT_ATP_DATA)
		goto bad;
	if (atp->atp_port == 0 && (error = atp_bind(atp, (struct mbuf *)0)))
		goto bad;
	if (m->m_len < AT_ATP_HEADER && (m = m_pullup(m, AT_ATP_HEADER)) == 0)
		return (ENOBUFS);
	(void) at_atp_read(mtod(m, at_byte *), m->m_len, &h);
	if ((h.control & AT_ATP_FUNCTION) == AT_ATP_REQUEST)
		return (atp_ask(atp, &to, &h, m));
	if ((h.control & AT_ATP_FUNCTION) == AT_ATP_RESPONSE)
		return (atp_answer(atp, &to, &h, m));
	error = EINVAL;
bad:
	m_freem(m);
	return (error);
}

/*ARGSUSED*/
int
atp_usrreq(so, req, m, nam, control)
	register struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
{
	register struct atpcb *atp = sotoatpcb(so);
	struct at_address addr;
	int error = 0;

	if (req == PRU_CONTROL)
		return (EOPNOTSUPP);
	if (control && control->m_len) {
		error = EINVAL;
		goto release;
	}
	if (atp == 0 && req != PRU_ATTACH) {
		error = EINVAL;
		goto release;
	}

	switch (req) {

	case PRU_ATTACH:
		error = atp ? EISCONN : atp_attach(so);
		break;

	case PRU_ABORT:
		soisdisconnected(so);
		/* FALLTHROUGH */
	case PRU_DETACH:
		atp_detach(atp);
		break;

	case PRU_BIND:
		error = atp_bind(atp, nam);
		break;

	case PRU_SHUTDOWN:
		socantsendmore(so);
		break;

	case PRU_SEND:
		error = atp_send(atp, m, nam);
		m = 0;
		break;

	case PRU_SENSE:
		return (0);

	case PRU_SOCKADDR:
		addr.net = AT_ANY_NET;
		addr.node = AT_ANY_NODE;
		addr.socket = atp->atp_port;
		nam->m_len = sizeof(struct sockaddr_at);
		at_putname(mtod(nam, struct sockaddr_at *), &addr,
		    ATPROTO_ATP);
		break;

	case PRU_RCVD:
	case PRU_RCVOOB:
		return (EOPNOTSUPP);		/* do not free mbufs */

	case PRU_CONNECT:
	case PRU_DISCONNECT:
	case PRU_PEERADDR:
	case PRU_SENDOOB:
	case PRU_LISTEN:
	case PRU_CONNECT2:
	case PRU_ACCEPT:
	case PRU_FASTTIMO:
	case PRU_SLOWTIMO:
	case PRU_PROTORCV:
	case PRU_PROTOSEND:
		error = EOPNOTSUPP;
		break;

	default:
		panic("atp_usrreq");
	}
release:
	if (control)
		m_freem(control);
	if (m)
		m_freem(m);
	return (error);
}
