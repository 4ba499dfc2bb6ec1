/* Frames of IEEE 802.3 are those of the type EF_8023_TYPE. */
#ifndef SUNOS_NET_IF_IEEE802_H
#define SUNOS_NET_IF_IEEE802_H
#pragma GCC system_header
#include <netinet/if_ether.h>

#endif
