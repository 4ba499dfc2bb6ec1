/* Control blocks of raw sockets. */
#ifndef SUNOS_NET_RAW_CB_H
#define SUNOS_NET_RAW_CB_H
#pragma GCC system_header
#include <sys/socket.h>
#include <net/route.h>
struct socket;
struct mbuf;
struct rawcb {
    struct rawcb *rcb_next, *rcb_prev;
    struct socket *rcb_socket;
    struct sockaddr rcb_faddr;
    struct sockaddr rcb_laddr;
    struct sockproto rcb_proto;
    caddr_t rcb_pcb;
    struct mbuf *rcb_options;
    struct route rcb_route;
    short rcb_flags;
};
#define RAW_LADDR 01
#define RAW_FADDR 02
#define RAW_DONTROUTE 04
#define sotorawcb(so) ((struct rawcb *)(so)->so_pcb)
#define RAWSNDQ 2048
#define RAWRCVQ 2048
struct raw_header {
    struct sockproto raw_proto;
    struct sockaddr raw_dst;
    struct sockaddr raw_src;
};
#endif
