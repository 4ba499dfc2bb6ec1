/* Hooks of a description whose source registers families of Ethernets. */
#ifndef NACRE_SUNOS_FAMILIES_H
#define NACRE_SUNOS_FAMILIES_H

#include "bsd/bsd.h"

#define BSD_FAMILIES_NETISR 30

void bsd_families_input(struct ifnet *ifp, struct mbuf *m, struct ether_header *header);
void bsd_families_interrupt(void);
int bsd_families_output(struct ifnet *ifp, struct mbuf **packet, struct sockaddr *to, struct rtentry *rt,
                        struct ether_header *header);

#endif
