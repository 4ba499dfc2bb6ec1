/* Internet addresses. */
#ifndef SUNOS_NETINET_IN_H
#define SUNOS_NETINET_IN_H
#pragma GCC system_header
#include <sys/types.h>
#define IPPROTO_IP 0
#define IPPROTO_ICMP 1
#define IPPROTO_GGP 3
#define IPPROTO_TCP 6
#define IPPROTO_EGP 8
#define IPPROTO_PUP 12
#define IPPROTO_UDP 17
#define IPPROTO_IDP 22
#define IPPROTO_RAW 255
#define IPPROTO_MAX 256
#define IPPORT_RESERVED 1024
#define IPPORT_USERRESERVED 5000
struct in_addr {
    uint32_t s_addr;
};
#define IN_CLASSA(i) (((uint32_t)(i)&0x80000000) == 0)
#define IN_CLASSA_NET 0xff000000
#define IN_CLASSA_NSHIFT 24
#define IN_CLASSA_HOST 0x00ffffff
#define IN_CLASSB(i) (((uint32_t)(i)&0xc0000000) == 0x80000000)
#define IN_CLASSB_NET 0xffff0000
#define IN_CLASSB_NSHIFT 16
#define IN_CLASSB_HOST 0x0000ffff
#define IN_CLASSC(i) (((uint32_t)(i)&0xe0000000) == 0xc0000000)
#define IN_CLASSC_NET 0xffffff00
#define IN_CLASSC_NSHIFT 8
#define IN_CLASSC_HOST 0x000000ff
#define INADDR_ANY ((uint32_t)0)
#define INADDR_BROADCAST ((uint32_t)0xffffffff)
#define INADDR_LOOPBACK ((uint32_t)0x7f000001)
#define IN_LOOPBACKNET 127
struct sockaddr_in {
    short sin_family;
    u_short sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
#define IP_OPTIONS 1
struct mbuf;
int in_cksum(struct mbuf *m, int length);
#endif
