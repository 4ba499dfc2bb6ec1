/* Control blocks of raw sockets. A family puts a structure of its own around one, allocates it before raw_attach, and
 * leaves its release to raw_detach. */
#ifndef BSD_NET_RAW_CB_H
#define BSD_NET_RAW_CB_H
#pragma GCC system_header
#include <sys/queue.h>
#include <sys/socket.h>
struct socket;
struct mbuf;
struct proc;
struct rawcb {
#ifdef NetBSD
    LIST_ENTRY(rawcb) rcb_list;
#else
    struct rawcb *rcb_next, *rcb_prev;
#endif
    struct socket *rcb_socket;
    struct sockaddr *rcb_faddr;
    struct sockaddr *rcb_laddr;
    struct sockproto rcb_proto;
};
#define sotorawcb(so) ((struct rawcb *)(so)->so_pcb)
#define RAWSNDQ 8192
#define RAWRCVQ 8192
#ifdef NetBSD
LIST_HEAD(rawcbhead, rawcb);
extern struct rawcbhead rawcb;
#define BSD_PROC , struct proc *p __attribute__((unused)) /* the last parameter of a user request */
#else
extern struct rawcb rawcb;
#define BSD_PROC
#endif
extern unsigned long raw_sendspace, raw_recvspace;
int raw_attach(struct socket *so, int protocol);
void raw_detach(struct rawcb *rp);
void raw_disconnect(struct rawcb *rp);
void raw_init(void);
void raw_input(struct mbuf *m, struct sockproto *protocol, struct sockaddr *from, struct sockaddr *to);
int raw_usrreq(struct socket *so, int request, struct mbuf *m, struct mbuf *nam, struct mbuf *control BSD_PROC);
void raw_ctlinput(int command, struct sockaddr *to);
#endif
