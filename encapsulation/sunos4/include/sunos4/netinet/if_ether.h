/* Ethernet headers and the common part of Ethernet interfaces. */
#ifndef SUNOS_NETINET_IF_ETHER_H
#define SUNOS_NETINET_IF_ETHER_H
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
#define ETHERTYPE_PUPTYPE ETHERTYPE_PUP
#define ETHERTYPE_NS 0x0600
#define ETHERTYPE_IP 0x0800
#define ETHERTYPE_ARP 0x0806
#define ETHERTYPE_REVARP 0x8035
#define ETHERTYPE_AT 0x809b
#define ETHERTYPE_AARP 0x80f3
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
};
extern u_char etherbroadcastaddr[6];
#endif
