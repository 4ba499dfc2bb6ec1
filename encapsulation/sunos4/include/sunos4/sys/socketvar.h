/* Sockets within the kernel. Counts have an int each, u_short there. */
#ifndef SUNOS_SYS_SOCKETVAR_H
#define SUNOS_SYS_SOCKETVAR_H
#pragma GCC system_header
#include <sys/param.h>
#include <sys/systm.h>

struct mbuf;
struct proc;
struct protosw;
struct sockaddr;

struct socket {
    short so_type;
    short so_options;
    short so_linger;
    short so_state;
    caddr_t so_pcb; /* protocol control block */
    struct protosw *so_proto;
    struct socket *so_head; /* back pointer to the accepting socket */
    struct socket *so_q0;   /* queue of partial connections, ended by a null pointer */
    short so_q0len;
    struct socket *so_q;    /* queue of incoming connections */
    short so_qlen;
    short so_qlimit;
    struct sockbuf {
        int sb_cc;    /* actual chars in buffer */
        int sb_hiwat; /* max actual char count */
        int sb_mbcnt; /* chars of mbufs used */
        int sb_mbmax; /* max chars of mbufs to use */
        int sb_lowat; /* of the environment: what a sender waits for */
        short sb_timeo;
        struct mbuf *sb_mb;
        struct proc *sb_sel;
        short sb_flags;
    } so_rcv, so_snd;
#define SB_MAX 65535
#define SB_LOCK 0x01
#define SB_WANT 0x02
#define SB_WAIT 0x04
#define SB_SEL 0x08
#define SB_COLL 0x10
    short so_timeo;
    u_short so_error;
    int so_oobmark; /* chars to the out-of-band mark */
    int so_pgid;
#define so_pgrp so_pgid
    void (*so_upcall)();     /* this and the rest: of the environment */
    caddr_t so_upcallarg;
    caddr_t bsd_endpoint;    /* the upper stream */
    struct socket *bsd_ring; /* sockets to be looked at */
    int bsd_flags;
};

#define SS_NOFDREF 0x001
#define SS_ISCONNECTED 0x002
#define SS_ISCONNECTING 0x004
#define SS_ISDISCONNECTING 0x008
#define SS_CANTSENDMORE 0x010
#define SS_CANTRCVMORE 0x020
#define SS_RCVATMARK 0x040
#define SS_PRIV 0x080
#define SS_NBIO 0x100
#define SS_ASYNC 0x200
#define SS_ISCONFIRMING 0

#define BSD_COUNT int /* the type of the counts in a sockbuf */
#define sbspace(sb) (MIN((sb)->sb_hiwat - (sb)->sb_cc, (sb)->sb_mbmax - (sb)->sb_mbcnt))
#define sosendallatonce(so) ((so)->so_proto->pr_flags & PR_ATOMIC)
#define soreadable(so) \
    ((so)->so_rcv.sb_cc || ((so)->so_state & SS_CANTRCVMORE) || (so)->so_qlen || (so)->so_error)
#define sowriteable(so) \
    ((sbspace(&(so)->so_snd) > 0 && \
      (((so)->so_state & SS_ISCONNECTED) || ((so)->so_proto->pr_flags & PR_CONNREQUIRED) == 0)) || \
     ((so)->so_state & SS_CANTSENDMORE) || (so)->so_error)
#define sballoc(sb, m) { (sb)->sb_cc += (m)->m_len; (sb)->sb_mbcnt += MSIZE + BSD_STORAGE(m); }
#define sbfree(sb, m) { (sb)->sb_cc -= (m)->m_len; (sb)->sb_mbcnt -= MSIZE + BSD_STORAGE(m); }
#define sblock(sb) { }
#define sbunlock(sb) { }
#define sorwakeup(so) sowakeup((so), &(so)->so_rcv)
#define sowwakeup(so) sowakeup((so), &(so)->so_snd)

extern u_long sb_max;

/* Rights stay the caller's: the environment's own sbappendaddr takes them (rights.c). */
#ifndef KERNEL
#define sbappendaddr bsd_sbappendaddr
#endif
void sbappend(struct sockbuf *sb, struct mbuf *m);
int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *rights);
int sbappendcontrol(struct sockbuf *sb, struct mbuf *m0, struct mbuf *control);
int sbappendrights(struct sockbuf *sb, struct mbuf *m0, struct mbuf *rights);
void sbappendrecord(struct sockbuf *sb, struct mbuf *m0);
void sbcheck(struct sockbuf *sb);
void sbcompress(struct sockbuf *sb, struct mbuf *m, struct mbuf *n);
void sbdrop(struct sockbuf *sb, int length);
void sbdroprecord(struct sockbuf *sb);
void sbflush(struct sockbuf *sb);
void sbinsertoob(struct sockbuf *sb, struct mbuf *m0);
void sbrelease(struct sockbuf *sb);
int sbreserve(struct sockbuf *sb, unsigned long cc);
int soabort(struct socket *so);
void socantrcvmore(struct socket *so);
void socantsendmore(struct socket *so);
int sodisconnect(struct socket *so);
void sofree(struct socket *so);
void sohasoutofband(struct socket *so);
void soisconnected(struct socket *so);
void soisconnecting(struct socket *so);
void soisdisconnected(struct socket *so);
void soisdisconnecting(struct socket *so);
struct socket *sonewconn1(struct socket *head, int connstatus);
struct socket *sonewconn(struct socket *head);
void soqinsque(struct socket *head, struct socket *so, int q);
int soqremque(struct socket *so, int q);
int soreserve(struct socket *so, unsigned long sndcc, unsigned long rcvcc);
void sorflush(struct socket *so);
void sowakeup(struct socket *so, struct sockbuf *sb);

#endif
