/* Internet addresses. */
#ifndef BSD_NETINET_IN_H
#define BSD_NETINET_IN_H
#pragma GCC system_header
#include <sys/types.h>
#define IPPROTO_IP 0
#define IPPROTO_ICMP 1
#define IPPROTO_IGMP 2
#define IPPROTO_GGP 3
#define IPPROTO_TCP 6
#define IPPROTO_EGP 8
#define IPPROTO_PUP 12
#define IPPROTO_UDP 17
#define IPPROTO_IDP 22
#define IPPROTO_TP 29
#define IPPROTO_EON 80
#define IPPROTO_RAW 255
#define IPPROTO_MAX 256
#define IPPORT_RESERVED 1024
#define IPPORT_USERRESERVED 5000
struct in_addr {
    uint32_t s_addr;
};
#define __IPADDR(x) ((uint32_t)htonl((uint32_t)(x)))
#define IN_CLASSA(i) (((uint32_t)(i)&0x80000000) == 0)
#define IN_CLASSA_NET 0xff000000
#define IN_CLASSA_NSHIFT 24
#define IN_CLASSA_HOST 0x00ffffff
#define IN_CLASSA_MAX 128
#define IN_CLASSB(i) (((uint32_t)(i)&0xc0000000) == 0x80000000)
#define IN_CLASSB_NET 0xffff0000
#define IN_CLASSB_NSHIFT 16
#define IN_CLASSB_HOST 0x0000ffff
#define IN_CLASSB_MAX 65536
#define IN_CLASSC(i) (((uint32_t)(i)&0xe0000000) == 0xc0000000)
#define IN_CLASSC_NET 0xffffff00
#define IN_CLASSC_NSHIFT 8
#define IN_CLASSC_HOST 0x000000ff
#define IN_CLASSD(i) (((uint32_t)(i)&0xf0000000) == 0xe0000000)
#define IN_CLASSD_NET 0xf0000000
#define IN_CLASSD_NSHIFT 28
#define IN_CLASSD_HOST 0x0fffffff
#define IN_MULTICAST(i) IN_CLASSD(i)
#define IN_EXPERIMENTAL(i) (((uint32_t)(i)&0xe0000000) == 0xe0000000)
#define IN_BADCLASS(i) (((uint32_t)(i)&0xf0000000) == 0xf0000000)
#define INADDR_ANY ((uint32_t)0)
#define INADDR_BROADCAST ((uint32_t)0xffffffff)
#define INADDR_LOOPBACK ((uint32_t)0x7f000001)
#define INADDR_UNSPEC_GROUP ((uint32_t)0xe0000000)
#define INADDR_ALLHOSTS_GROUP ((uint32_t)0xe0000001)
#define INADDR_MAX_LOCAL_GROUP ((uint32_t)0xe00000ff)
#define IN_LOOPBACKNET 127
struct sockaddr_in {
    u_char sin_len;
    u_char sin_family;
    u_short sin_port;
    struct in_addr sin_addr;
    char sin_zero[8];
};
struct ip_opts {
    struct in_addr ip_dst;
    char ip_opts[40];
};
#define IP_OPTIONS 1
#define IP_HDRINCL 2
#define IP_TOS 3
#define IP_TTL 4
#define IP_RECVOPTS 5
#define IP_RECVRETOPTS 6
#define IP_RECVDSTADDR 7
#define IP_RETOPTS 8
#define IP_MULTICAST_IF 9
#define IP_MULTICAST_TTL 10
#define IP_MULTICAST_LOOP 11
#define IP_ADD_MEMBERSHIP 12
#define IP_DROP_MEMBERSHIP 13
#define IP_DEFAULT_MULTICAST_TTL 1
#define IP_DEFAULT_MULTICAST_LOOP 1
#define IP_MAX_MEMBERSHIPS 20
struct ip_mreq {
    struct in_addr imr_multiaddr, imr_interface;
};
#define IPPROTO_MAXID (IPPROTO_IDP + 1)
#define IPCTL_FORWARDING 1
#define IPCTL_SENDREDIRECTS 2
#define IPCTL_DEFTTL 3
#define IPCTL_DEFMTU 4
struct mbuf;
int in_cksum(struct mbuf *m, int length);
int in_broadcast();
int in_canforward();
int in_localaddr();
u_long in_netof();
void in_socktrim();
char *inet_ntoa();
#endif
