/* Routes: a list, the most specific mask first. Tables of protocol families that are imported are small. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if.h>
#include <net/radix.h>
#include <net/route.h>

#define MOST_ROUTES 1024

struct rtstat rtstat;
static struct rtentry *table;
static int count;

void route_init(void) {}
int rn_inithead(void **head, int offset) { return (void)head, (void)offset, 1; }

static struct sockaddr *copied(const struct sockaddr *from) {
    struct sockaddr *to = malloc(from->sa_len > sizeof *to ? from->sa_len : sizeof *to, M_RTABLE, M_NOWAIT);
    if (to) {
        memset(to, 0, sizeof *to);
        memcpy(to, from, from->sa_len);
    }
    return to;
}

/* Bits of a mask; a host has more than any mask. */
static int bits(const struct rtentry *rt) {
    int number = 0;
    if (!rt->bsd_mask)
        return 256 * 8;
    for (size_t i = offsetof(struct sockaddr, sa_data); i < rt->bsd_mask->sa_len; i++)
        number += __builtin_popcount(((const u_char *)rt->bsd_mask)[i]);
    return number;
}

static bool matches(const struct rtentry *rt, const struct sockaddr *to) {
    const u_char *key = (const u_char *)rt->bsd_key, *mask = (const u_char *)rt->bsd_mask, *at = (const u_char *)to;
    size_t end = rt->bsd_mask ? rt->bsd_mask->sa_len : rt->bsd_key->sa_len;
    if (rt->bsd_key->sa_family != to->sa_family)
        return false;
    if (!mask && to->sa_len != rt->bsd_key->sa_len)
        return false;
    for (size_t i = offsetof(struct sockaddr, sa_data); i < end; i++) {
        u_char m = mask ? mask[i] : 0xff;
        if (((i < to->sa_len ? at[i] : 0) & m) != ((i < rt->bsd_key->sa_len ? key[i] : 0) & m))
            return false;
    }
    return true;
}

static bool is_same(const struct sockaddr *one, const struct sockaddr *other) {
    return one == other || (one && other && one->sa_len == other->sa_len && memcmp(one, other, one->sa_len) == 0);
}

static void insert(struct rtentry *rt) {
    struct rtentry **at = &table;
    while (*at && bits(*at) >= bits(rt))
        at = &(*at)->bsd_next;
    rt->bsd_next = *at;
    *at = rt;
    count++;
}

struct rtentry *rtalloc1(struct sockaddr *destination, int report) {
    for (struct rtentry *rt = table; rt; rt = rt->bsd_next)
        if (matches(rt, destination)) {
            rt->rt_refcnt++;
            if (rt->rt_flags & RTF_CLONING) {
                struct rtentry *clone = rt;
                if (rtrequest(RTM_RESOLVE, destination, NULL, NULL, 0, &clone) == 0) {
                    rt->rt_refcnt--;
                    return clone;
                }
            }
            return rt;
        }
    if (report)
        rtstat.rts_unreach++;
    return NULL;
}

void rtalloc(struct route *ro) {
    if (ro->ro_rt && ro->ro_rt->rt_ifp && ro->ro_rt->rt_flags & RTF_UP)
        return;
    ro->ro_rt = rtalloc1(&ro->ro_dst, 1);
}

static void discard(struct rtentry *rt) {
    if (rt->rt_ifa)
        IFAFREE(rt->rt_ifa);
    free(rt->bsd_key, M_RTABLE);
    free(rt->bsd_mask, M_RTABLE);
    free(rt->rt_gateway, M_RTABLE);
    free(rt->rt_genmask, M_RTABLE);
    free(rt, M_RTABLE);
}

void rtfree(struct rtentry *rt) {
    if (!rt)
        panic("rtfree");
    rt->rt_refcnt--;
    if (rt->rt_refcnt <= 0 && !(rt->rt_flags & RTF_UP))
        discard(rt);
}

