/* Sockets: types, options, families and addresses. */
#ifndef SUNOS_SYS_SOCKET_H
#define SUNOS_SYS_SOCKET_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/types.h>

#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define SOCK_RAW 3
#define SOCK_RDM 4
#define SOCK_SEQPACKET 5

#define SO_DEBUG 0x0001
#define SO_ACCEPTCONN 0x0002
#define SO_REUSEADDR 0x0004
#define SO_KEEPALIVE 0x0008
#define SO_DONTROUTE 0x0010
#define SO_BROADCAST 0x0020
#define SO_USELOOPBACK 0x0040
#define SO_LINGER 0x0080
#define SO_OOBINLINE 0x0100
#define SO_REUSEPORT 0x0200
#define SO_SNDBUF 0x1001
#define SO_RCVBUF 0x1002
#define SO_SNDLOWAT 0x1003
#define SO_RCVLOWAT 0x1004
#define SO_SNDTIMEO 0x1005
#define SO_RCVTIMEO 0x1006
#define SO_ERROR 0x1007
#define SO_TYPE 0x1008
#define SOL_SOCKET 0xffff

struct linger {
    int l_onoff, l_linger;
};

#define AF_UNSPEC 0
#define AF_UNIX 1
#define AF_INET 2
#define AF_IMPLINK 3
#define AF_PUP 4
#define AF_CHAOS 5
#define AF_NS 6
#define AF_NBS 7
#define AF_ECMA 8
#define AF_DATAKIT 9
#define AF_CCITT 10
#define AF_SNA 11
#define AF_DECnet 12
#define AF_DLI 13
#define AF_LAT 14
#define AF_HYLINK 15
#define AF_APPLETALK 16
#define AF_NIT 17
#define AF_802 18
#define AF_OSI 19
#define AF_X25 20
#define AF_OSINET 21
#define AF_GOSIP 22
#define AF_MAX 32

/* Addresses have no length: 16 bytes are an address. */
struct sockaddr {
    u_short sa_family;
    char sa_data[14];
};
struct sockproto {
    u_short sp_family;
    u_short sp_protocol;
};

#define PF_UNSPEC AF_UNSPEC
#define PF_UNIX AF_UNIX
#define PF_INET AF_INET
#define PF_PUP AF_PUP
#define PF_NS AF_NS
#define PF_CCITT AF_CCITT
#define PF_DECnet AF_DECnet
#define PF_APPLETALK AF_APPLETALK
#define PF_MAX AF_MAX

#define SOMAXCONN 5

struct iovec;
struct msghdr {
    caddr_t msg_name;
    int msg_namelen;
    struct iovec *msg_iov;
    int msg_iovlen;
    caddr_t msg_accrights;
    int msg_accrightslen;
};
#define MSG_OOB 0x1
#define MSG_PEEK 0x2
#define MSG_DONTROUTE 0x4
#define MSG_MAXIOVLEN 16

/* For the environment's own sources. */
#define BSD_ADDRESS_LENGTH(address) ((void)(address), (int)sizeof(struct sockaddr))
#define BSD_SET_ADDRESS_LENGTH(address, bytes) ((void)(bytes))

#endif
