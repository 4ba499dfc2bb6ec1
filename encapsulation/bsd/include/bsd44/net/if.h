/* Interfaces and their addresses. Each is a lower stream. With `NetBSD` defined they have the shape of NetBSD 1.2 and
 * later: tail queues, if_xname, if_sadl. */
#ifndef BSD_NET_IF_H
#define BSD_NET_IF_H
#pragma GCC system_header
#include <sys/time.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/ioccom.h>
#ifdef NetBSD
#include <sys/queue.h>
#endif

struct mbuf;
struct proc;
struct rtentry;
struct socket;
struct ether_header;
struct sockaddr_dl;

#define IFNAMSIZ 16
#define IF_NAMESIZE IFNAMSIZ

struct if_data {
    u_char ifi_type; /* IFT_... */
    u_char ifi_addrlen;
    u_char ifi_hdrlen;
    unsigned long ifi_mtu;
    unsigned long ifi_metric;
    unsigned long ifi_baudrate;
    unsigned long ifi_ipackets, ifi_ierrors, ifi_opackets, ifi_oerrors, ifi_collisions;
    unsigned long ifi_ibytes, ifi_obytes, ifi_imcasts, ifi_omcasts;
    unsigned long ifi_iqdrops, ifi_noproto;
    struct timeval ifi_lastchange;
};

struct ifqueue {
    struct mbuf *ifq_head;
    struct mbuf *ifq_tail;
    int ifq_len;
    int ifq_maxlen;
    int ifq_drops;
};

#ifdef NetBSD
struct ifnet {
    void *if_softc;
    TAILQ_ENTRY(ifnet) if_list;       /* all interfaces */
    TAILQ_HEAD(, ifaddr) if_addrlist; /* its addresses */
    char if_xname[IFNAMSIZ];          /* e.g. "le0" */
    int if_pcount;
    caddr_t if_bpf;
    u_short if_index;
    short if_timer;
    short if_flags;
    struct if_data if_data;
    int (*if_output)(struct ifnet *, struct mbuf *, struct sockaddr *, struct rtentry *);
    void (*if_input)(struct ifnet *, struct mbuf *);
    void (*if_start)(struct ifnet *);
    int (*if_ioctl)(struct ifnet *, unsigned long, caddr_t);
    int (*if_reset)(struct ifnet *);
    void (*if_watchdog)(struct ifnet *);
    struct ifqueue if_snd;
    struct sockaddr_dl *if_sadl;   /* the link's own address */
    uint8_t *if_broadcastaddr;     /* of the link */
    void *bsd_lower;               /* of the environment */
};
TAILQ_HEAD(ifnet_head, ifnet);
#else
struct ifnet {
    char *if_name;         /* e.g. "le" */
    struct ifnet *if_next; /* all interfaces */
    struct ifaddr *if_addrlist;
    int if_pcount;
    caddr_t if_bpf;
    u_short if_index;
    short if_unit;
    short if_timer;
    short if_flags;
    struct if_data if_data;
    int (*if_init)();
    int (*if_output)();
    int (*if_start)();
    int (*if_done)();
    int (*if_ioctl)();
    int (*if_reset)();
    int (*if_watchdog)();
    struct ifqueue if_snd;
    void *bsd_lower;      /* of the environment */
};
#endif
#define if_mtu if_data.ifi_mtu
#define if_type if_data.ifi_type
#define if_addrlen if_data.ifi_addrlen
#define if_hdrlen if_data.ifi_hdrlen
#define if_metric if_data.ifi_metric
#define if_baudrate if_data.ifi_baudrate
#define if_ipackets if_data.ifi_ipackets
#define if_ierrors if_data.ifi_ierrors
#define if_opackets if_data.ifi_opackets
#define if_oerrors if_data.ifi_oerrors
#define if_collisions if_data.ifi_collisions
#define if_ibytes if_data.ifi_ibytes
#define if_obytes if_data.ifi_obytes
#define if_imcasts if_data.ifi_imcasts
#define if_omcasts if_data.ifi_omcasts
#define if_iqdrops if_data.ifi_iqdrops
#define if_noproto if_data.ifi_noproto
#define if_lastchange if_data.ifi_lastchange

