/* Interfaces and their addresses. Each is a lower stream. */
#ifndef SUNOS_NET_IF_H
#define SUNOS_NET_IF_H
#pragma GCC system_header
#include <sys/mbuf.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/ioccom.h>
#include <net/if_arp.h>

struct proc;
struct socket;

#define IFNAMSIZ 16

struct ifnet {
    char *if_name; /* e.g. "le" */
    short if_unit;
    int if_mtu;
    short if_flags;
    short if_timer; /* not served: interfaces are of the environment */
    int if_metric;
    struct ifaddr *if_addrlist;
    struct ifqueue {
        struct mbuf *ifq_head;
        struct mbuf *ifq_tail;
        int ifq_len;
        int ifq_maxlen;
        int ifq_drops;
    } if_snd;
    int (*if_init)();
    int (*if_output)(); /* (ifp, m, dst) */
    int (*if_ioctl)();
    int (*if_reset)();
    int (*if_watchdog)();
    int if_ipackets, if_ierrors, if_opackets, if_oerrors, if_collisions;
    struct ifnet *if_next;
    unsigned long if_ibytes, if_obytes; /* this and the rest: of the environment */
    int if_imcasts, if_iqdrops, if_noproto;
    void *bsd_lower;
};

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
#define IFF_CANTCHANGE (IFF_BROADCAST | IFF_POINTOPOINT | IFF_RUNNING)

#define IF_QFULL(ifq) ((ifq)->ifq_len >= (ifq)->ifq_maxlen)
#define IF_DROP(ifq) ((ifq)->ifq_drops++)
#define IF_ENQUEUE(ifq, m) \
    { \
        (m)->m_act = 0; \
        if ((ifq)->ifq_tail == 0) \
            (ifq)->ifq_head = (m); \
        else \
            (ifq)->ifq_tail->m_act = (m); \
        (ifq)->ifq_tail = (m); \
        (ifq)->ifq_len++; \
    }
#define IF_PREPEND(ifq, m) \
    { \
        (m)->m_act = (ifq)->ifq_head; \
        if ((ifq)->ifq_tail == 0) \
            (ifq)->ifq_tail = (m); \
        (ifq)->ifq_head = (m); \
        (ifq)->ifq_len++; \
    }
#define IF_DEQUEUE(ifq, m) \
    { \
        (m) = (ifq)->ifq_head; \
        if (m) { \
            if (((ifq)->ifq_head = (m)->m_act) == 0) \
                (ifq)->ifq_tail = 0; \
            (m)->m_act = 0; \
            (ifq)->ifq_len--; \
        } \
    }
/* A received packet in an input queue begins with a pointer to its interface. IF_ADJ removes it. */
#define IF_ADJ(m) \
    { \
        (m)->m_off += sizeof(struct ifnet *); \
        (m)->m_len -= (int)sizeof(struct ifnet *); \
        if ((m)->m_len == 0) \
            (m) = m_free(m); \
    }
#define IF_DEQUEUEIF(ifq, m, ifp) \
    { \
        IF_DEQUEUE(ifq, m) \
        if (m) { \
            (ifp) = *mtod((m), struct ifnet **); \
            IF_ADJ(m) \
        } \
    }

#define IFQ_MAXLEN 50
#define IFNET_SLOWHZ 1

struct ifaddr {
    struct sockaddr ifa_addr;
    union {
        struct sockaddr ifu_broadaddr;
        struct sockaddr ifu_dstaddr;
    } ifa_ifu;
#define ifa_broadaddr ifa_ifu.ifu_broadaddr
#define ifa_dstaddr ifa_ifu.ifu_dstaddr
    struct ifnet *ifa_ifp;
    struct ifaddr *ifa_next;
};

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
#define ifr_data ifr_ifru.ifru_data
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

extern struct ifnet *ifnet, loif;
extern int ifqmaxlen;

int ether_output();
int looutput(); /* of loif, the loopback interface */
void if_attach(struct ifnet *ifp);
void if_down(struct ifnet *ifp);
void if_up(struct ifnet *ifp);
void if_qflush(struct ifqueue *ifq);
int ifioctl(struct socket *so, unsigned long command, caddr_t data, struct proc *p);
struct ifnet *ifunit(char *name);
struct ifaddr *ifa_ifwithaddr(struct sockaddr *address);
struct ifaddr *ifa_ifwithdstaddr(struct sockaddr *address);
struct ifaddr *ifa_ifwithnet(struct sockaddr *address);

#endif
