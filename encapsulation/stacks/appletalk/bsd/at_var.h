/*
 * Interface addresses of AppleTalk.
 */
struct at_ifaddr {
	struct	ifaddr aa_ifa;		/* protocol-independent part */
#define	aa_ifp	aa_ifa.ifa_ifp
	struct	sockaddr_at aa_addr;
	struct	sockaddr_at aa_broadaddr;
	int	aa_port;		/* index into at_node and at_ifp */
};

#ifdef KERNEL
extern struct at_node at_node;			/* addresses of this node */
extern struct ifnet *at_ifp[AT_PORTS];
extern struct ifqueue ddpintrq;

int	at_control __P((struct socket *, u_long, caddr_t, struct ifnet *));
int	at_ifport __P((struct ifnet *));
int	at_getname __P((struct mbuf *, struct at_address *, u_char *));
void	at_putname __P((struct sockaddr_at *, struct at_address *, int));
#endif
