/*
 * ATP protocol control blocks and variables.
 *
 * A message of a user begins with the eight bytes of an ATP header, in
 * both directions.  In a request the user sets the control byte (exactly
 * once or not, release timer), the bitmap and four bytes of its own; the
 * transaction number is a reference for the user.  The packets of the
 * response come with this reference and in order when they are complete;
 * without a response, a header with function zero comes instead.
 */
struct atpcb {
	struct	atpcb *atp_next, *atp_prev;
	struct	socket *atp_socket;
	u_char	atp_port;		/* our socket number */
};

#define	sotoatpcb(so)	((struct atpcb *)(so)->so_pcb)

#define	ATP_NREQ	64		/* requests that wait, a power of two */
#define	ATP_NTRANS	256		/* exactly-once transactions */
#define	ATP_TICK	500		/* ms between slow timeouts */

#ifdef KERNEL
extern struct atpcb atpcb;		/* head of list */
extern struct at_sockets atp_sockets;
extern struct at_requests atp_requests;
extern struct at_transactions atp_transactions;
extern struct at_atp_counts atpstat;
extern at_long atp_now;			/* ms */

void	atp_init __P((void));
void	atp_input __P((struct mbuf *, int));
int	atp_output __P((struct atpcb *, struct at_address *, struct at_atp *,
	    at_byte *, struct mbuf *, int));
int	atp_deliver __P((struct atpcb *, struct at_address *, struct mbuf *));
void	atp_freerequest __P((struct at_request *));
void	atp_freetransaction __P((struct at_transaction *));
void	atp_slowtimo __P((void));
int	atp_usrreq __P((struct socket *, int, struct mbuf *, struct mbuf *,
	    struct mbuf *));
#endif
