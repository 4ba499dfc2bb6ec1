/* Sockets within the kernel. */
#ifndef BSD_SYS_SOCKETVAR_H
#define BSD_SYS_SOCKETVAR_H
#pragma GCC system_header
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/select.h>

struct protosw;
struct mbuf;
struct sockaddr;
struct uio;

struct socket {
    short so_type;
    short so_options;
    short so_linger;
    short so_state;
    caddr_t so_pcb; /* protocol control block */
    struct protosw *so_proto;
    struct socket *so_head; /* back pointer to the accepting socket */
    struct socket *so_q0;   /* queue of partial connections */
    struct socket *so_q;    /* queue of incoming connections */
    short so_q0len, so_qlen, so_qlimit;
    short so_timeo;  /* connection timeout */
    u_short so_error; /* error affecting the connection */
    pid_t so_pgid;
    unsigned long so_oobmark; /* chars to the out-of-band mark */
    struct sockbuf {
        unsigned long sb_cc;    /* actual chars in buffer */
        unsigned long sb_hiwat; /* max actual char count */
        unsigned long sb_mbcnt; /* chars of mbufs used */
        unsigned long sb_mbmax; /* max chars of mbufs to use */
        long sb_lowat;   /* low water mark */
        struct mbuf *sb_mb;
        struct selinfo sb_sel;
        short sb_flags;
        short sb_timeo;
    } so_rcv, so_snd;
#define SB_MAX (256 * 1024)
#define SB_LOCK 0x01
#define SB_WANT 0x02
#define SB_WAIT 0x04
#define SB_SEL 0x08
#define SB_ASYNC 0x10
#define SB_NOTIFY (SB_WAIT | SB_SEL | SB_ASYNC)
#define SB_NOINTR 0x40
    caddr_t so_tpcb;
    void (*so_upcall)(struct socket *so, caddr_t arg, int waitf);
    caddr_t so_upcallarg;
    caddr_t bsd_endpoint;    /* of the environment: the upper stream */
    struct socket *bsd_ring; /* of the environment: sockets to be looked at */
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
#define SS_ISCONFIRMING 0x400

#define BSD_COUNT unsigned long /* the type of the counts in a sockbuf */
#define sb_notify(sb) (1)
#define sbspace(sb) \
    ((long)imin((int)((sb)->sb_hiwat - (sb)->sb_cc), (int)((sb)->sb_mbmax - (sb)->sb_mbcnt)))
#define sosendallatonce(so) ((so)->so_proto->pr_flags & PR_ATOMIC)
#define soreadable(so) \
    ((long)(so)->so_rcv.sb_cc >= (so)->so_rcv.sb_lowat || ((so)->so_state & SS_CANTRCVMORE) || (so)->so_qlen || \
     (so)->so_error)
#define sowriteable(so) \
    ((sbspace(&(so)->so_snd) >= (so)->so_snd.sb_lowat && \
      (((so)->so_state & SS_ISCONNECTED) || ((so)->so_proto->pr_flags & PR_CONNREQUIRED) == 0)) || \
     ((so)->so_state & SS_CANTSENDMORE) || (so)->so_error)
#define sballoc(sb, m) \
    do { \
        (sb)->sb_cc += (m)->m_len; \
        (sb)->sb_mbcnt += MSIZE; \
        if ((m)->m_flags & M_EXT) \
            (sb)->sb_mbcnt += (m)->m_ext.ext_size; \
    } while (0)
#define sbfree(sb, m) \
    do { \
        (sb)->sb_cc -= (m)->m_len; \
        (sb)->sb_mbcnt -= MSIZE; \
        if ((m)->m_flags & M_EXT) \
            (sb)->sb_mbcnt -= (m)->m_ext.ext_size; \
    } while (0)
#define sblock(sb, wf) (0)
#define sbunlock(sb) ((void)0)
#define sorwakeup(so) sowakeup((so), &(so)->so_rcv)
#define sowwakeup(so) sowakeup((so), &(so)->so_snd)

extern u_long sb_max;

void sbappend(struct sockbuf *sb, struct mbuf *m);
int sbappendaddr(struct sockbuf *sb, struct sockaddr *asa, struct mbuf *m0, struct mbuf *control);
int sbappendcontrol(struct sockbuf *sb, struct mbuf *m0, struct mbuf *control);
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
#define sonewconn(head, connstatus) sonewconn1((head), (connstatus))
void soqinsque(struct socket *head, struct socket *so, int q);
int soqremque(struct socket *so, int q);
int soreserve(struct socket *so, unsigned long sndcc, unsigned long rcvcc);
void sorflush(struct socket *so);
int sbwait(struct sockbuf *sb);
void sowakeup(struct socket *so, struct sockbuf *sb);

#endif