static int withdraw(struct sockaddr *destination, struct sockaddr *netmask, struct rtentry **given) {
    struct rtentry **at = &table, *rt;
    while (*at && !(is_same((*at)->bsd_key, destination) && is_same((*at)->bsd_mask, netmask)))
        at = &(*at)->bsd_next;
    if (!(rt = *at))
        return ESRCH;
    *at = rt->bsd_next;
    count--;
    if (rt->rt_gwroute) {
        RTFREE(rt->rt_gwroute);
        rt->rt_gwroute = NULL;
    }
    rt->rt_flags &= (short)~RTF_UP;
    if (rt->rt_ifa && rt->rt_ifa->ifa_rtrequest)
        (*rt->rt_ifa->ifa_rtrequest)(RTM_DELETE, rt, (struct sockaddr *)0);
    if (given) {
        *given = rt;
    } else if (rt->rt_refcnt <= 0) {
        rt->rt_refcnt++;
        rtfree(rt);
    }
    return 0;
}

static int add(int request, struct sockaddr *destination, struct sockaddr *gateway, struct sockaddr *netmask, int flags,
               struct ifaddr *ifa, struct rtentry **given) {
    for (struct rtentry *each = table; each; each = each->bsd_next)
        if (is_same(each->bsd_key, destination) && is_same(each->bsd_mask, netmask))
            return EEXIST;
    struct rtentry *rt = count < MOST_ROUTES ? malloc(sizeof *rt, M_RTABLE, M_NOWAIT) : NULL;
    if (!rt)
        return ENOBUFS;
    memset(rt, 0, sizeof *rt);
    rt->bsd_key = copied(destination);
    rt->bsd_mask = netmask ? copied(netmask) : NULL;
    rt->rt_gateway = copied(gateway);
    if (!rt->bsd_key || !rt->rt_gateway || (netmask && !rt->bsd_mask)) {
        discard(rt);
        return ENOBUFS;
    }
    rt->rt_flags = (short)(RTF_UP | flags);
    rt->rt_ifa = ifa;
    rt->rt_ifp = ifa->ifa_ifp;
    IFAREF(ifa);
    insert(rt);
    if (request == RTM_RESOLVE && given && *given)
        rt->rt_rmx = (*given)->rt_rmx;
    if (ifa->ifa_rtrequest)
        (*ifa->ifa_rtrequest)(request, rt, given && *given ? rt_key(*given) : (struct sockaddr *)0);
    if (given) {
        *given = rt;
        rt->rt_refcnt++;
    }
    return 0;
}

int rtrequest(int request, struct sockaddr *destination, struct sockaddr *gateway, struct sockaddr *netmask, int flags,
              struct rtentry **rt) {
    if (flags & RTF_HOST)
        netmask = NULL;
    switch (request) {
    case RTM_DELETE: return withdraw(destination, netmask, rt);
    case RTM_RESOLVE: {
        struct rtentry *parent = rt ? *rt : NULL;
        if (!parent)
            return EINVAL;
        flags = parent->rt_flags & ~(RTF_CLONING | RTF_STATIC);
        return add(request, destination, parent->rt_gateway, parent->rt_genmask,
                   parent->rt_genmask ? flags : flags | RTF_HOST, parent->rt_ifa, rt);
    }
    case RTM_ADD: {
        struct ifaddr *ifa = gateway ? ifa_ifwithroute(flags, destination, gateway) : NULL;
        if (!ifa)
            return ENETUNREACH;
        if (rt)
            *rt = NULL;
        return add(request, destination, gateway, netmask, flags, ifa, rt);
    }
    default: return EINVAL;
    }
}

