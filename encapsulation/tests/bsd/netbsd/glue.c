/* Description of LP: 802.2 headers, resolution of addresses, a loopback interface, raw sockets. */
#include <sys/param.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/errno.h>
#include <sys/socket.h>
#include <sys/queue.h>
#include <net/if.h>
#include <net/if_llc.h>
#include <net/netisr.h>
#include <netinet/if_ether.h>

#include "bsd/bsd.h"
#include "lp.h"

static int output(struct ifnet *ifp, struct mbuf **m, struct sockaddr *to, struct rtentry *rt,
                  struct ether_header *header) {
    struct llc *llc;
    if (!lpresolve(ifp, *m, satoslp(to), header->ether_dhost))
        return BSD_KEPT;
    M_PREPEND(*m, sizeof(struct llc), M_DONTWAIT);
    if (*m == 0)
        return ENOBUFS;
    llc = mtod(*m, struct llc *);
    llc->llc_dsap = llc->llc_ssap = LLC_SNAP_LSAP;
    llc->llc_control = LLC_UI;
    bcopy(lp_org_code, llc->llc_org_code, 3);
    llc->llc_ether_type = htons(LPTYPE_DATA);
    return 0;
}

static void resolve(struct ifnet *ifp, struct mbuf *m, struct ether_header *header) { lparpinput(ifp, m); }

static struct domain *const families[] = {&lpdomain, 0};
static const struct bsd_protocol protocols[] = {{"lp", SOCK_DGRAM, 0, 0}, {"raw", SOCK_RAW, 0, 0}, {0}};
static const struct bsd_lower lowers[] = {{"le", BSD_ETHERNET}, {0}};
static const struct bsd_input inputs[] = {
    {LPTYPE_DATA, &lpintrq, NETISR_USER, lpintr, BSD_SNAP, lp_org_code},
    {LPTYPE_RESOLVE, .kind = BSD_SNAP, .organization = lp_org_code, .input = resolve},
    {0}};
static const struct bsd_ether ethers[] = {{AF_LP, .output = output, .loopback = &lpintrq}, {0}};

const struct bsd_description bsd_description = {
    .domains = families,
    .protocols = protocols,
    .lowers = lowers,
    .inputs = inputs,
    .ethers = ethers,
    .shortest_address = sizeof(struct sockaddr_lp),
    .loopback = 1,
};
