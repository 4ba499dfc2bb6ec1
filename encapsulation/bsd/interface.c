/* Interfaces and their addresses, as the protocols see them. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdio.h>
#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/if.h>
#include <net/if_dl.h>
#include <net/route.h>

#ifdef NetBSD
struct ifnet_head ifnet = {NULL, &ifnet.tqh_first};
struct ifnet **ifindex2ifnet;
#else
struct ifnet *ifnet;
#endif
struct ifaddr **ifnet_addrs;
int if_index, ifqmaxlen = IFQ_MAXLEN;

/* The address of the link itself: its name, and the station address, which the driver fills in. */
struct link_address {
    struct ifaddr ifa;
    struct sockaddr_dl address, mask;
};

static int name_of(const struct ifnet *ifp, char name[IFNAMSIZ]) {
#ifdef NetBSD
    return snprintf(name, IFNAMSIZ, "%s", ifp->if_xname);
#else
    return snprintf(name, IFNAMSIZ, "%s%d", ifp->if_name, ifp->if_unit);
#endif
}

static void name_link(struct ifnet *ifp, struct link_address *link) {
    char name[IFNAMSIZ];
    int length = name_of(ifp, name);
    length = length > 5 ? 5 : length; /* a station address must fit behind it */
    link->address.sdl_len = link->mask.sdl_len = sizeof link->address;
    link->address.sdl_family = AF_LINK;
    link->address.sdl_nlen = (u_char)length;
    memcpy(link->address.sdl_data, name, (size_t)length);
    link->address.sdl_index = ifp->if_index;
    link->address.sdl_type = ifp->if_type;
    memset(link->mask.sdl_data, 0xff, (size_t)length);
}

static void insert(struct ifnet *ifp) {
#ifdef NetBSD
    TAILQ_INIT(&ifp->if_addrlist);
    TAILQ_INSERT_TAIL(&ifnet, ifp, if_list);
#else
    struct ifnet **at = &ifnet;
    while (*at)
        at = &(*at)->if_next;
    *at = ifp;
    ifp->if_next = NULL;
#endif
}

static void insert_first(struct ifnet *ifp, struct ifaddr *ifa) {
#ifdef NetBSD
    TAILQ_INSERT_HEAD(&ifp->if_addrlist, ifa, ifa_list);
#else
    ifa->ifa_next = ifp->if_addrlist;
    ifp->if_addrlist = ifa;
#endif
}

/* A table by index has one more element now. */
static void *extend(void *table, size_t count) {
    void **more = malloc((count + 1) * sizeof *more, M_IFADDR, M_WAITOK);
    memset(more, 0, (count + 1) * sizeof *more);
    if (table) {
        memcpy(more, table, count * sizeof *more);
        free(table, M_IFADDR);
    }
    return more;
}

void if_attach(struct ifnet *ifp) {
    insert(ifp);
    ifp->if_index = (u_short)++if_index;
    if (ifp->if_snd.ifq_maxlen == 0)
        ifp->if_snd.ifq_maxlen = ifqmaxlen;
    ifnet_addrs = extend(ifnet_addrs, (size_t)if_index);
#ifdef NetBSD
    ifindex2ifnet = extend(ifindex2ifnet, (size_t)if_index);
    ifindex2ifnet[if_index] = ifp;
#endif
    struct link_address *link = malloc(sizeof *link, M_IFADDR, M_WAITOK);
    memset(link, 0, sizeof *link);
    name_link(ifp, link);
    link->ifa.ifa_addr = (struct sockaddr *)(void *)&link->address;
    link->ifa.ifa_netmask = (struct sockaddr *)(void *)&link->mask;
    link->ifa.ifa_ifp = ifp;
    link->ifa.ifa_rtrequest = link_rtrequest;
    IFAREF(&link->ifa);
    insert_first(ifp, &link->ifa);
#ifdef NetBSD
    ifp->if_sadl = &link->address;
#endif
    ifnet_addrs[if_index - 1] = &link->ifa;
}

#define EACH_ADDRESS(ifa) \
    for (struct ifnet *ifp_ = BSD_FIRST_INTERFACE; ifp_; ifp_ = BSD_NEXT_INTERFACE(ifp_)) \
        for (struct ifaddr *ifa = BSD_FIRST_ADDRESS(ifp_); ifa; ifa = BSD_NEXT_ADDRESS(ifa)) \
            if (ifa->ifa_addr)

