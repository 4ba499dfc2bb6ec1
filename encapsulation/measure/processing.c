/* Figures 6 and 7a: transactions between two nodes, at least once, with 64 bytes of data each way. `processing COUNT`
 * runs COUNT from node 0, whose graph is GRAPH, to node 1, whose graph is native, and COUNT the other way, so that each
 * node sends and receives 2 * COUNT packets. The functions' instructions are counted by callgrind. */
#include <stdio.h>
#include <stdlib.h>

#include "graph.h"

#ifndef GRAPH
#define GRAPH graph_native
#endif

#define SOCKET 150
#define DATA 64

/* A node, and the frame that it sent last. */
struct peer {
    struct graph_node node;
    const struct graph *graph;
    mblk_t *frame;
    struct str_stream *stream;
};

static struct peer peers[2] = {{.graph = &GRAPH}, {.graph = &graph_native}};
static const at_byte zero[DATA];

static void stop(const char *why)
{
    fprintf(stderr, "processing: %s\n", why);
    exit(1);
}

static int keep(void *context, mblk_t *frame)
{
    struct peer *peer = context;
    if (peer->frame != NULL)
        stop("a frame too many was sent");
    peer->frame = frame;
    return 0;
}

/* Passes the frame on as the bytes that a network would deliver, in a block of the receiver. */
static void deliver(struct peer *from, struct peer *to)
{
    unsigned char bytes[AT_LAP_HEADER + AT_DDP_MOST];
    size_t count = 0;
    if (from->frame == NULL)
        stop("no frame was sent");
    for (mblk_t *mp = from->frame; mp != NULL; mp = mp->b_cont)
        while (mp->b_rptr < mp->b_wptr && count < sizeof bytes)
            bytes[count++] = *mp->b_rptr++;
    freemsg(from->frame);
    from->frame = NULL;
    if (str_device_receive_bytes(to->node.device, bytes, count) != 0)
        stop("a frame is refused");
    str_run(to->node.host);
}

static void expect(struct peer *peer, at_byte function, struct at_address *from, struct at_atp *header)
{
    const at_byte *data;
    size_t count;
    mblk_t *mp = graph_receive(&peer->node, peer->stream, from, header, &data, &count);
    if (mp == NULL || (header->control & AT_ATP_FUNCTION) != function || count != AT_ATP_HEADER + DATA)
        stop("a message is missing or another came");
    freemsg(mp);
}

static void transaction(struct peer *client, struct peer *server, at_short number)
{
    struct at_address to = server->node.address, from;
    struct at_atp header = {AT_ATP_REQUEST, 1, number};
    to.socket = SOCKET;
    if (graph_send(&client->node, client->stream, &to, &header, zero, zero, DATA) != 0)
        stop("the request is refused");
    str_run(client->node.host);
    deliver(client, server);
    expect(server, AT_ATP_REQUEST, &from, &header);
    header.control = AT_ATP_RESPONSE | AT_ATP_EOM;
    header.bitmap = 0;
    if (graph_send(&server->node, server->stream, &from, &header, zero, zero, DATA) != 0)
        stop("the response is refused");
    str_run(server->node.host);
    deliver(server, client);
    expect(client, AT_ATP_RESPONSE, &from, &header);
}

int main(int count, char **words)
{
    static const struct str_device_calls calls = {keep};
    const unsigned long times = count > 1 ? strtoul(words[1], NULL, 10) : 0;
    if (times == 0)
        stop("usage: processing COUNT");
    for (int i = 0; i < 2; i++) {
        const struct at_address address = {9, (at_byte)(10 + i), 0};
        struct peer *peer = &peers[i];
        if (graph_open(&peer->node, peer->graph, NULL, address, &calls, peer) != 0)
            stop("the graph cannot be built");
        if (peer->graph->open_atp(&peer->node, &peer->stream) != 0 ||
            graph_bind(&peer->node, peer->stream, SOCKET, AT_TYPE_ATP) != SOCKET)
            stop("no endpoint");
    }
    for (unsigned long i = 0; i < times; i++) {
        transaction(&peers[0], &peers[1], (at_short)i);
        transaction(&peers[1], &peers[0], (at_short)i);
    }
    for (int i = 0; i < 2; i++) {
        str_close(peers[i].stream);
        graph_close(&peers[i].node, peers[i].graph);
    }
    return 0;
}
