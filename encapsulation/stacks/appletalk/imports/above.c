/* DDP of BSD, above which ATP is none of BSD: the entry of ATP in the protocol switch leads to streams of the device
 * `atp`, on which the module of STREAMS is pushed. */
#include <sys/param.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/errno.h>
#include <sys/socket.h>
#include <net/if.h>
#include <net/if_types.h>
#include <net/netisr.h>
#include <net/route.h>

#include "core/ddp.h"
#include "bsd/at.h"
#include "bsd/at_var.h"
#include "bsd/ddp_var.h"
#include "bsd/bsd.h"

/* ATP takes sockets of DDP by their numbers, which are its keys here. */
static struct at_sockets atp_sockets;

/* What the protocol switch names. */
void atp_init() { at_sockets_init(&atp_sockets); }
void atp_slowtimo() {}
int atp_usrreq() { return EOPNOTSUPP; }

void atp_input(struct mbuf *m, int hlen)
{
	at_byte *hdr = mtod(m, at_byte *);
	struct at_address src;
	struct sockaddr_at from;
	int socket = hdr[AT_LONG_RECEIVER];

	at_putname(&from, &src, at_long_sender(hdr, &src));
	m_adj(m, hlen);
	if (bsd_send_above("atp", m, socket, (struct sockaddr *)&from) != 0)
		ddpstat.dropped[AT_DDP_NO_SOCKET]++;
}

static int atp_bind(struct sockaddr *name, int *length)
{
	struct sockaddr_at *sat = (struct sockaddr_at *)name;
	struct at_address addr;
	int socket = *length ? sat->sat_port : 0;

	if (socket == 255 || (*length && sat->sat_family != AF_APPLETALK))
		return -EINVAL;
	socket = at_socket_bind(&atp_sockets, socket, &atp_sockets);
	if (socket == 0)
		return -EADDRINUSE;
	addr.net = at_node.port[0].net;
	addr.node = at_node.port[0].node;
	addr.socket = socket;
	at_putname(sat, &addr, ATPROTO_ATP);
	*length = sizeof *sat;
	return socket;
}

static void atp_unbind(int socket) { at_socket_unbind(&atp_sockets, socket); }

static int atp_output(struct mbuf *m, int socket, struct sockaddr *to)
{
	struct sockaddr_at *sat = (struct sockaddr_at *)to;
	struct at_datagram d;

	if (sat->sat_family != AF_APPLETALK || m->m_pkthdr.len > AT_DDP_DATA) {
		m_freem(m);
		return EMSGSIZE;
	}
	M_PREPEND(m, AT_LONG_HEADER, M_DONTWAIT);
	if (m == 0)
		return ENOBUFS;
	bzero(&d, sizeof d);
	d.to.net = ntohs(sat->sat_net);
	d.to.node = sat->sat_node;
	d.to.socket = sat->sat_port;
	d.from.socket = socket;
	d.length = m->m_pkthdr.len;
	d.type = ATPROTO_ATP;
	at_long_write(mtod(m, at_byte *), &d);
	return ddp_output(m, (struct route *)0, 0);
}

static struct domain *const families[] = {&atalkdomain, 0};
static const struct bsd_above atp = {atp_bind, atp_unbind, atp_output};
static const struct bsd_protocol protocols[] = {
    {"ddp", SOCK_DGRAM, 0, 0}, {"atp", SOCK_RDM, ATPROTO_ATP, 0, &atp}, {0}};
static const struct bsd_lower lowers[] = {
    {"at", BSD_FRAMES, IFT_LOCALTALK, AT_DDP_MOST, IFF_BROADCAST, 0, 0}, {0}};
static const struct bsd_input inputs[] = {{BSD_ANY, &ddpintrq, NETISR_ATALK, ddpintr}, {0}};

const struct bsd_description bsd_description = {
    .domains = families,
    .protocols = protocols,
    .lowers = lowers,
    .inputs = inputs,
    .shortest_address = sizeof(struct sockaddr_at),
};
