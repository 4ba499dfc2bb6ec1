/* The description of an import, which the glue of a protocol family fills in.
 *
 * Glue is compiled like foreign code: it includes the BSD headers first, then this one. */
#ifndef NACRE_BSD_H
#define NACRE_BSD_H

struct domain;
struct ether_header;
struct ifaddr;
struct ifnet;
struct ifqueue;
struct mbuf;
struct rtentry;
struct sockaddr;
struct socket;

/* A protocol of the family that is no BSD code: modules on a stream of its device implement it, above the others of the
 * family and without a socket between. Names are sockaddrs. */
struct bsd_above {
    /* T_BIND_REQ: completes a name (`length` 0: any name), and returns the key under which packets come; or a negative
     * errno value. */
    int (*bind)(struct sockaddr *name, int *length);
    void (*unbind)(int key);
    /* T_UNITDATA_REQ: gives a packet to the protocol below, as its pr_output would get it. Takes the packet. 0 or an
     * errno value. */
    int (*output)(struct mbuf *packet, int key, struct sockaddr *to);
};

/* A device: an upper stream of it is a socket; or, with `above`, the protocol itself. */
struct bsd_protocol {
    const char *name; /* of the device: NAME.name; "" for an only one */
    int type;         /* SOCK_... */
    int protocol;     /* pr_protocol, or 0: the first of this type */
    int orderly;      /* connections end by orderly release (T_COTS_ORD) */
    const struct bsd_above *above;
};

/* Where packets of an interface go. A description that runs no Ethernet has one entry, for BSD_ANY. */
struct bsd_input {
    int key; /* what `kind` says; BSD_ANY: all others */
    struct ifqueue *queue;
    int netisr;        /* NETISR_... */
    void (*routine)(); /* of that software interrupt */
    int kind;          /* BSD_TYPE ... */
    const unsigned char *organization; /* BSD_SNAP: three bytes */
    /* Is called at once, instead of the queue being filled: for ARP and its like, and where the packet must be
     * changed before it is queued. Takes the packet. May be null. */
    void (*input)(struct ifnet *ifp, struct mbuf *m, struct ether_header *header);
};
#define BSD_ANY (-1)
#define BSD_TYPE 0 /* the key is the type of an Ethernet frame, which is removed with the Ethernet header */
#define BSD_SNAP 1 /* the key is the type behind `organization` in an 802.2 SNAP header, which is removed */
#define BSD_LLC 2  /* the key is the DSAP of an 802.2 header, which stays */

/* Addresses of a family on an Ethernet. */
struct bsd_ether {
    int family; /* AF_... */
    int type;   /* of frames */
    int offset; /* of the station address in the sockaddr, or -1: the hook `resolve` */
    /* Instead of the type and offset: finds the station, writes ether_dhost and ether_type, and may put an 802.2 header
     * before the packet (ether_type 0: the frame gets its length). 0, BSD_KEPT: the packet was taken, e.g. until the
     * station is known, or an errno value: it is dropped. May be null. */
    int (*output)(struct ifnet *ifp, struct mbuf **m, struct sockaddr *to, struct rtentry *rt,
                  struct ether_header *header);
    struct ifqueue *loopback; /* an input queue for what the loopback interface sends; null: that of the type */
};
#define BSD_KEPT (-1)

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
    const struct bsd_input *inputs;        /* ended by an entry without queue and input */
    const struct bsd_ether *ethers;        /* ended by a null family; may be null */
    int shortest_address;                  /* the least length of an address in bytes */
    int fast_ms;                           /* period of pr_fasttimo; 0: 200 (4.4BSD) */
    void (*prepare)(void);                 /* before the domains are initialized; may be null */
    /* An address was given to an interface (SIOCSIFADDR in the driver); may be null. */
    int (*address_set)(struct ifnet *ifp, struct ifaddr *ifa);
    /* Writes the station address for a destination: 0, or an errno value; the packet is then dropped. May be null. */
    int (*resolve)(struct ifnet *ifp, struct sockaddr *to, unsigned char *station);
    int loopback; /* there is a loopback interface, lo0 */
};

extern const struct bsd_description bsd_description;

/* For functions of other protocols that the foreign code calls directly, and that the glue defines: sends a packet
 * down the first lower stream of that name. Takes the packet. 0, ENETDOWN, ENOBUFS. */
int bsd_send_below(const char *lower, struct mbuf *packet);

/* For pr_input of a protocol that STREAMS implements: sends a packet, without its header, up the stream of that device
 * that is bound to `key`, as T_UNITDATA_IND. Takes the packet. 0, ECONNREFUSED: no stream is bound so; ENOBUFS. */
int bsd_send_above(const char *protocol, struct mbuf *packet, int key, const struct sockaddr *from);

#endif
