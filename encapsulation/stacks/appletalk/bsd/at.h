/*
 * Definitions for AppleTalk.
 */

/*
 * AppleTalk socket address.  The network number is in network order.
 * sat_type is the DDP type; zero when it does not matter.
 */
struct sockaddr_at {
	u_char	sat_len;
	u_char	sat_family;
	u_char	sat_port;
	u_char	sat_type;
	u_short	sat_net;
	u_char	sat_node;
	char	sat_zero[9];
};

/*
 * Protocol numbers are DDP types; zero is DDP itself.
 */
#define	ATPROTO_DDP	0
#define	ATPROTO_ATP	3

#ifndef AF_APPLETALK
#define	AF_APPLETALK	16
#endif
#ifndef PF_APPLETALK
#define	PF_APPLETALK	AF_APPLETALK
#endif

#ifdef KERNEL
extern struct domain atalkdomain;
#endif
