/* Multicast addresses of Ethernets. An interface passes all multicast frames on; the lists are the protocols'. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/systm.h>

#define MOST_MULTI 64 /* ranges of an interface */

u_char ether_ipmulticast_min[6] = {0x01, 0x00, 0x5e, 0x00, 0x00, 0x00};
u_char ether_ipmulticast_max[6] = {0x01, 0x00, 0x5e, 0x7f, 0xff, 0xff};

struct ether_multi *bsd_lookup_multi(struct arpcom *ac, const u_char *low, const u_char *high) {
    struct ether_multi *enm = BSD_FIRST_MULTI(ac);
    while (enm && (memcmp(enm->enm_addrlo, low, 6) != 0 || memcmp(enm->enm_addrhi, high, 6) != 0))
        enm = BSD_NEXT_MULTI(enm);
    return enm;
}

/* The range that a request names: an Ethernet address in sa_data, or a group of the Internet; any of them: all. */
static int range_of(struct ifreq *ifr, u_char low[6], u_char high[6]) {
    struct sockaddr_in *in = (struct sockaddr_in *)(void *)&ifr->ifr_addr;
    switch (ifr->ifr_addr.sa_family) {
    case AF_UNSPEC:
        memcpy(low, ifr->ifr_addr.sa_data, 6);
        memcpy(high, low, 6);
        break;
    case AF_INET:
        if (in->sin_addr.s_addr == INADDR_ANY) {
            memcpy(low, ether_ipmulticast_min, 6);
            memcpy(high, ether_ipmulticast_max, 6);
        } else {
            ETHER_MAP_IP_MULTICAST(&in->sin_addr, low);
            memcpy(high, low, 6);
        }
        break;
    default: return EAFNOSUPPORT;
    }
    return low[0] & 1 && high[0] & 1 ? 0 : EINVAL;
}

/* ENETRESET: the list has changed, and a driver would set its filter anew. */
static int add_multi(struct ifreq *ifr, struct arpcom *ac) {
    u_char low[6], high[6];
    int error = range_of(ifr, low, high);
    struct ether_multi *enm = error ? NULL : bsd_lookup_multi(ac, low, high);
    if (error)
        return error;
    if (enm) {
        enm->enm_refcount++;
        return 0;
    }
    enm = ac->ac_multicnt < MOST_MULTI ? malloc(sizeof *enm, M_IFMADDR, M_NOWAIT) : NULL;
    if (!enm)
        return ENOBUFS;
    memset(enm, 0, sizeof *enm);
    memcpy(enm->enm_addrlo, low, 6);
    memcpy(enm->enm_addrhi, high, 6);
    enm->enm_refcount = 1;
#ifdef NetBSD
    enm->enm_ec = (struct ethercom *)(void *)ac;
    LIST_INSERT_HEAD(&ac->ac_multiaddrs, enm, enm_list);
#else
    enm->enm_ac = ac;
    enm->enm_next = ac->ac_multiaddrs;
    ac->ac_multiaddrs = enm;
#endif
    ac->ac_multicnt++;
    return ENETRESET;
}

static int delete_multi(struct ifreq *ifr, struct arpcom *ac) {
    u_char low[6], high[6];
    int error = range_of(ifr, low, high);
    struct ether_multi *enm = error ? NULL : bsd_lookup_multi(ac, low, high);
    if (!enm)
        return error ? error : ENXIO;
    if (--enm->enm_refcount > 0)
        return 0;
#ifdef NetBSD
    LIST_REMOVE(enm, enm_list);
#else
    struct ether_multi **at = &ac->ac_multiaddrs;
    while (*at != enm)
        at = &(*at)->enm_next;
    *at = enm->enm_next;
#endif
    free(enm, M_IFMADDR);
    ac->ac_multicnt--;
    return ENETRESET;
}

#ifdef NetBSD
int ether_addmulti(struct ifreq *ifr, struct ethercom *ec) { return add_multi(ifr, (struct arpcom *)(void *)ec); }
int ether_delmulti(struct ifreq *ifr, struct ethercom *ec) { return delete_multi(ifr, (struct arpcom *)(void *)ec); }
#else
int ether_addmulti(struct ifreq *ifr, struct arpcom *ac) { return add_multi(ifr, ac); }
int ether_delmulti(struct ifreq *ifr, struct arpcom *ac) { return delete_multi(ifr, ac); }
#endif

int bsd_ether_control(struct lower *lower, unsigned long command, caddr_t data) {
    struct ifreq *ifr = (struct ifreq *)(void *)data;
    if (lower->kind->kind != BSD_ETHERNET)
        return 0;
    int error = (unsigned)command == (unsigned)SIOCADDMULTI ? add_multi(ifr, &lower->arp)
                                                             : delete_multi(ifr, &lower->arp);
    return error == ENETRESET ? 0 : error;
}
