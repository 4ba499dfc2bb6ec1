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
#define ARPOP_REVREQUEST 3
#define ARPOP_REVREPLY 4
#define ATF_INUSE 0x01
#define ATF_COM 0x02
#define ATF_PERM 0x04
#define ATF_PUBL 0x08
#define ATF_USETRAILERS 0x10
#endif