/* The route of an interface's address: to its network, or to the other end. */
int rtinit(struct ifaddr *ifa, int command, int flags) {
    struct sockaddr *to = flags & RTF_HOST ? ifa->ifa_dstaddr : ifa->ifa_addr, *key = to;
    struct rtentry *rt = NULL;
    if (!to)
        return EINVAL;
    if (!(flags & RTF_HOST) && ifa->ifa_netmask && (key = copied(to))) {
        for (size_t i = offsetof(struct sockaddr, sa_data); i < key->sa_len; i++)
            ((u_char *)key)[i] &= i < ifa->ifa_netmask->sa_len ? ((const u_char *)ifa->ifa_netmask)[i] : 0;
    }
    if (!key)
        return ENOBUFS;
    int error = rtrequest(command, key, ifa->ifa_addr, flags & RTF_HOST ? NULL : ifa->ifa_netmask,
                          flags | ifa->ifa_flags, &rt);
    if (key != to)
        free(key, M_RTABLE);
    if (error)
        return error;
    if (command == RTM_DELETE) {
        if (rt->rt_refcnt <= 0) {
            rt->rt_refcnt++;
            rtfree(rt);
        }
        return 0;
    }
    rt->rt_refcnt--;
    if (rt->rt_ifa != ifa) { /* the address itself decides, not the search for one */
        if (rt->rt_ifa)
            IFAFREE(rt->rt_ifa);
        rt->rt_ifa = ifa;
        rt->rt_ifp = ifa->ifa_ifp;
        IFAREF(ifa);
    }
    return 0;
}

/* Sets the gateway of a route, and the route to it. */
int rt_setgate(struct rtentry *rt, struct sockaddr *destination, struct sockaddr *gateway) {
    struct sockaddr *copy = copied(gateway);
    (void)destination;
    if (!copy)
        return ENOBUFS;
    free(rt->rt_gateway, M_RTABLE);
    rt->rt_gateway = copy;
    if (rt->rt_gwroute) {
        RTFREE(rt->rt_gwroute);
        rt->rt_gwroute = NULL;
    }
    if (rt->rt_flags & RTF_GATEWAY)
        rt->rt_gwroute = rtalloc1(gateway, 1);
    return 0;
}

/* An address where the mask has ones: length and family stay. */
void rt_maskedcopy(struct sockaddr *from, struct sockaddr *to, struct sockaddr *mask) {
    size_t length = from->sa_len;
    memcpy(to, from, length);
    for (size_t i = offsetof(struct sockaddr, sa_data); i < length; i++)
        ((u_char *)to)[i] &= i < mask->sa_len ? ((const u_char *)mask)[i] : 0;
}

/* A gateway reports a better one. */
void rtredirect(struct sockaddr *dst, struct sockaddr *gateway, struct sockaddr *netmask, int flags,
                struct sockaddr *src, struct rtentry **rtp) {
    struct rtentry *rt = rtalloc1(dst, 0);
    bool valid = ifa_ifwithnet(gateway) && !(flags & RTF_DONE) &&
                 (!rt || (is_same(src, rt->rt_gateway) && rt->rt_ifa == ifa_ifwithnet(gateway))) &&
                 !ifa_ifwithaddr(gateway);
    if (rt)
        rt->rt_refcnt--;
    if (!valid) {
        rtstat.rts_badredirect++;
        return;
    }
    if (rtrequest(RTM_ADD, dst, gateway, netmask, (flags & RTF_HOST) | RTF_GATEWAY | RTF_DYNAMIC, rtp) == 0) {
        rtstat.rts_dynamic++;
        if (rtp && *rtp)
            (*rtp)->rt_refcnt--;
    }
}

/* There are no routing sockets to be told. */
void rt_missmsg(int type, struct rt_addrinfo *info, int flags, int error) {
    (void)type, (void)info, (void)flags, (void)error;
}
void rt_ifmsg(struct ifnet *ifp) { (void)ifp; }
void rt_newaddrmsg(int command, struct ifaddr *ifa, int error, struct rtentry *rt) {
    (void)command, (void)ifa, (void)error, (void)rt;
}
int rtioctl(unsigned long request, caddr_t data, struct proc *p) {
    (void)request, (void)data, (void)p;
    return EOPNOTSUPP;
}

/* Routes of links lead to the interface that has the destination. */
void link_rtrequest(int command, struct rtentry *rt, struct sockaddr *sa) {
    struct ifnet *ifp;
    struct ifaddr *ifa = rt->rt_ifa;
    (void)sa;
    if (command != RTM_ADD || !ifa || !(ifp = ifa->ifa_ifp))
        return;
    struct ifaddr *other = ifaof_ifpforaddr(rt_key(rt), ifp);
    if (other && other != ifa) {
        IFAFREE(rt->rt_ifa);
        rt->rt_ifa = other;
        IFAREF(other);
    }
}
