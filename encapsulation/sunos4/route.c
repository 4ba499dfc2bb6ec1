/* Routes of SunOS 4: a list. Tables of protocol families that are imported are small. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/malloc.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/af.h>
#include <net/if.h>
#include <net/route.h>

#define MOST_ROUTES 1024

struct entry {
    struct rtentry rt; /* first */
    struct entry *next;
};

struct rtstat rtstat;
struct sockaddr wildcard;
struct rtentry nowildcard;
static struct entry *table;
static int count;

void route_init(void) {}

static bool is_same(const struct sockaddr *one, const struct sockaddr *other) {
    return one->sa_family == other->sa_family && memcmp(one->sa_data, other->sa_data, sizeof one->sa_data) == 0;
}

static bool has_network(const struct rtentry *rt, struct sockaddr *address) {
    int family = rt->rt_dst.sa_family;
    return family < AF_MAX && afswitch[family].af_netmatch && (*afswitch[family].af_netmatch)(&rt->rt_dst, address);
}

static bool is_usable(const struct rtentry *rt) {
    return rt->rt_flags & RTF_UP && rt->rt_ifp && rt->rt_ifp->if_flags & IFF_UP;
}

/* A route of this kind: to the host, or to the network of `address`, which may be the wildcard. */
static struct rtentry *find(int family, struct sockaddr *address, bool is_host) {
    for (struct entry *each = table; each; each = each->next) {
        struct rtentry *rt = &each->rt;
        if (!is_usable(rt) || rt->rt_dst.sa_family != family || !(rt->rt_flags & RTF_HOST) == is_host)
            continue;
        if (is_host ? is_same(&rt->rt_dst, address) : has_network(rt, address))
            return rt;
    }
    return NULL;
}

void rtalloc(struct route *ro) {
    struct sockaddr *to = &ro->ro_dst;
    bool strict = ro->ro_rt == &nowildcard;
    if (strict)
        ro->ro_rt = NULL;
    if (ro->ro_rt && ro->ro_rt->rt_ifp && ro->ro_rt->rt_flags & RTF_UP)
        return;
    struct rtentry *rt = find(to->sa_family, to, true);
    if (!rt)
        rt = find(to->sa_family, to, false);
    if (!rt && !strict && (rt = find(to->sa_family, &wildcard, false)))
        rtstat.rts_wildcard++;
    if (rt)
        rt->rt_refcnt++;
    else
        rtstat.rts_unreach++;
    ro->ro_rt = rt;
}

void rtfree(struct rtentry *rt) {
    if (!rt)
        panic("rtfree");
    rt->rt_refcnt--;
    if (rt->rt_refcnt <= 0 && !(rt->rt_flags & RTF_UP))
        free(rt, M_RTABLE);
}

static struct ifaddr *interface_of(const struct rtentry *entry) {
    struct sockaddr destination = entry->rt_dst, gateway = entry->rt_gateway;
    struct ifaddr *ifa = NULL;
    if (entry->rt_flags & RTF_GATEWAY)
        ifa = ifa_ifwithdstaddr(&gateway);
    else if (entry->rt_flags & RTF_HOST)
        ifa = ifa_ifwithdstaddr(&destination);
    if (!ifa && !(entry->rt_flags & RTF_GATEWAY))
        ifa = ifa_ifwithaddr(&gateway);
    return ifa ? ifa : ifa_ifwithnet(&gateway);
}

static int add(const struct rtentry *entry) {
    struct ifaddr *ifa = interface_of(entry);
    if (!ifa)
        return ENETUNREACH;
    struct entry *new = count < MOST_ROUTES ? malloc(sizeof *new, M_RTABLE, M_NOWAIT) : NULL;
    if (!new)
        return ENOBUFS;
    *new = (struct entry){.rt = *entry, .next = table};
    new->rt.rt_flags = (short)(RTF_UP | (entry->rt_flags & (RTF_HOST | RTF_GATEWAY | RTF_DYNAMIC)));
    new->rt.rt_refcnt = 0;
    new->rt.rt_use = 0;
    new->rt.rt_ifp = ifa->ifa_ifp;
    table = new;
    count++;
    return 0;
}

static void withdraw(struct entry **at) {
    struct entry *old = *at;
    *at = old->next;
    count--;
    old->rt.rt_flags &= (short)~RTF_UP;
    if (old->rt.rt_refcnt <= 0)
        free(old, M_RTABLE);
}

int rtrequest(int request, struct rtentry *entry) {
    struct entry **at = &table;
    bool is_host = entry->rt_flags & RTF_HOST;
    if (entry->rt_dst.sa_family >= AF_MAX)
        return EAFNOSUPPORT;
    for (; *at; at = &(*at)->next) {
        struct rtentry *rt = &(*at)->rt;
        if (!(rt->rt_flags & RTF_HOST) == is_host || rt->rt_dst.sa_family != entry->rt_dst.sa_family)
            continue;
        if ((is_host ? is_same(&rt->rt_dst, &entry->rt_dst) : has_network(rt, &entry->rt_dst)) &&
            is_same(&rt->rt_gateway, &entry->rt_gateway))
            break;
    }
    switch ((unsigned)request) {
    case SIOCDELRT:
        if (!*at)
            return ESRCH;
        withdraw(at);
        return 0;
    case SIOCADDRT: return *at ? EEXIST : add(entry);
    default: return EINVAL;
    }
}

/* The route of an interface's address. */
void rtinit(struct sockaddr *destination, struct sockaddr *gateway, int request, int flags) {
    struct rtentry entry = {.rt_dst = *destination, .rt_gateway = *gateway, .rt_flags = (short)flags};
    (void)rtrequest(request, &entry);
}

/* A gateway reports a better one. */
void rtredirect(struct sockaddr *destination, struct sockaddr *gateway, int flags, struct sockaddr *source) {
    struct route route = {.ro_dst = *destination};
    bool is_reachable = ifa_ifwithnet(gateway) != NULL;
    if (is_reachable)
        rtalloc(&route);
    struct rtentry *rt = route.ro_rt;
    if (!is_reachable || ifa_ifwithaddr(gateway) || (rt && !is_same(source, &rt->rt_gateway))) {
        rtstat.rts_badredirect++;
        if (rt)
            rtfree(rt);
        return;
    }
    bool is_general = !rt || has_network(rt, &wildcard) || (!(rt->rt_flags & RTF_HOST) && flags & RTF_HOST);
    if (rt && !(rt->rt_flags & RTF_GATEWAY)) {
        rtstat.rts_badredirect++; /* the route leads to an interface */
    } else if (is_general) {
        rtinit(destination, gateway, (int)SIOCADDRT, (flags & RTF_HOST) | RTF_GATEWAY | RTF_DYNAMIC);
        rtstat.rts_dynamic++;
    } else {
        rt->rt_gateway = *gateway;
        rtstat.rts_newgateway++;
    }
    if (rt)
        rtfree(rt);
}

int rtioctl(int request, caddr_t data) {
    if ((unsigned)request != SIOCADDRT && (unsigned)request != SIOCDELRT)
        return EINVAL;
    return rtrequest(request, (struct rtentry *)(void *)data);
}
