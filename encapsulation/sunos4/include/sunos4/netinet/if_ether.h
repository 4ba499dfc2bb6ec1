/* Ethernet headers and the common part of Ethernet interfaces. */
#ifndef SUNOS_NETINET_IF_ETHER_H
#define SUNOS_NETINET_IF_ETHER_H
#pragma GCC system_header
#include <net/if.h>
#include <net/if_arp.h>
#include <netinet/in.h>
/* SunOS 4 has a structure where 4.3BSD has six bytes; sources that define `sun` get it. */
struct ether_addr {
    u_char ether_addr_octet[6];
};
#if defined sun && defined KERNEL
#define BSD_STATION(name) struct ether_addr name
#else
#define BSD_STATION(name) u_char name[6]
#endif
struct ether_header {
    BSD_STATION(ether_dhost);
    BSD_STATION(ether_shost);
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
    BSD_STATION(ac_enaddr);
    struct in_addr ac_ipaddr;
};
extern BSD_STATION(etherbroadcastaddr);

/* Families of Ethernets: who takes frames of a type, and who finds the station of an address (families.c). */
struct ether_family {
    int ef_family;
    u_short ef_ethertype; /* of frames, in the order of the host */
    struct ifqueue *(*ef_infunc)(); /* (ifp, m, header): the queue that gets the packet; null: it has taken it */
    int (*ef_outfunc)();            /* (destination, m, ifp, station): not 0: it has taken the packet */
    int (*ef_netisr)();             /* serves the queue */
    struct ether_family *ef_next;
};
#define EF_8023_TYPE 1 /* frames of IEEE 802.3; less than any type */
extern struct ether_family *ether_families;
int ether_register(struct ether_family *family);
#endif
