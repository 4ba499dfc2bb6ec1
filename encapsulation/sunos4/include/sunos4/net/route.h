/* Routes: to a host, or to all addresses whose network af_netmatch calls equal. */
#ifndef SUNOS_NET_ROUTE_H
#define SUNOS_NET_ROUTE_H
#pragma GCC system_header
#include <sys/socket.h>
#include <sys/types.h>

struct ifnet;

struct route {
    struct rtentry *ro_rt;
    struct sockaddr ro_dst;
};
struct rtentry {
    unsigned long rt_hash;
    struct sockaddr rt_dst;     /* key */
    struct sockaddr rt_gateway; /* value */
    short rt_flags;
    short rt_refcnt;
    unsigned long rt_use;
    struct ifnet *rt_ifp;
};

#define RTF_UP 0x1
#define RTF_GATEWAY 0x2
#define RTF_HOST 0x4
#define RTF_REINSTATE 0x8
#define RTF_DYNAMIC 0x10
#define RTF_MODIFIED 0x20

struct rtstat {
    short rts_badredirect, rts_dynamic, rts_newgateway, rts_unreach, rts_wildcard;
};

#define RTFREE(rt) \
    { \
        if ((rt)->rt_refcnt == 1) \
            rtfree(rt); \
        else \
            (rt)->rt_refcnt--; \
    }

extern struct rtstat rtstat;
extern struct sockaddr wildcard;
extern struct rtentry nowildcard; /* as ro_rt: rtalloc finds no wildcard route */

void route_init(void);
void rtalloc(struct route *ro);
void rtfree(struct rtentry *rt);
int rtrequest(int request, struct rtentry *entry);
void rtinit(struct sockaddr *destination, struct sockaddr *gateway, int request, int flags);
void rtredirect(struct sockaddr *destination, struct sockaddr *gateway, int flags, struct sockaddr *source);
int rtioctl(int request, caddr_t data);

#endif
