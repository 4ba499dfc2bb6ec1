/* DDP and ATP as a STREAMS driver and module.
 *
 * "ddp" is a multiplexing driver. Each stream opened on it is a socket (TPI, connectionless); lower streams, linked
 * with I_LINK, carry frames as M_DATA. "atp" is a module that is pushed on a stream of a DDP, before it is bound. Names
 * are those of core/types.h, with the network in network order.
 *
 * Data of a user of "atp" begins with an ATP header in both directions. In a request the user sets the control byte
 * (exactly once or not, release timer), the bitmap and the last four bytes; its transaction number is a reference of
 * the user. The packets of the response come with that reference, in order, when all are there; if none comes, a header
 * with function AT_ATP_FAILED. A responder sends each packet of its response with the number of the transaction. */
#ifndef APPLETALK_STREAMS_H
#define APPLETALK_STREAMS_H

#include "streams/stream.h"

/* Installs a DDP, a node of an internet, as a device of a host. Returns 0 or an errno value. */
struct ddp_node;
int ddp_install(struct str_host *host, const char *name, struct ddp_node **node);
/* EBUSY while a stream is open. */
int ddp_remove(struct ddp_node *node);

/* The module "atp", for str_install. */
extern struct streamtab atp_streamtab;

/* I_STR on a stream of the driver: the address of a linked lower stream (struct ddp_address). */
#define DDP_SET_ADDRESS ('D' << 8 | 1)
/* I_STR: reads the counters of the node (struct at_ddp_counts of the core). */
#define DDP_GET_COUNTS ('D' << 8 | 2)
/* I_STR: whether checksums are sent (int). */
#define DDP_SET_CHECKSUM ('D' << 8 | 3)
/* I_STR on a stream with the module: the time until a request is sent again, and how often (struct atp_retry); EBUSY
 * while requests wait. */
#define ATP_SET_RETRY ('A' << 8 | 1)
#define ATP_GET_COUNTS ('A' << 8 | 2) /* struct at_atp_counts */

struct ddp_address {
    int index; /* of the multiplexor (I_LINK) */
    unsigned short net;
    unsigned char node; /* 0: none */
    unsigned char router; /* the router of this network for others; 0: none */
};

struct atp_retry {
    unsigned retry_ms;
    unsigned tries; /* AT_TRIES_FOREVER: no limit */
};

/* A stream bound to this socket takes all datagrams of its type for which no socket is bound, and gives them as M_DATA
 * with a long header; it sends such datagrams. */
#define DDP_EVERY_SOCKET 255

#endif
