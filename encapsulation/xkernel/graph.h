/* The description of an import, which the glue fills in: the protocol graph of the capsule.
 *
 * Glue is compiled like foreign code: it includes xkernel.h first, then this header. */
#ifndef NACRE_XKERNEL_GRAPH_H
#define NACRE_XKERNEL_GRAPH_H

#define XK_DOWN 4
#define XK_FIELDS 8

/* A protocol object. It comes after those that it names. */
struct xk_protocol {
    const char *name;
    void (*init)();            /* called with the object, before the first stream is bound or the first packet comes */
    const char *down[XK_DOWN]; /* protocols or lower streams below */
    int *trace;                /* its trace variable, or null */
};

/* What a lower stream is: the lowest protocol objects of the graph. */
#define XK_FRAMES 0    /* frames: M_DATA; one session, whatever the participants */
#define XK_ETHERNET 1  /* as XK_FRAMES with an Ethernet header, which is attribute 0 of a message (struct xk_ether) */
#define XK_DATAGRAMS 2 /* a transport provider (TPI, connectionless) that is bound; a session for each address */
struct xk_lower {
    const char *name;
    int kind;   /* XK_... */
    int packet; /* the longest packet in bytes (GETMAXPACKET); 0: 1500 */
};

struct xk_ether {
    unsigned char to[6], from[6];
    unsigned short type; /* in network order */
};

/* Parts of a TPI address, in order of the participant's stack from the bottom (the lowest protocol's) to the top. */
#define XK_BYTES 0 /* pushed as a pointer to the bytes; all zero: ANY_HOST */
#define XK_LONG 1  /* a number in network order, pushed as a pointer to a long; zero: ANY_PORT */
struct xk_field {
    int length; /* in bytes; 0 ends the list */
    int form;   /* XK_... */
};

/* A device: an upper stream of it is a user of a protocol. */
#define XK_CONNECTIONLESS 0 /* T_CLTS: sessions are opened as they are needed */
#define XK_MESSAGES 1       /* T_COTS: a connection is a session; messages keep their boundaries */
#define XK_STREAM 2         /* T_COTS: a stream of bytes */
struct xk_device {
    const char *name; /* NAME.name; "" for an only one */
    const char *protocol;
    int service; /* XK_... */
    long number; /* relProtNum of its users */
    struct xk_field address[XK_FIELDS];
};

/* relProtNum. */
struct xk_number {
    const char *upper, *lower;
    long number;
};

struct xk_graph {
    const struct xk_lower *lowers;       /* the option `links` names others than the first; ended by a null name */
    const struct xk_protocol *protocols; /* ended by a null name */
    const struct xk_device *devices;     /* ended by a null name */
    const struct xk_number *numbers;     /* ended by a null name; may be null */
};

extern const struct xk_graph xk_graph;

#endif
