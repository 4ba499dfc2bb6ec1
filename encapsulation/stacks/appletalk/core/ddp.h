/* DDP, the datagram delivery protocol of AppleTalk: headers, checksum, addresses of a node, sockets (Inside AppleTalk,
 * 2nd edition, chapter 4). A datagram lies on a link behind a header of three bytes as on LocalTalk: receiver, sender,
 * type (1: a short header follows, 2: a long one). */
#ifndef APPLETALK_CORE_DDP_H
#define APPLETALK_CORE_DDP_H

#include "types.h"

#define AT_LAP_HEADER 3
#define AT_LAP_SHORT 1
#define AT_LAP_LONG 2

#define AT_SHORT_HEADER 5
#define AT_LONG_HEADER 13
#define AT_DDP_DATA 586 /* bytes that a datagram can carry */
#define AT_DDP_MOST (AT_LONG_HEADER + AT_DDP_DATA)
#define AT_MOST_HOPS 15

#define AT_TYPE_ATP 3

/* What both forms of the header have. */
struct at_datagram {
    struct at_address to, from;
    at_short length;   /* of the datagram with its header */
    at_short checksum; /* 0: none */
    at_byte hops;
    at_byte type; /* of the protocol above; never 0 */
    at_byte header; /* bytes of the header: 5 or 13 */
};

/* Why a datagram is dropped. The values index `struct at_ddp_counts`. */
enum at_ddp_fault {
    AT_DDP_GOOD,
    AT_DDP_TRUNCATED, /* fewer bytes than the header has or than its length says */
    AT_DDP_LENGTH,    /* a length below the header's or above the largest */
    AT_DDP_ADDRESS,   /* a socket, node or type that none can have */
    AT_DDP_HOPS,
    AT_DDP_CHECKSUM,
    AT_DDP_LINK,        /* not a datagram, by the link's header */
    AT_DDP_ELSEWHERE,   /* for another node */
    AT_DDP_NO_SOCKET,   /* none listens */
    AT_DDP_UNREACHABLE, /* no interface or router leads there */
    AT_DDP_NO_ROOM,     /* the receiver's queue is full, or no buffer */
    AT_DDP_FAULTS
};

struct at_ddp_counts {
    unsigned long received, sent, looped;
    unsigned long dropped[AT_DDP_FAULTS];
};

/* Reads a long header. `count` bytes are contiguous; the datagram with padding of the link has `total` bytes. */
enum at_ddp_fault at_long_read(const at_byte *bytes, at_long count, at_long total, struct at_datagram *datagram);

/* Reads the sender and the type of a long header that was checked before. */
static inline at_byte at_long_sender(const at_byte *bytes, struct at_address *from)
{
    from->net = at_get_short(bytes + 6);
    from->node = bytes[9];
    from->socket = bytes[11];
    return bytes[12];
}

#define AT_LONG_RECEIVER 10 /* offsets in a long header: the receiver's socket, */
#define AT_LONG_TYPE 12     /* the type */

/* Reads a short header; network and nodes come from the link. */
enum at_ddp_fault at_short_read(const at_byte *bytes, at_long count, at_long total, at_short net,
                                const at_byte *lap, struct at_datagram *datagram);

/* Writes a header of 13 or of 5 bytes. */
void at_long_write(at_byte *to, const struct at_datagram *datagram);
void at_short_write(at_byte *to, const struct at_datagram *datagram);

/* Adds bytes to a checksum, which begins with 0 at the byte after the checksum's own field. */
at_short at_checksum_add(at_short sum, const at_byte *bytes, at_long count);

/* The checksum as it is sent: 0 would mean that there is none. */
static inline at_short at_checksum_sent(at_short sum)
{
    return sum == 0 ? 0xFFFF : sum;
}

#define AT_CHECKSUM_FROM 4 /* offset in a long header of the first byte that is summed */

/* A node: its interfaces, and the router for other networks. */
#define AT_PORTS 4

struct at_node {
    struct at_port {
        at_short net;
        at_byte node; /* 0: not in use */
    } port[AT_PORTS];
    int router_port; /* -1: no router is known */
    at_byte router;
};

void at_node_init(struct at_node *node);

/* Gives an interface its address. Returns 0, or -1 if such an interface or address cannot be. */
int at_node_set(struct at_node *node, int port, at_short net, at_byte number);

/* Where a datagram goes. */
struct at_route {
    int local;    /* to this node; a broadcast does both */
    int port;     /* out of this interface, or -1 */
    at_byte next; /* the node that receives it on that link */
    int own;      /* the interface whose address the sender has, if it left that open */
};

enum at_ddp_fault at_node_route(const struct at_node *node, const struct at_address *to, struct at_route *route);

/* Whether a datagram that arrived at an interface is for this node. */
int at_node_accepts(const struct at_node *node, int port, const struct at_address *to);

/* The sockets of a node, each with the one who listens. */
struct at_sockets {
    void *owner[256];
    at_byte next; /* where the search for a free dynamic socket begins */
};

void at_sockets_init(struct at_sockets *sockets);

/* Binds a socket (0: a free dynamic one). Returns its number, or 0 if it is in use, no socket, or none is free. */
at_byte at_socket_bind(struct at_sockets *sockets, at_byte wanted, void *owner);
void at_socket_unbind(struct at_sockets *sockets, at_byte socket);

#endif
