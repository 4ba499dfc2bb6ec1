/* Ethernet interfaces, and resolution of Internet addresses. */
#ifndef BSD_NETINET_IF_ETHER_H
#define BSD_NETINET_IF_ETHER_H
#pragma GCC system_header
#include <net/if_arp.h>
#include <net/if_ether.h>
struct ether_arp {
    struct arphdr ea_hdr;
    u_char arp_sha[6], arp_spa[4], arp_tha[6], arp_tpa[4];
};
#define arp_hrd ea_hdr.ar_hrd
#define arp_pro ea_hdr.ar_pro
#define arp_hln ea_hdr.ar_hln
#define arp_pln ea_hdr.ar_pln
#define arp_op ea_hdr.ar_op
/* Resolution of Internet addresses: the importing source defines what it uses of it. */
struct llinfo_arp {
    struct llinfo_arp *la_next, *la_prev;
    struct rtentry *la_rt;
    struct mbuf *la_hold; /* the last packet until it is resolved */
    long la_asked;
#define la_timer la_rt->rt_rmx.rmx_expire
};
struct sockaddr_inarp {
    u_char sin_len, sin_family;
    u_short sin_port;
    struct in_addr sin_addr, sin_srcaddr;
    u_short sin_tos, sin_other;
#define SIN_PROXY 1
};
#define RTF_USETRAILERS RTF_PROTO1
#define RTF_ANNOUNCE RTF_PROTO2
struct ifqueue;
extern struct ifqueue arpintrq;
void arpintr(), arp_rtrequest();
int arpresolve();
#endif
