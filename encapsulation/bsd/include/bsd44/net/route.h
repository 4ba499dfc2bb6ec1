/* Routes. */
#ifndef BSD_NET_ROUTE_H
#define BSD_NET_ROUTE_H
#pragma GCC system_header
#include <sys/socket.h>
#include <sys/types.h>

struct ifnet;
struct ifaddr;

struct route {
    struct rtentry *ro_rt;
    struct sockaddr ro_dst;
};
struct rt_metrics {
    unsigned long rmx_locks, rmx_mtu, rmx_hopcount, rmx_expire, rmx_recvpipe, rmx_sendpipe, rmx_ssthresh;
    unsigned long rmx_rtt, rmx_rttvar;
    unsigned long rmx_pksent;
};
#define RTM_RTTUNIT 1000000
#define RTV_MTU 0x1
#define RTV_HOPCOUNT 0x2
#define RTV_EXPIRE 0x4
#define RTV_RPIPE 0x8
#define RTV_SPIPE 0x10
#define RTV_SSTHRESH 0x20
#define RTV_RTT 0x40
#define RTV_RTTVAR 0x80

struct radix_node;
struct rtentry {
    struct rtentry *bsd_next; /* of the table */
    struct sockaddr *bsd_key, *bsd_mask;
    struct sockaddr *rt_gateway;
    short rt_flags;
    short rt_refcnt;
    unsigned long rt_use;
    struct ifnet *rt_ifp;
    struct ifaddr *rt_ifa;
    struct sockaddr *rt_genmask;
    caddr_t rt_llinfo;
    struct rt_metrics rt_rmx;
    struct rtentry *rt_gwroute;
};
#define rt_key(r) ((r)->bsd_key)
#define rt_mask(r) ((r)->bsd_mask)

struct ortentry {
    unsigned long rt_hash;
    struct sockaddr rt_dst;
    struct sockaddr rt_gateway;
    short rt_flags;
    short rt_refcnt;
    unsigned long rt_use;
    struct ifnet *rt_ifp;
};

#define RTF_UP 0x1
#define RTF_GATEWAY 0x2
#define RTF_HOST 0x4
#define RTF_REJECT 0x8
#define RTF_DYNAMIC 0x10
#define RTF_MODIFIED 0x20
#define RTF_DONE 0x40
#define RTF_MASK 0x80
#define RTF_CLONING 0x100
#define RTF_XRESOLVE 0x200
#define RTF_LLINFO 0x400
#define RTF_STATIC 0x800
#define RTF_BLACKHOLE 0x1000
#define RTF_PROTO2 0x4000
#define RTF_PROTO1 0x8000

struct rtstat {
    short rts_badredirect, rts_dynamic, rts_newgateway, rts_unreach, rts_wildcard;
};

#define RTAX_DST 0
#define RTAX_GATEWAY 1
#define RTAX_NETMASK 2
#define RTAX_GENMASK 3
#define RTAX_IFP 4
#define RTAX_IFA 5
#define RTAX_AUTHOR 6
#define RTAX_BRD 7
#define RTAX_MAX 8
#define RTA_DST 0x1
#define RTA_GATEWAY 0x2
#define RTA_NETMASK 0x4
#define RTA_GENMASK 0x8
#define RTA_IFP 0x10
#define RTA_IFA 0x20
#define RTA_AUTHOR 0x40
#define RTA_BRD 0x80
struct rt_addrinfo {
    int rti_addrs;
    struct sockaddr *rti_info[RTAX_MAX];
};
#define RTM_ADD 0x1
#define RTM_DELETE 0x2
#define RTM_CHANGE 0x3
#define RTM_GET 0x4
#define RTM_LOSING 0x5
#define RTM_REDIRECT 0x6
#define RTM_MISS 0x7
#define RTM_RESOLVE 0xb
#define RTM_NEWADDR 0xc
#define RTM_DELADDR 0xd
#define RTM_IFINFO 0xe

#define RTFREE(rt) \
    do { \
        if ((rt)->rt_refcnt <= 1) \
            rtfree(rt); \
        else \
            (rt)->rt_refcnt--; \
    } while (0)

/* Memory and bytes under the names that the routing code has for them. */
#define R_Malloc(p, t, n) ((p) = (t)malloc((unsigned long)(n), M_RTABLE, M_NOWAIT))
#define Free(p) free((void *)(p), M_RTABLE)
#define Bcmp(a, b, n) bcmp(a, b, (size_t)(n))
#define Bcopy(a, b, n) bcopy(a, b, (size_t)(n))
#define Bzero(p, n) bzero(p, (size_t)(n))

extern struct rtstat rtstat;

void route_init(void);
void rtalloc(struct route *ro);
struct rtentry *rtalloc1(struct sockaddr *destination, int report);
void rtfree(struct rtentry *rt);
int rtrequest(int request, struct sockaddr *destination, struct sockaddr *gateway, struct sockaddr *netmask, int flags,
              struct rtentry **rt);
int rtinit(struct ifaddr *ifa, int command, int flags);
void rtredirect(struct sockaddr *dst, struct sockaddr *gateway, struct sockaddr *netmask, int flags,
                struct sockaddr *src, struct rtentry **rtp);
int rt_setgate(struct rtentry *rt, struct sockaddr *destination, struct sockaddr *gateway);
void rt_maskedcopy(struct sockaddr *from, struct sockaddr *to, struct sockaddr *mask);
void rt_missmsg(int type, struct rt_addrinfo *info, int flags, int error);
void rt_ifmsg(struct ifnet *ifp);
void rt_newaddrmsg(int command, struct ifaddr *ifa, int error, struct rtentry *rt);
int rtioctl(unsigned long request, caddr_t data, struct proc *p);

#endif
