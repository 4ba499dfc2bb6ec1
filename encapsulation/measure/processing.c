/* Figures 6 and 7a: transactions between a node, whose graph is GRAPH, and frames made by hand, at least once, with
 * 64 bytes of data each way. `processing COUNT` runs COUNT as client and COUNT as server, so that the node sends and
 * receives 2 * COUNT packets. Its functions' instructions are counted by callgrind. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

#ifndef GRAPH
#define GRAPH graph_native
#endif

#define SOCKET 150
#define DATA 64
#define HEADERS (AT_LAP_HEADER + AT_LONG_HEADER + AT_ATP_HEADER)

static const struct at_address here = {9, 10, SOCKET}, there = {9, 11, SOCKET};
static const at_byte zero[DATA];
static struct graph_node node;
static struct str_stream *stream;

/* The frame that the node sent last. */
static at_byte sent[HEADERS + DATA];
static size_t sent_bytes;

static void stop(const char *why)
{
    fprintf(stderr, "processing: %s\n", why);
    exit(1);
}

static int keep(void *context, mblk_t *frame)
{
    (void)context;
    sent_bytes = 0;
    for (const mblk_t *mp = frame; mp != NULL; mp = mp->b_cont) {
        size_t count = (size_t)(mp->b_wptr - mp->b_rptr);
        if (sent_bytes + count > sizeof sent)
            stop("the frame is too long");
        memcpy(sent + sent_bytes, mp->b_rptr, count);
        sent_bytes += count;
    }
    freemsg(frame);
    return 0;
}

/* The ATP header of the frame that was sent, which must be of this function. */
static struct at_atp sent_header(at_byte function)
{
    struct at_datagram d;
    struct at_atp header;
    str_run(node.host);
    if (sent_bytes != sizeof sent || at_long_read(sent + AT_LAP_HEADER, AT_LONG_HEADER, sizeof sent - 3, &d) != 0 ||
        !at_same_address(&d.from, &here) || !at_same_address(&d.to, &there) ||
        at_atp_read(sent + AT_LAP_HEADER + AT_LONG_HEADER, AT_ATP_HEADER, &header) != 0 ||
        (header.control & AT_ATP_FUNCTION) != function)
        stop("no frame was sent, or another");
    sent_bytes = 0;
    return header;
}

/* A frame arrives from the other node. */
static void arrive(struct at_atp header)
{
    at_byte frame[HEADERS + DATA] = {10, 11, AT_LAP_LONG};
    const struct at_datagram d = {here, there, sizeof frame - AT_LAP_HEADER, 0, 0, AT_TYPE_ATP, AT_LONG_HEADER};
    at_long_write(frame + AT_LAP_HEADER, &d);
    at_atp_write(frame + AT_LAP_HEADER + AT_LONG_HEADER, &header);
    if (str_device_receive_bytes(node.device, frame, sizeof frame) != 0)
        stop("a frame is refused");
    str_run(node.host);
}

static struct at_atp expect(at_byte function)
{
    struct at_address from;
    struct at_atp header;
    const at_byte *data;
    size_t count;
    mblk_t *mp = graph_receive(&node, stream, &from, &header, &data, &count);
    if (mp == NULL || (header.control & AT_ATP_FUNCTION) != function || count != AT_ATP_HEADER + DATA)
        stop("a message is missing or another came");
    freemsg(mp);
    return header;
}

static void give(struct at_atp header)
{
    if (graph_send(&node, stream, &there, &header, zero, zero, DATA) != 0)
        stop("a message is refused");
}

int main(int count, char **words)
{
    static const struct str_device_calls calls = {keep};
    const unsigned long times = count > 1 ? strtoul(words[1], NULL, 10) : 0;
    if (times == 0)
        stop("usage: processing COUNT");
    if (graph_open(&node, &GRAPH, NULL, here, &calls, NULL) != 0)
        stop("the graph cannot be built");
    if (GRAPH.open_atp(&node, &stream) != 0 || graph_bind(&node, stream, SOCKET, AT_TYPE_ATP) != SOCKET)
        stop("no endpoint");
    for (unsigned long i = 0; i < times; i++) {
        struct at_atp header = {AT_ATP_REQUEST, 1, (at_short)i};
        give(header);
        header = sent_header(AT_ATP_REQUEST);
        arrive((struct at_atp){AT_ATP_RESPONSE | AT_ATP_EOM, 0, header.tid});
        if (expect(AT_ATP_RESPONSE).tid != (at_short)i)
            stop("the response of another request came");
        arrive((struct at_atp){AT_ATP_REQUEST, 1, (at_short)i});
        header = expect(AT_ATP_REQUEST);
        give((struct at_atp){AT_ATP_RESPONSE | AT_ATP_EOM, 0, header.tid});
        if (sent_header(AT_ATP_RESPONSE).tid != (at_short)i)
            stop("the response of another request was sent");
    }
    str_close(stream);
    graph_close(&node, &GRAPH);
    return 0;
}
