/*
 * LP: datagrams over Ethernets with 802.2 headers, and resolution of its
 * addresses, in the style of NetBSD 1.3.  Without NetBSD, in that of 4.4BSD.
 */
struct sockaddr_lp {
	u_char	slp_len;
	u_char	slp_family;
	u_short	slp_port;
	u_char	slp_node;
	char	slp_zero[11];
};
#define	AF_LP		25
#define	satoslp(sa)	((struct sockaddr_lp *)(sa))

struct lphdr {
	u_char	lh_to, lh_from;		/* nodes */
	u_short	lh_dport, lh_sport;
};
#define	LPTYPE_DATA	0x9001
#define	LPTYPE_RESOLVE	0x9002

/* A resolution packet; it follows a struct arphdr. */
struct lparp {
	struct	arphdr la_hdr;
	u_char	la_sha[6], la_spa, la_tha[6], la_tpa;
};
#define	LPOP_REQUEST	1
#define	LPOP_REPLY	2
#define	LPOP_PROBE	3

struct lp_ifaddr {
	struct	ifaddr ia_ifa;
#define	ia_ifp	ia_ifa.ifa_ifp
	struct	sockaddr_lp ia_addr, ia_broadaddr, ia_mask;
	int	ia_probes;		/* that are left; negative: it is ours */
	int	ia_taken;
#ifdef NetBSD
	TAILQ_ENTRY(lp_ifaddr) ia_list;
#else
	struct	lp_ifaddr *ia_next;
#endif
};

struct lpcb {
#ifdef NetBSD
	LIST_ENTRY(lpcb) lp_list;
#else
	struct	lpcb *lp_next, *lp_prev;
#endif
	struct	socket *lp_socket;
	u_short	lp_port;
};
#define	sotolpcb(so)	((struct lpcb *)(so)->so_pcb)

/* Commands: the multicast addresses of an interface, and a failure after a sleep. */
#define	SIOCLPMULTI	_IOWR('i', 100, struct ifreq)
#define	SIOCLPFAIL	_IOW('i', 101, struct ifreq)

#ifdef _KERNEL
extern struct domain lpdomain;
extern struct ifqueue lpintrq;
extern u_char lp_org_code[3], lp_multicast[6];
extern int lp_resolved;
#ifdef NetBSD
TAILQ_HEAD(lp_ifaddrhead, lp_ifaddr);
LIST_HEAD(lpcbhead, lpcb);
extern struct lp_ifaddrhead lp_ifaddr;
extern struct lpcbhead lpcb;
#define	LP_STATION(ifp)	LLADDR((ifp)->if_sadl)
#else
extern struct lp_ifaddr *lp_ifaddr;
extern struct lpcb lpcb;
#define	LP_STATION(ifp)	((struct arpcom *)(ifp))->ac_enaddr
#endif

struct lp_ifaddr *lp_iaonif __P((struct ifnet *));
int	lp_control __P((u_long, caddr_t, struct ifnet *, struct proc *));
int	lp_output __P((struct mbuf *, int, u_short, u_short));
int	lp_usrreq __P((struct socket *, int, struct mbuf *, struct mbuf *,
	    struct mbuf *, struct proc *));
int	lp_rawusrreq __P((struct socket *, int, struct mbuf *, struct mbuf *,
	    struct mbuf *, struct proc *));
int	lp_rawoutput __P((struct mbuf *, struct socket *));
int	lpresolve __P((struct ifnet *, struct mbuf *, struct sockaddr_lp *, u_char *));
void	lparpinput __P((struct ifnet *, struct mbuf *));
void	lpprobe __P((void *));
void	lp_init __P((void));
void	lpintr __P((void));
#endif
