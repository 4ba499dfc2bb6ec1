/* Ethernet headers and the common part of Ethernet interfaces. */
#ifndef BSD_NETINET_IF_ETHER_H
#define BSD_NETINET_IF_ETHER_H
#pragma GCC system_header
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
struct ether_header {
    u_char ether_dhost[6];
    u_char ether_shost[6];
    u_short ether_type;
};
#define ETHERTYPE_PUP 0x0200
#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_NS 0x0600
#define ETHERTYPE_ARP 0x0806
#define ETHERTYPE_REVARP 0x8035
#define ETHERTYPE_AARP 0x80f3
#define ETHERTYPE_AT 0x809b
#define ETHERTYPE_TRAIL 0x1000
#define ETHERTYPE_NTRAILER 16
#define ETHERMTU 1500
#define ETHERMIN (60 - 14)
struct ether_arp {
    struct arphdr ea_hdr;
    u_char arp_sha[6], arp_spa[4], arp_tha[6], arp_tpa[4];
};
#define arp_hrd ea_hdr.ar_hrd
#define arp_pro ea_hdr.ar_pro
#define arp_hln ea_hdr.ar_hln
#define arp_pln ea_hdr.ar_pln
#define arp_op ea_hdr.ar_op
/* An interface of the environment is an ifnet within an arpcom. */
struct arpcom {
    struct ifnet ac_if;
    u_char ac_enaddr[6];
    struct in_addr ac_ipaddr;
    void *ac_multiaddrs;
    int ac_multicnt;
};
extern u_char etherbroadcastaddr[6];

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
extern u_char ether_ipmulticast_min[6], ether_ipmulticast_max[6];
void arpintr(), arp_rtrequest();
int arpresolve(), ether_addmulti(), ether_delmulti();
struct ether_multi {
    u_char enm_addrlo[6], enm_addrhi[6];
    struct arpcom *enm_ac;
    u_int enm_refcount;
    struct ether_multi *enm_next;
};
#endif
