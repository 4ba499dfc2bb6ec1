/* The description of an import, which the glue of a protocol family fills in.
 *
 * Glue is compiled like foreign code: it includes the BSD headers first, then this one. */
#ifndef NACRE_BSD_H
#define NACRE_BSD_H

struct domain;
struct ifaddr;
struct ifnet;
struct ifqueue;
struct mbuf;
struct sockaddr;
struct socket;

/* A device: an upper stream of it is a socket. */
struct bsd_protocol {
    const char *name; /* of the device: NAME.name; "" for an only one */
    int type;         /* SOCK_... */
    int protocol;     /* pr_protocol, or 0: the first of this type */
    int orderly;      /* connections end by orderly release (T_COTS_ORD) */
};

/* Where packets of an interface go. */
struct bsd_input {
    int key; /* Ethernet: the type of the frame; BSD_ANY: all others */
    struct ifqueue *queue;
    int netisr;          /* NETISR_... */
    void (*routine)();   /* of that software interrupt */
};
#define BSD_ANY (-1)

/* Addresses of a family on an Ethernet. */
struct bsd_ether {
    int family; /* AF_... */
    int type;   /* of frames */
    int offset; /* of the station address in the sockaddr, or -1: the hook `resolve` */
};

/* What a lower stream can be. */
#define BSD_FRAMES 0   /* an interface whose packets are the protocol's own frames */
#define BSD_ETHERNET 1 /* an interface with Ethernet headers, which the environment adds and removes */
#define BSD_PACKETS 2  /* another protocol: it gets packets of bsd_send_below, and its packets go to pr_input */
struct bsd_lower {
    const char *name; /* of interfaces, e.g. "le"; the unit follows */
    int kind;         /* BSD_... */
    int type;         /* IFT_... */
    int mtu;          /* without the header; 0: 1500 */
    int flags;        /* IFF_..., beside IFF_RUNNING */
    int protocol;     /* BSD_PACKETS: pr_protocol of the entry whose pr_input is called, */
    int header;       /* and its second argument, the length of the header */
};

struct bsd_description {
    struct domain *const *domains;         /* ended by a null pointer */
    const struct bsd_protocol *protocols;  /* ended by a null name */
    const struct bsd_lower *lowers;        /* the first is the default of the option `links`; ended by a null name */
    const struct bsd_input *inputs;        /* ended by a null queue */
    const struct bsd_ether *ethers;        /* ended by a null family; may be null */
    int shortest_address;                  /* the least length of an address in bytes */
    int fast_ms;                           /* period of pr_fasttimo; 0: 200 (4.4BSD) */
    void (*prepare)(void);                 /* before the domains are initialized; may be null */
    /* An address was given to an interface (SIOCSIFADDR in the driver); may be null. */
    int (*address_set)(struct ifnet *ifp, struct ifaddr *ifa);
    /* Writes the station address for a destination: 0, or an errno value; the packet is then dropped. May be null. */
    int (*resolve)(struct ifnet *ifp, struct sockaddr *to, unsigned char *station);
};

extern const struct bsd_description bsd_description;

/* For functions of other protocols that the foreign code calls directly, and that the glue defines: sends a packet
 * down the first lower stream of that name. Takes the packet. 0, ENETDOWN, ENOBUFS. */
int bsd_send_below(const char *lower, struct mbuf *packet);

#endif
