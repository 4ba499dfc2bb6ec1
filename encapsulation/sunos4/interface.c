/* Interfaces and their addresses, as protocols of SunOS 4 see them. */
#define STR_PREFIXED
#include "bsd/lower.h"

#include <stdio.h>
#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/af.h>
#include <net/if.h>

struct ifnet *ifnet;
int ifqmaxlen = IFQ_MAXLEN;
struct afswitch afswitch[AF_MAX];

int null_hash() { return 0; }
int null_netmatch() { return 0; }

void if_attach(struct ifnet *ifp) {
    struct ifnet **at = &ifnet;
    while (*at)
        at = &(*at)->if_next;
    *at = ifp;
    ifp->if_next = NULL;
    if (ifp->if_snd.ifq_maxlen == 0)
        ifp->if_snd.ifq_maxlen = ifqmaxlen;
}

void bsd_interface_attach(struct lower *lower) {
    struct ifnet *ifp = &lower->arp.ac_if;
    if (lower->kind->kind == BSD_ETHERNET)
        ifp->if_flags |= (short)(IFF_BROADCAST | IFF_NOTRAILERS);
    if_attach(ifp);
}

/* Interfaces pass all multicast frames on. */
int bsd_ether_control(struct lower *lower, unsigned long command, caddr_t data) {
    (void)lower, (void)command, (void)data;
    return 0;
}

#define EACH_ADDRESS(ifa) \
    for (struct ifnet *ifp_ = ifnet; ifp_; ifp_ = ifp_->if_next) \
        for (struct ifaddr *ifa = ifp_->if_addrlist; ifa; ifa = ifa->ifa_next)

static bool is_same(const struct sockaddr *one, const struct sockaddr *other) {
    return memcmp(one->sa_data, other->sa_data, sizeof one->sa_data) == 0;
}

struct ifaddr *ifa_ifwithaddr(struct sockaddr *address) {
    EACH_ADDRESS(ifa) {
        if (ifa->ifa_addr.sa_family != address->sa_family)
            continue;
        if (is_same(&ifa->ifa_addr, address) ||
            (ifp_->if_flags & IFF_BROADCAST && is_same(&ifa->ifa_broadaddr, address)))
            return ifa;
    }
    return NULL;
}

struct ifaddr *ifa_ifwithdstaddr(struct sockaddr *address) {
    EACH_ADDRESS(ifa)
    if (ifp_->if_flags & IFF_POINTOPOINT && ifa->ifa_addr.sa_family == address->sa_family &&
        is_same(&ifa->ifa_dstaddr, address))
        return ifa;
    return NULL;
}

struct ifaddr *ifa_ifwithnet(struct sockaddr *address) {
    int (*match)() = address->sa_family < AF_MAX ? afswitch[address->sa_family].af_netmatch : NULL;
    if (!match)
        return NULL;
    EACH_ADDRESS(ifa)
    if (ifa->ifa_addr.sa_family == address->sa_family && (*match)(&ifa->ifa_addr, address))
        return ifa;
    return NULL;
}

struct ifnet *ifunit(char *name) {
    char whole[IFNAMSIZ];
    for (struct ifnet *ifp = ifnet; ifp; ifp = ifp->if_next) {
        snprintf(whole, sizeof whole, "%s%d", ifp->if_name, ifp->if_unit);
        if (strncmp(whole, name, sizeof whole) == 0)
            return ifp;
    }
    return NULL;
}

void if_down(struct ifnet *ifp) {
    ifp->if_flags &= (short)~IFF_UP;
    for (struct ifaddr *ifa = ifp->if_addrlist; ifa; ifa = ifa->ifa_next)
        pfctlinput(PRC_IFDOWN, &ifa->ifa_addr);
    if_qflush(&ifp->if_snd);
}

void if_up(struct ifnet *ifp) { ifp->if_flags |= IFF_UP; }

void if_qflush(struct ifqueue *ifq) {
    struct mbuf *m;
    for (;;) {
        IF_DEQUEUE(ifq, m)
        if (!m)
            break;
        m_freem(m);
    }
}

static void set_flags(struct ifnet *ifp, short flags) {
    if (ifp->if_flags & IFF_UP && !(flags & IFF_UP))
        if_down(ifp);
    ifp->if_flags = (short)((ifp->if_flags & IFF_CANTCHANGE) | (flags & ~IFF_CANTCHANGE));
}

int ifioctl(struct socket *so, unsigned long command, caddr_t data, struct proc *p) {
    struct ifreq *ifr = (struct ifreq *)(void *)data;
    (void)p;
    if (command == SIOCGIFCONF)
        return EOPNOTSUPP; /* its data has an address of the caller */
    struct ifnet *ifp = ifunit(ifr->ifr_name);
    if (!ifp)
        return ENXIO;
    switch (command) {
    case SIOCGIFFLAGS: ifr->ifr_flags = ifp->if_flags; return 0;
    case SIOCGIFMETRIC: ifr->ifr_metric = ifp->if_metric; return 0;
    case SIOCGIFMTU: ifr->ifr_metric = ifp->if_mtu; return 0;
    case SIOCSIFMETRIC: ifp->if_metric = ifr->ifr_metric; return 0;
    case SIOCSIFFLAGS:
        set_flags(ifp, ifr->ifr_flags);
        return ifp->if_ioctl ? (*ifp->if_ioctl)(ifp, command, data) : 0;
    default: /* addresses are the protocol's */
        return (*so->so_proto->pr_usrreq)(so, PRU_CONTROL, (struct mbuf *)command, (struct mbuf *)(void *)data,
                                          (struct mbuf *)(void *)ifp);
    }
}
