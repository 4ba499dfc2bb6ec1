/* Figure 5: null transactions in loopback. `transactions COUNT [at-least-once]` runs them, one at a time, and prints
 * the nanoseconds of each. The graph is GRAPH. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph.h"

#ifndef GRAPH
#define GRAPH graph_native
#endif

#define SERVER 150

static int lose(void *context, mblk_t *frame)
{
    (void)context;
    freemsg(frame);
    return 0;
}

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void stop(const char *why)
{
    fprintf(stderr, "transactions: %s\n", why);
    exit(1);
}

static struct graph_node node;

/* Takes the next message, which must be of this function, and frees it. */
static void expect(struct str_stream *stream, at_byte function, struct at_address *from, struct at_atp *header)
{
    const at_byte *data;
    size_t count;
    mblk_t *mp = graph_receive(&node, stream, from, header, &data, &count);
    if (mp == NULL || (header->control & AT_ATP_FUNCTION) != function || count != AT_ATP_HEADER)
        stop("a message is missing or another came");
    freemsg(mp);
}

static void transaction(struct str_stream *client, struct str_stream *server, at_byte control, at_short number)
{
    static const at_byte user[4];
    const struct at_address to = {node.address.net, node.address.node, SERVER};
    struct at_atp header = {AT_ATP_REQUEST | control, 1, number};
    struct at_address from;
    if (graph_send(&node, client, &to, &header, user, NULL, 0) != 0)
        stop("the request is refused");
    str_run(node.host);
    expect(server, AT_ATP_REQUEST, &from, &header);
    header.control = AT_ATP_RESPONSE | AT_ATP_EOM;
    header.bitmap = 0;
    if (graph_send(&node, server, &from, &header, user, NULL, 0) != 0)
        stop("the response is refused");
    str_run(node.host);
    expect(client, AT_ATP_RESPONSE, &from, &header);
    if (header.tid != number)
        stop("the response of another request came");
}

int main(int count, char **words)
{
    static const struct str_device_calls calls = {lose};
    const struct at_address address = {9, 10, 0};
    const unsigned long times = count > 1 ? strtoul(words[1], NULL, 10) : 0;
    const at_byte control = count > 2 && strcmp(words[2], "at-least-once") == 0 ? 0 : AT_ATP_XO;
    struct str_stream *client, *server;
    uint64_t began;
    if (times == 0)
        stop("usage: transactions COUNT [at-least-once]");
    if (graph_open(&node, &GRAPH, NULL, address, &calls, NULL) != 0)
        stop("the graph cannot be built");
    if (GRAPH.open_atp(&node, &client) != 0 || GRAPH.open_atp(&node, &server) != 0 ||
        graph_bind(&node, client, 0, AT_TYPE_ATP) == 0 || graph_bind(&node, server, SERVER, AT_TYPE_ATP) != SERVER)
        stop("no endpoint");
    began = clock_ns();
    for (unsigned long i = 0; i < times; i++)
        transaction(client, server, control, (at_short)i);
    printf("%.1f\n", (double)(clock_ns() - began) / (double)times);
    str_close(client);
    str_close(server);
    graph_close(&node, &GRAPH);
    return 0;
}
