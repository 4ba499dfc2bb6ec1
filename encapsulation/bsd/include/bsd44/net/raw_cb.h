/* Control blocks of raw sockets. */
#ifndef BSD_NET_RAW_CB_H
#define BSD_NET_RAW_CB_H
#pragma GCC system_header
#include <sys/socket.h>
struct socket;
struct mbuf;
struct rawcb {
    struct rawcb *rcb_next, *rcb_prev;
    struct socket *rcb_socket;
    struct sockaddr *rcb_faddr;
    struct sockaddr *rcb_laddr;
    struct sockproto rcb_proto;
};
#define sotorawcb(so) ((struct rawcb *)(so)->so_pcb)
#define RAWSNDQ 8192
#define RAWRCVQ 8192
extern struct rawcb rawcb;
int raw_attach(struct socket *so, int protocol);
void raw_detach(struct rawcb *rp);
void raw_disconnect(struct rawcb *rp);
void raw_init(void);
void raw_input();
int raw_usrreq();
void raw_ctlinput();
#endif
