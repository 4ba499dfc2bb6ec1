/* Ethernet headers and the common part of Ethernet interfaces. */
#ifndef BSD_NET_IF_ETHER_H
#define BSD_NET_IF_ETHER_H
#pragma GCC system_header
#include <net/ethertypes.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/queue.h>

#define ETHER_ADDR_LEN 6
#define ETHER_TYPE_LEN 2
#define ETHER_CRC_LEN 4
#define ETHER_HDR_LEN 14
#define ETHER_MIN_LEN 64
#define ETHER_MAX_LEN 1518
#define ETHERMTU 1500
#define ETHERMIN (60 - 14)
#define ETHER_IS_MULTICAST(address) (*(address) & 0x01)

struct ether_header {
    u_char ether_dhost[6];
    u_char ether_shost[6];
    u_short ether_type;
};

/* Multicast addresses that protocols want, in ranges. An interface of the environment passes all of them on. */
struct ether_multi {
    u_char enm_addrlo[6], enm_addrhi[6];
#ifdef NetBSD
    struct ethercom *enm_ec;
    u_int enm_refcount;
    LIST_ENTRY(ether_multi) enm_list;
#else
    struct arpcom *enm_ac;
    u_int enm_refcount;
    struct ether_multi *enm_next;
#endif
};
struct ether_multistep {
    struct ether_multi *e_enm;
};

/* An interface of the environment is an ifnet within an arpcom; an ethercom is its first part. */
#ifdef NetBSD
LIST_HEAD(ether_multihead, ether_multi);
struct ethercom {
    struct ifnet ec_if;
    struct ether_multihead ec_multiaddrs;
    int ec_multicnt;
};
struct arpcom {
    struct ifnet ac_if;
    struct ether_multihead ac_multiaddrs;
    int ac_multicnt;
    u_char ac_enaddr[6];
    struct in_addr ac_ipaddr;
};
#define BSD_FIRST_MULTI(ac) ((ac)->ac_multiaddrs.lh_first)
#define BSD_NEXT_MULTI(enm) ((enm)->enm_list.le_next)
int ether_addmulti(struct ifreq *ifr, struct ethercom *ec);
int ether_delmulti(struct ifreq *ifr, struct ethercom *ec);
#else
struct arpcom {
    struct ifnet ac_if;
    u_char ac_enaddr[6];
    struct in_addr ac_ipaddr;
    struct ether_multi *ac_multiaddrs;
    int ac_multicnt;
};
#define BSD_FIRST_MULTI(ac) ((ac)->ac_multiaddrs)
#define BSD_NEXT_MULTI(enm) ((enm)->enm_next)
int ether_addmulti(struct ifreq *ifr, struct arpcom *ac);
int ether_delmulti(struct ifreq *ifr, struct arpcom *ac);
#endif
#define ETHER_LOOKUP_MULTI(lo, hi, ac, enm) ((enm) = bsd_lookup_multi((struct arpcom *)(ac), (lo), (hi)))
#define ETHER_FIRST_MULTI(step, ac, enm) \
    do { \
        (step).e_enm = BSD_FIRST_MULTI((struct arpcom *)(ac)); \
        ETHER_NEXT_MULTI((step), (enm)); \
    } while (0)
#define ETHER_NEXT_MULTI(step, enm) \
    do { \
        if (((enm) = (step).e_enm) != NULL) \
            (step).e_enm = BSD_NEXT_MULTI(enm); \
    } while (0)
/* The Ethernet address of an Internet multicast group. */
#define ETHER_MAP_IP_MULTICAST(group, station) \
    ((station)[0] = 0x01, (station)[1] = 0x00, (station)[2] = 0x5e, (station)[3] = ((u_char *)(group))[1] & 0x7f, \
     (station)[4] = ((u_char *)(group))[2], (station)[5] = ((u_char *)(group))[3])

extern u_char etherbroadcastaddr[6], ether_ipmulticast_min[6], ether_ipmulticast_max[6];
struct ether_multi *bsd_lookup_multi(struct arpcom *ac, const u_char *low, const u_char *high);
#endif
