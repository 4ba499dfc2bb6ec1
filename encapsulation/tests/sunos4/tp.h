/*
 * Test protocols in the style of SunOS 4 and 4.3BSD: TDP (datagrams) and
 * TSP (a stream), over links that carry their packets as they are.
 */
struct sockaddr_tp {
	u_short	stp_family;
	u_short	stp_port;
	u_char	stp_node;
	char	stp_zero[11];
};

#define	AF_TP		25
#define	TPPROTO_TDP	1
#define	TPPROTO_TSP	2

struct tphdr {
	u_char	th_to, th_from;		/* nodes */
	u_char	th_proto, th_flags;
	u_short	th_sport, th_dport;
	n_long	th_seq, th_ack;
	u_short	th_win, th_sum;
};
#define	TH_SYN	0x01
#define	TH_ACK	0x02
#define	TH_FIN	0x04
#define	TH_RST	0x08
#define	TH_OOB	0x10

/*
 * Control block: within an mbuf, which dtom() finds.
 */
struct tpcb {
	struct	tpcb *tp_next, *tp_prev;
	struct	socket *tp_socket;
	struct	mbuf *tp_early;		/* segments out of order, by m_act */
	u_short	tp_lport, tp_fport;
	u_char	tp_fnode, tp_proto;
	short	tp_state;
	short	tp_timer, tp_tries;
	short	tp_flags;
	char	tp_oob;
	u_int	tp_una, tp_nxt, tp_rcv;
	u_short	tp_win;
};
#define	sototpcb(so)	((struct tpcb *)(so)->so_pcb)

#define	TPS_CLOSED	0
#define	TPS_LISTEN	1
#define	TPS_SYNSENT	2
#define	TPS_SYNRCVD	3
#define	TPS_OPEN	4

#define	TPF_FINSENT	1
#define	TPF_FINACKED	2
#define	TPF_FINRCVD	4
#define	TPF_HAVEOOB	8
#define	TPF_ACKNOW	16

#define	TSP_MSS		512
#define	TSP_TRIES	12
#define	TSP_EARLY	8

#ifdef KERNEL
extern struct domain tpdomain;
extern struct protosw tpsw[];
extern struct tpcb tpcb;
extern struct ifqueue tpintrq;
extern int tp_node, tp_fasts, tp_slows, tp_drains, tp_ticks;
struct tpcb *tp_lookup();
#endif
