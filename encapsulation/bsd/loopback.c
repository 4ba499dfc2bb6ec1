/* The loopback interface: what is sent comes in again. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdio.h>
#include <string.h>

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if_types.h>
#include <net/route.h>

#define LOOPBACK_MTU 32768

#ifdef NetBSD
struct ifnet loif[1];
#define LOOPBACK (&loif[0])
#else
struct ifnet loif;
#define LOOPBACK (&loif)
#endif

/* The input of a family: of its queue for loopback, of its type on Ethernets, or the one for everything. */
static const struct bsd_input *of_family(int family) {
    const struct bsd_ether *ether = bsd_description.ethers;
    const struct bsd_input *input;
    while (ether && ether->family && ether->family != family)
        ether++;
    for (input = bsd_description.inputs; ether && ether->family && bsd_is_input(input); input++) {
        bool is_its = ether->loopback ? input->queue == ether->loopback
                                      : input->kind == BSD_TYPE && input->key == ether->type && !input->input;
        if (is_its)
            return input;
    }
    for (input = bsd_description.inputs; bsd_is_input(input) && input->key != BSD_ANY;)
        input++;
    return input;
}

int looutput(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to BSD_OUTPUT_ROUTE) {
    if (!BSD_HAS_HEADER(m))
        panic("looutput: no packet header");
#ifdef BSD_PACKET_HEADERS
    if (rt && rt->rt_flags & (RTF_REJECT | RTF_BLACKHOLE)) {
        m_freem(m);
        return rt->rt_flags & RTF_BLACKHOLE ? 0 : rt->rt_flags & RTF_HOST ? EHOSTUNREACH : ENETUNREACH;
    }
#endif
    ifp->if_opackets++;
    ifp->if_obytes += (unsigned long)BSD_LENGTH(m);
    ifp->if_ipackets++;
    ifp->if_ibytes += (unsigned long)BSD_LENGTH(m);
    const struct bsd_input *input = of_family(to->sa_family);
    if (!bsd_is_input(input) || input->input) {
        m_freem(m);
        return EAFNOSUPPORT;
    }
    bsd_input(input, ifp, m, NULL);
    return 0;
}

static int control(struct ifnet *ifp, unsigned long command, caddr_t data) {
    switch ((unsigned)command) {
    case (unsigned)SIOCSIFADDR:
        ifp->if_flags |= IFF_UP | IFF_RUNNING;
        if (bsd_description.address_set)
            return bsd_description.address_set(ifp, (struct ifaddr *)(void *)data);
        return 0;
    case (unsigned)SIOCSIFFLAGS:
    case (unsigned)SIOCADDMULTI:
    case (unsigned)SIOCDELMULTI: return 0;
    default: return EINVAL;
    }
}

void bsd_loopback_attach(void) {
    struct ifnet *ifp = LOOPBACK;
    if (!bsd_description.loopback)
        return;
#ifdef NetBSD
    snprintf(ifp->if_xname, sizeof ifp->if_xname, "lo0");
#else
    static char name[] = "lo";
    ifp->if_name = name;
#endif
    ifp->if_mtu = LOOPBACK_MTU;
    ifp->if_flags = (short)(IFF_LOOPBACK | IFF_RUNNING);
#ifdef BSD_PACKET_HEADERS
    ifp->if_type = IFT_LOOP;
    ifp->if_flags |= (short)IFF_MULTICAST;
#endif
    ifp->if_output = looutput;
    ifp->if_ioctl = control;
    if_attach(ifp);
}
