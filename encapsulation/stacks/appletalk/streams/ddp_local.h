/* What the parts of the DDP driver share. */
#ifndef APPLETALK_STREAMS_DDP_LOCAL_H
#define APPLETALK_STREAMS_DDP_LOCAL_H

#include "streams/host.h"
#include "streams/stream.h"
#include "streams/tpi.h"

#include "stacks/appletalk/core/ddp.h"
#include "stacks/appletalk/streams/appletalk.h"

/* A lower stream. Its queues point to it. */
struct ddp_link {
    struct ddp_node *node;
    queue_t *wq; /* NULL: not in use */
    int index;   /* of the multiplexor */
    int port;
};

/* An upper stream. Its queues point to it. */
struct ddp_stream {
    struct ddp_node *node;
    struct ddp_stream *next;
    queue_t *rq;
    struct at_address local; /* socket 0: not bound; DDP_EVERY_SOCKET: all of a type */
    at_byte type;            /* of its datagrams; 0: any */
};

/* A node: what is installed as a device. Each has its own tables of procedures, so that a queue leads to its node. */
struct ddp_node {
    struct at_node at;
    struct at_sockets sockets;
    struct at_ddp_counts counts;
    struct ddp_link link[AT_PORTS];
    struct ddp_stream *streams;
    struct ddp_stream *every[256]; /* by type */
    int checksum;
    unsigned minor; /* the last that was given */
    struct str_host *host;
    char name[64];
    struct qinit rinit, winit, lrinit, lwinit;
    struct streamtab streamtab;
};

#define DDP_HEADERS (AT_LAP_HEADER + AT_LONG_HEADER)

/* Sends what a user gave: a datagram with T_UNITDATA_REQ or, with a header, as M_DATA. Returns 0 if a lower stream is
 * full: the message is as it was. */
int ddp_send(struct ddp_stream *stream, mblk_t *mp);

/* Gives a datagram with a long header to the user of a stream. */
void ddp_give(struct ddp_stream *stream, mblk_t *mp);

/* Takes a frame of a link. */
void ddp_frame(struct ddp_link *link, mblk_t *mp);

/* Drops a message and counts why. */
void ddp_drop(struct ddp_node *node, enum at_ddp_fault fault, mblk_t *mp);

/* Releases the socket of a stream. */
void ddp_unbind(struct ddp_stream *stream);

/* Answers a request on the write side `wq`, whose message is used up. */
void ddp_request(queue_t *wq, mblk_t *mp);

#endif
