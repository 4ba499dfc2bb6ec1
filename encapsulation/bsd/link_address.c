/* Interfaces of 4.4BSD have a type and an address of the link itself. */
#define STR_PREFIXED
#include "bsd/lower.h"

#include <string.h>

#include <net/if_dl.h>
#include <net/if_types.h>

#ifdef NetBSD
static void start_nothing(struct ifnet *ifp) { (void)ifp; }
#else
static int start_nothing(struct ifnet *ifp) { return (void)ifp, 0; }
#endif

void bsd_interface_attach(struct lower *lower) {
    struct ifnet *ifp = &lower->arp.ac_if;
    bool is_ether = lower->kind->kind == BSD_ETHERNET;
    ifp->if_type = (u_char)(lower->kind->type ? lower->kind->type : is_ether ? IFT_ETHER : IFT_OTHER);
    ifp->if_start = start_nothing;
    if (!is_ether) {
        if_attach(ifp);
        return;
    }
    ifp->if_flags |= (short)(IFF_BROADCAST | IFF_SIMPLEX | IFF_MULTICAST);
    ifp->if_addrlen = 6;
    ifp->if_hdrlen = ETHER_HEADER;
#ifdef NetBSD
    ifp->if_broadcastaddr = etherbroadcastaddr;
#endif
    if_attach(ifp);
    struct sockaddr_dl *link = (struct sockaddr_dl *)(void *)BSD_FIRST_ADDRESS(ifp)->ifa_addr;
    link->sdl_alen = 6;
    memcpy(LLADDR(link), lower->arp.ac_enaddr, 6);
}