static bool is_same(const struct sockaddr *one, const struct sockaddr *other) {
    return one && other && one->sa_len == other->sa_len && memcmp(one, other, one->sa_len) == 0;
}

struct ifaddr *ifa_ifwithaddr(struct sockaddr *address) {
    EACH_ADDRESS(ifa) {
        if (ifa->ifa_addr->sa_family != address->sa_family)
            continue;
        if (is_same(address, ifa->ifa_addr) ||
            (ifa->ifa_ifp && ifa->ifa_ifp->if_flags & IFF_BROADCAST && is_same(ifa->ifa_broadaddr, address)))
            return ifa;
    }
    return NULL;
}

struct ifaddr *ifa_ifwithdstaddr(struct sockaddr *address) {
    EACH_ADDRESS(ifa)
    if (ifp_->if_flags & IFF_POINTOPOINT && ifa->ifa_addr->sa_family == address->sa_family &&
        is_same(address, ifa->ifa_dstaddr))
        return ifa;
    return NULL;
}

/* Whether two addresses agree where the mask has ones. Behind the mask's length nothing is compared. */
static bool agrees(const struct sockaddr *one, const struct sockaddr *other, const struct sockaddr *mask) {
    const u_char *a = (const u_char *)one, *b = (const u_char *)other, *m = (const u_char *)mask;
    for (size_t i = offsetof(struct sockaddr, sa_data); i < mask->sa_len; i++)
        if ((i < one->sa_len ? a[i] & m[i] : 0) != (i < other->sa_len ? b[i] & m[i] : 0))
            return false;
    return true;
}

/* Whether every bit of one mask is in the other, too. */
static bool is_finer(const struct sockaddr *mask, const struct sockaddr *than) {
    const u_char *a = (const u_char *)mask, *b = (const u_char *)than;
    for (size_t i = offsetof(struct sockaddr, sa_data); i < mask->sa_len; i++)
        if (a[i] & (u_char) ~(i < than->sa_len ? b[i] : 0))
            return true;
    return false;
}

struct ifaddr *ifa_ifwithnet(struct sockaddr *address) {
    struct ifaddr *best = NULL;
    if (address->sa_family == AF_LINK) {
        const struct sockaddr_dl *link = (const struct sockaddr_dl *)(void *)address;
        return link->sdl_index && link->sdl_index <= if_index ? ifnet_addrs[link->sdl_index - 1] : NULL;
    }
    EACH_ADDRESS(ifa) {
        if (ifa->ifa_addr->sa_family != address->sa_family || !ifa->ifa_netmask ||
            !agrees(address, ifa->ifa_addr, ifa->ifa_netmask))
            continue;
        if (!best || is_finer(ifa->ifa_netmask, best->ifa_netmask))
            best = ifa;
    }
    return best;
}

struct ifaddr *ifa_ifwithaf(int family) {
    EACH_ADDRESS(ifa) if (ifa->ifa_addr->sa_family == family) return ifa;
    return NULL;
}

struct ifaddr *ifaof_ifpforaddr(struct sockaddr *address, struct ifnet *ifp) {
    struct ifaddr *same_family = NULL;
    for (struct ifaddr *ifa = BSD_FIRST_ADDRESS(ifp); ifa; ifa = BSD_NEXT_ADDRESS(ifa)) {
        if (!ifa->ifa_addr || ifa->ifa_addr->sa_family != address->sa_family)
            continue;
        same_family = ifa;
        if (is_same(address, ifa->ifa_addr) || is_same(address, ifa->ifa_dstaddr) ||
            (ifa->ifa_netmask && agrees(address, ifa->ifa_addr, ifa->ifa_netmask)))
            return ifa;
    }
    return same_family;
}