#define IFF_UP 0x1
#define IFF_BROADCAST 0x2
#define IFF_DEBUG 0x4
#define IFF_LOOPBACK 0x8
#define IFF_POINTOPOINT 0x10
#define IFF_NOTRAILERS 0x20
#define IFF_RUNNING 0x40
#define IFF_NOARP 0x80
#define IFF_PROMISC 0x100
#define IFF_ALLMULTI 0x200
#define IFF_OACTIVE 0x400
#define IFF_SIMPLEX 0x800
#define IFF_LINK0 0x1000
#define IFF_LINK1 0x2000
#define IFF_LINK2 0x4000
#define IFF_MULTICAST 0x8000
#define IFF_CANTCHANGE \
    (IFF_BROADCAST | IFF_POINTOPOINT | IFF_RUNNING | IFF_OACTIVE | IFF_SIMPLEX | IFF_MULTICAST | IFF_ALLMULTI)

#define IF_QFULL(ifq) ((ifq)->ifq_len >= (ifq)->ifq_maxlen)
#define IF_DROP(ifq) ((ifq)->ifq_drops++)
#define IF_ENQUEUE(ifq, m) \
    do { \
        (m)->m_nextpkt = 0; \
        if ((ifq)->ifq_tail == 0) \
            (ifq)->ifq_head = (m); \
        else \
            (ifq)->ifq_tail->m_nextpkt = (m); \
        (ifq)->ifq_tail = (m); \
        (ifq)->ifq_len++; \
    } while (0)
#define IF_PREPEND(ifq, m) \
    do { \
        (m)->m_nextpkt = (ifq)->ifq_head; \
        if ((ifq)->ifq_tail == 0) \
            (ifq)->ifq_tail = (m); \
        (ifq)->ifq_head = (m); \
        (ifq)->ifq_len++; \
    } while (0)
#define IF_DEQUEUE(ifq, m) \
    do { \
        (m) = (ifq)->ifq_head; \
        if (m) { \
            if (((ifq)->ifq_head = (m)->m_nextpkt) == 0) \
                (ifq)->ifq_tail = 0; \
            (m)->m_nextpkt = 0; \
            (ifq)->ifq_len--; \
        } \
    } while (0)

#define IFQ_MAXLEN 50
#define IFNET_SLOWHZ 1

struct ifaddr {
    struct sockaddr *ifa_addr;
    struct sockaddr *ifa_dstaddr;
#define ifa_broadaddr ifa_dstaddr
    struct sockaddr *ifa_netmask;
    struct ifnet *ifa_ifp;
#ifdef NetBSD
    TAILQ_ENTRY(ifaddr) ifa_list;
    void (*ifa_rtrequest)(int, struct rtentry *, struct sockaddr *);
#else
    struct ifaddr *ifa_next;
    void (*ifa_rtrequest)();
#endif
    u_short ifa_flags;
    short ifa_refcnt;
    int ifa_metric;
};
#define IFA_ROUTE 0x1

/* Lists of both shapes, for sources that serve both. */
#ifdef NetBSD
#define BSD_FIRST_INTERFACE (ifnet.tqh_first)
#define BSD_NEXT_INTERFACE(ifp) ((ifp)->if_list.tqe_next)
#define BSD_FIRST_ADDRESS(ifp) ((ifp)->if_addrlist.tqh_first)
#define BSD_NEXT_ADDRESS(ifa) ((ifa)->ifa_list.tqe_next)
#else
#define BSD_FIRST_INTERFACE ifnet
#define BSD_NEXT_INTERFACE(ifp) ((ifp)->if_next)
#define BSD_FIRST_ADDRESS(ifp) ((ifp)->if_addrlist)
#define BSD_NEXT_ADDRESS(ifa) ((ifa)->ifa_next)
#endif

