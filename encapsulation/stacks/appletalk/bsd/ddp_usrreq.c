/*
 * DDP user requests: datagram sockets.
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
#include "at.h"
#include "at_var.h"
#include "ddp_var.h"

u_long	ddp_sendspace = AT_DDP_DATA + 1;
u_long	ddp_recvspace = 10 * (AT_DDP_DATA + sizeof(struct sockaddr_at));

struct ddpcb ddpcb;
struct at_sockets ddp_sockets;

static int
ddp_attach(so)
	struct socket *so;
{
	register struct ddpcb *ddp;
	int error;

	error = soreserve(so, ddp_sendspace, ddp_recvspace);
	if (error)
		return (error);
	MALLOC(ddp, struct ddpcb *, sizeof(*ddp), M_PCB, M_NOWAIT);
	if (ddp == 0)
		return (ENOBUFS);
	bzero((caddr_t)ddp, sizeof(*ddp));
	ddp->ddp_socket = so;
	so->so_pcb = (caddr_t)ddp;
	insque(ddp, &ddpcb);
	return (0);
}

static void
ddp_detach(ddp)
	register struct ddpcb *ddp;
{
	register struct socket *so = ddp->ddp_socket;

	if (ddp->ddp_laddr.socket)
		at_socket_unbind(&ddp_sockets, ddp->ddp_laddr.socket);
	remque(ddp);
	so->so_pcb = 0;
	sofree(so);
	FREE(ddp, M_PCB);
}

/*
 * Bind; without a name to any free socket.
 */
static int
ddp_bind(ddp, nam)
	register struct ddpcb *ddp;
	struct mbuf *nam;
{
	struct at_address addr;
	u_char type = ddp->ddp_type;
	int error;

	if (ddp->ddp_laddr.socket)
		return (EINVAL);
	bzero((caddr_t)&addr, sizeof(addr));
	if (nam && (error = at_getname(nam, &addr, &type)))
		return (error);
	if (addr.socket == 255)
		return (EINVAL);
	if (addr.socket && addr.socket < AT_FIRST_DYNAMIC &&
	    (ddp->ddp_socket->so_state & SS_PRIV) == 0)
		return (EACCES);
	addr.socket = at_socket_bind(&ddp_sockets, addr.socket, (void *)ddp);
	if (addr.socket == 0)
		return (EADDRINUSE);
	ddp->ddp_laddr = addr;
	ddp->ddp_type = type;
	return (0);
}

/*
 * Put a header in front of user data, and send it.
 */
static int
ddp_send(ddp, m, to, type)
	register struct ddpcb *ddp;
	register struct mbuf *m;
	struct at_address *to;
	int type;
{
	struct at_datagram d;

	if (ddp->ddp_laddr.socket == 0)
		(void) ddp_bind(ddp, (struct mbuf *)0);
	if (ddp->ddp_laddr.socket == 0 || m->m_pkthdr.len > AT_DDP_DATA) {
		m_freem(m);
		return (ddp->ddp_laddr.socket ? EMSGSIZE : EADDRINUSE);
	}
	if (type == 0)
		type = ddp->ddp_type;
	if (to->socket == 0 || to->socket == 255 || type == 0) {
		m_freem(m);
		return (EADDRNOTAVAIL);
	}
	M_PREPEND(m, AT_LONG_HEADER, M_DONTWAIT);
	if (m == 0)
		return (ENOBUFS);
	d.to = *to;
	d.from = ddp->ddp_laddr;
	d.length = m->m_pkthdr.len;
	d.checksum = 0;
	d.hops = 0;
	d.type = type;
	at_long_write(mtod(m, at_byte *), &d);
	return (ddp_output(m, (struct route *)0, 0));
}

static void
ddp_name(nam, addr, type)
	struct mbuf *nam;
	struct at_address *addr;
	int type;
{
	struct at_address full;

	full = *addr;
	if (full.node == 0 && at_node.port[0].node) {
		full.net = at_node.port[0].net;
		full.node = at_node.port[0].node;
	}
	nam->m_len = sizeof(struct sockaddr_at);
	at_putname(mtod(nam, struct sockaddr_at *), &full, type);
}

/*ARGSUSED*/
int
ddp_usrreq(so, req, m, nam, control)
	register struct socket *so;
	int req;
	struct mbuf *m, *nam, *control;
{
	register struct ddpcb *ddp = sotoddpcb(so);
	struct at_address addr;
	u_char type = 0;
	int error = 0;

	if (req == PRU_CONTROL)
		return (at_control(so, (u_long)m, (caddr_t)nam,
		    (struct ifnet *)control));
	if (control && control->m_len) {
		error = EINVAL;
		goto release;
	}
	if (ddp == 0 && req != PRU_ATTACH) {
		error = EINVAL;
		goto release;
	}

	switch (req) {

	case PRU_ATTACH:
		error = ddp ? EISCONN : ddp_attach(so);
		break;

	case PRU_DETACH:
	case PRU_ABORT:
		if (req == PRU_ABORT)
			soisdisconnected(so);
		ddp_detach(ddp);
		break;

	case PRU_BIND:
		error = ddp_bind(ddp, nam);
		break;

	case PRU_CONNECT:
		if (ddp->ddp_faddr.socket) {
			error = EISCONN;
			break;
		}
		if ((error = at_getname(nam, &addr, &type)))
			break;
		if (addr.socket == 0 || addr.socket == 255) {
			error = EADDRNOTAVAIL;
			break;
		}
		if (ddp->ddp_laddr.socket == 0 &&
		    (error = ddp_bind(ddp, (struct mbuf *)0)))
			break;
		ddp->ddp_faddr = addr;
		if (type)
			ddp->ddp_type = type;
		soisconnected(so);
		break;

	case PRU_DISCONNECT:
		if (ddp->ddp_faddr.socket == 0) {
			error = ENOTCONN;
			break;
		}
		bzero((caddr_t)&ddp->ddp_faddr, sizeof(ddp->ddp_faddr));
		so->so_state &= ~SS_ISCONNECTED;
		break;

	case PRU_SHUTDOWN:
		socantsendmore(so);
		break;

	case PRU_SEND:
		addr = ddp->ddp_faddr;
		if (nam) {
			if (addr.socket)
				error = EISCONN;
			else
				error = at_getname(nam, &addr, &type);
		} else if (addr.socket == 0)
			error = ENOTCONN;
		if (error)
			break;
		error = ddp_send(ddp, m, &addr, type);
		m = 0;
		break;

	case PRU_SENSE:
		return (0);

	case PRU_SOCKADDR:
		ddp_name(nam, &ddp->ddp_laddr, ddp->ddp_type);
		break;

	case PRU_PEERADDR:
		if (ddp->ddp_faddr.socket == 0)
			error = ENOTCONN;
		else
			ddp_name(nam, &ddp->ddp_faddr, ddp->ddp_type);
		break;

	case PRU_RCVD:
	case PRU_RCVOOB:
		return (EOPNOTSUPP);		/* do not free mbufs */

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
		panic("ddp_usrreq");
	}
release:
	if (control)
		m_freem(control);
	if (m)
		m_freem(m);
	return (error);
}
