/*
 * DDP protocol control blocks and variables.
 */
struct ddpcb {
	struct	ddpcb *ddp_next, *ddp_prev;
	struct	socket *ddp_socket;
	struct	at_address ddp_laddr;
	struct	at_address ddp_faddr;
	u_char	ddp_type;		/* of its datagrams; zero if any */
};

#define	sotoddpcb(so)	((struct ddpcb *)(so)->so_pcb)

#define	DDP_MAXHDR	(AT_LAP_HEADER + AT_LONG_HEADER)

#ifdef KERNEL
extern struct ddpcb ddpcb;		/* head of list */
extern struct at_sockets ddp_sockets;
extern struct at_ddp_counts ddpstat;
extern int ddp_cksum;			/* generate checksums */
extern u_char ddp_protox[256];

void	ddp_init __P((void));
void	ddpintr __P((void));
void	ddp_input __P((struct mbuf *, int));
int	ddp_output __P((struct mbuf *, struct route *, int));
int	ddp_usrreq __P((struct socket *, int, struct mbuf *, struct mbuf *,
	    struct mbuf *));
#endif