struct ifreq {
    char ifr_name[IFNAMSIZ];
    union {
        struct sockaddr ifru_addr;
        struct sockaddr ifru_dstaddr;
        struct sockaddr ifru_broadaddr;
        short ifru_flags;
        int ifru_metric;
        caddr_t ifru_data;
    } ifr_ifru;
#define ifr_addr ifr_ifru.ifru_addr
#define ifr_dstaddr ifr_ifru.ifru_dstaddr
#define ifr_broadaddr ifr_ifru.ifru_broadaddr
#define ifr_flags ifr_ifru.ifru_flags
#define ifr_metric ifr_ifru.ifru_metric
#define ifr_mtu ifr_ifru.ifru_metric
#define ifr_data ifr_ifru.ifru_data
};
struct ifaliasreq {
    char ifra_name[IFNAMSIZ];
    struct sockaddr ifra_addr;
    union { /* no macro: families have fields and macros of these names */
        struct sockaddr ifra_broadaddr;
        struct sockaddr ifra_dstaddr;
    };
    struct sockaddr ifra_mask;
};
struct ifconf {
    int ifc_len;
    union {
        caddr_t ifcu_buf;
        struct ifreq *ifcu_req;
    } ifc_ifcu;
#define ifc_buf ifc_ifcu.ifcu_buf
#define ifc_req ifc_ifcu.ifcu_req
};

/* Until 1999 the count of references was one less than there were. The environment keeps one for the interface. */
#define IFAREF(ifa) ((ifa)->ifa_refcnt++)
#if defined NetBSD && NetBSD >= 200002
#define IFAFREE(ifa) \
    do { \
        if (--(ifa)->ifa_refcnt <= 0) \
            ifafree(ifa); \
    } while (0)
#else
#define IFAFREE(ifa) \
    do { \
        if ((ifa)->ifa_refcnt <= 0) \
            ifafree(ifa); \
        else \
            (ifa)->ifa_refcnt--; \
    } while (0)
#endif

#ifdef NetBSD
extern struct ifnet_head ifnet;
extern struct ifnet **ifindex2ifnet;
#else
extern struct ifnet *ifnet;
#endif
extern struct ifaddr **ifnet_addrs;
extern int if_index, ifqmaxlen;

void if_attach(struct ifnet *ifp);
void if_down(struct ifnet *ifp);
void if_up(struct ifnet *ifp);
void if_qflush(struct ifqueue *ifq);
int ifioctl(struct socket *so, unsigned long command, caddr_t data, struct proc *p);
struct ifnet *ifunit(char *name);
struct ifaddr *ifa_ifwithaddr(struct sockaddr *address);
struct ifaddr *ifa_ifwithdstaddr(struct sockaddr *address);
struct ifaddr *ifa_ifwithnet(struct sockaddr *address);
struct ifaddr *ifa_ifwithaf(int family);
struct ifaddr *ifa_ifwithroute(int flags, struct sockaddr *destination, struct sockaddr *gateway);
struct ifaddr *ifaof_ifpforaddr(struct sockaddr *address, struct ifnet *ifp);
void ifafree(struct ifaddr *ifa);
void link_rtrequest(int command, struct rtentry *rt, struct sockaddr *sa);
void ether_ifattach(struct ifnet *ifp);
#ifdef NetBSD
int ether_output(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to, struct rtentry *rt);
void ether_input(struct ifnet *ifp, struct mbuf *m);
int looutput(struct ifnet *ifp, struct mbuf *m, struct sockaddr *to, struct rtentry *rt);
#else
int ether_output();
void ether_input(struct ifnet *ifp, struct ether_header *header, struct mbuf *m);
int looutput();
#endif
char *ether_sprintf(u_char *address);
/* The loopback interface: loif is the first of them (and in some releases an array). */
#ifdef NetBSD
extern struct ifnet loif[1];
#define lo0ifp (&loif[0])
#else
extern struct ifnet loif;
#endif

#include <net/if_arp.h>

#endif
