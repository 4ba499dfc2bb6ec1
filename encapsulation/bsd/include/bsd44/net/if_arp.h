/* Address resolution packets. */
#ifndef BSD_NET_IF_ARP_H
#define BSD_NET_IF_ARP_H
#pragma GCC system_header
#include <sys/types.h>
struct arphdr {
    u_short ar_hrd, ar_pro;
    u_char ar_hln, ar_pln;
    u_short ar_op;
};
#define ARPHRD_ETHER 1
#define ARPHRD_FRELAY 15
#define ARPOP_REQUEST 1
#define ARPOP_REPLY 2
#endif