/* The interface that a route to a destination through a gateway uses. */
struct ifaddr *ifa_ifwithroute(int flags, struct sockaddr *destination, struct sockaddr *gateway) {
    struct ifaddr *ifa = NULL;
    if (!(flags & RTF_GATEWAY)) {
        if (flags & RTF_HOST)
            ifa = ifa_ifwithdstaddr(destination);
        if (!ifa)
            ifa = ifa_ifwithaddr(gateway);
    } else {
        ifa = ifa_ifwithdstaddr(gateway);
    }
    if (!ifa)
        ifa = ifa_ifwithnet(gateway);
    if (!ifa) {
        struct rtentry *rt = rtalloc1(destination, 0);
        if (!rt)
            return NULL;
        rt->rt_refcnt--;
        if (!(ifa = rt->rt_ifa))
            return NULL;
    }
    if (ifa->ifa_addr->sa_family != destination->sa_family) {
        struct ifaddr *other = ifaof_ifpforaddr(destination, ifa->ifa_ifp);
        ifa = other ? other : ifa;
    }
    return ifa;
}

void ifafree(struct ifaddr *ifa) {
    if (!ifa)
        panic("ifafree");
    if (ifa->ifa_refcnt <= 0)
        free(ifa, M_IFADDR);
    else
        ifa->ifa_refcnt--;
}

struct ifnet *ifunit(char *name) {
    char whole[IFNAMSIZ];
    for (struct ifnet *ifp = BSD_FIRST_INTERFACE; ifp; ifp = BSD_NEXT_INTERFACE(ifp)) {
        name_of(ifp, whole);
        if (strncmp(whole, name, sizeof whole) == 0)
            return ifp;
    }
    return NULL;
}

void if_down(struct ifnet *ifp) {
    ifp->if_flags &= (short)~IFF_UP;
    for (struct ifaddr *ifa = BSD_FIRST_ADDRESS(ifp); ifa; ifa = BSD_NEXT_ADDRESS(ifa))
        pfctlinput(PRC_IFDOWN, ifa->ifa_addr);
    if_qflush(&ifp->if_snd);
}

void if_up(struct ifnet *ifp) { ifp->if_flags |= IFF_UP; }

void if_qflush(struct ifqueue *ifq) {
    struct mbuf *m;
    for (;;) {
        IF_DEQUEUE(ifq, m);
        if (!m)
            break;
        m_freem(m);
    }
    ifq->ifq_head = ifq->ifq_tail = NULL;
    ifq->ifq_len = 0;
}

int ifioctl(struct socket *so, unsigned long command, caddr_t data, struct proc *p) {
    struct ifreq *ifr = (struct ifreq *)(void *)data;
    (void)p;
    if (command == SIOCGIFCONF || command == OSIOCGIFCONF)
        return EOPNOTSUPP; /* its data has an address of the caller */
    struct ifnet *ifp = ifunit(ifr->ifr_name);
    if (!ifp)
        return ENXIO;
    switch (command) {
    case SIOCGIFFLAGS: ifr->ifr_flags = ifp->if_flags; return 0;
    case SIOCGIFMETRIC: ifr->ifr_metric = (int)ifp->if_metric; return 0;
    case SIOCGIFMTU: ifr->ifr_mtu = (int)ifp->if_mtu; return 0;
    case SIOCSIFMETRIC: ifp->if_metric = (unsigned long)ifr->ifr_metric; return 0;
    case SIOCSIFFLAGS:
        if (ifp->if_flags & IFF_UP && !(ifr->ifr_flags & IFF_UP))
            if_down(ifp);
        if (ifr->ifr_flags & IFF_UP && !(ifp->if_flags & IFF_UP))
            if_up(ifp);
        ifp->if_flags = (short)((ifp->if_flags & (short)IFF_CANTCHANGE) | (ifr->ifr_flags & (short)~IFF_CANTCHANGE));
        if (ifp->if_ioctl)
            (void)(*ifp->if_ioctl)(ifp, command, data);
        return 0;
    case SIOCADDMULTI:
    case SIOCDELMULTI: return ifp->if_ioctl ? (*ifp->if_ioctl)(ifp, command, data) : EOPNOTSUPP;
    default:
        /* Addresses are the protocol's. */
        if (!so->so_proto)
            return EOPNOTSUPP;
        return (*so->so_proto->pr_usrreq)(so, PRU_CONTROL, (struct mbuf *)command, (struct mbuf *)(void *)data,
                                          (struct mbuf *)(void *)ifp, p);
    }
}
