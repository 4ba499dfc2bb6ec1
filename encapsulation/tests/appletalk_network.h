/* Two nodes on a lossy wire in virtual time, and a client and a server of transactions. */
#ifndef TESTS_APPLETALK_NETWORK_H
#define TESTS_APPLETALK_NETWORK_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/graph.h"

#define FRAMES 8192
#define MS 1000000ull

struct frame {
    uint64_t at, number;
    int to;
    size_t count;
    at_byte bytes[AT_LAP_HEADER + AT_DDP_MOST];
};

struct network {
    uint64_t clock;
    uint32_t seed;
    unsigned loss, twice; /* percent of frames */
    uint64_t delay;       /* most, ns */
    int is_unordered;     /* frames pass each other */
    uint64_t last[2];     /* when the last frame of a side arrives */
    int is_full;          /* the wire takes no frame */
    uint64_t sent, lost;
    size_t used;
    struct frame *frames;
    struct side {
        struct network *network;
        const struct graph *graph;
        struct graph_node node;
        int number;
    } side[2];
    int sides;
};

/* The number of the network; 0: it has none, and headers are short. */
static at_short network_number = 9;

static inline uint32_t random_of(struct network *network, uint32_t limit)
{
    network->seed = network->seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)network->seed * limit >> 32);
}

static uint64_t network_now(void *context)
{
    return ((struct network *)context)->clock;
}

static void network_random(void *context, void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((at_byte *)bytes)[i] = (at_byte)random_of(context, 256);
}

static int network_transmit(void *context, mblk_t *mp)
{
    struct side *side = context;
    struct network *network = side->network;
    struct frame frame = {.to = 1 - side->number};
    int times = 1 + (random_of(network, 100) < network->twice);
    if (network->is_full)
        return EAGAIN;
    for (mblk_t *block = mp; block != NULL; block = block->b_cont) {
        size_t count = (size_t)(block->b_wptr - block->b_rptr);
        assert(frame.count + count <= sizeof frame.bytes);
        memcpy(frame.bytes + frame.count, block->b_rptr, count);
        frame.count += count;
    }
    freemsg(mp);
    for (network->sent++; times > 0; times--) {
        if (random_of(network, 100) < network->loss) {
            network->lost++;
            continue;
        }
        assert(network->used < FRAMES);
        frame.at = network->clock + random_of(network, (uint32_t)network->delay + 1);
        if (!network->is_unordered && frame.at < network->last[side->number])
            frame.at = network->last[side->number];
        network->last[side->number] = frame.at;
        frame.number = network->sent;
        network->frames[network->used++] = frame;
    }
    return 0;
}

static const struct str_device_calls network_calls = {network_transmit};

static inline void network_open(struct network *network, const struct graph *const graphs[2], int sides, uint32_t seed)
{
    *network = (struct network){.seed = seed, .delay = 5 * MS, .sides = sides};
    network->frames = malloc(FRAMES * sizeof(struct frame));
    assert(network->frames != NULL);
    for (int i = 0; i < sides; i++) {
        struct side *side = &network->side[i];
        struct at_address address = {network_number, (at_byte)(10 + i), 0};
        struct str_environment environment = {.context = network, .now = network_now, .random = network_random};
        *side = (struct side){.network = network, .graph = graphs[i], .number = i};
        assert(graph_open(&side->node, graphs[i], &environment, address, &network_calls, side) == 0);
    }
}

/* All streams of the test were closed before. */
static inline void network_close(struct network *network)
{
    for (int i = 0; i < network->sides; i++) {
        struct graph_node *node = &network->side[i].node;
        str_run(node->host);
        if (node->lower != NULL)
            str_close(node->lower);
        if (node->control != NULL)
            str_close(node->control);
        node->lower = node->control = NULL;
        str_run(node->host);
        assert(str_live_blocks(node->host) == 0);
        graph_close(node, network->side[i].graph);
    }
    free(network->frames);
}

/* The next frame that has arrived, or NULL. */
static inline struct frame *network_due(struct network *network)
{
    struct frame *due = NULL;
    for (struct frame *f = network->frames; f < network->frames + network->used; f++)
        if (f->at <= network->clock &&
            (due == NULL || f->at < due->at || (f->at == due->at && f->number < due->number)))
            due = f;
    return due;
}

/* Serves queues and delivers frames, until nothing is left to do at this time. */
static inline void network_settle(struct network *network)
{
    struct frame *due;
    int is_busy = 1;
    while (is_busy) {
        is_busy = 0;
        for (int i = 0; i < network->sides; i++)
            str_tick(network->side[i].node.host);
        while ((due = network_due(network)) != NULL) {
            struct frame frame = *due;
            *due = network->frames[--network->used];
            if (frame.to < network->sides)
                str_device_receive_bytes(network->side[frame.to].node.device, frame.bytes, frame.count);
            is_busy = 1;
        }
    }
}

/* Passes to the next event, or by `most` ns. */
static inline void network_advance(struct network *network, uint64_t most)
{
    uint64_t next = network->clock + most;
    for (int i = 0; i < network->sides; i++) {
        uint64_t deadline = str_deadline(network->side[i].node.host);
        next = deadline < next ? deadline : next;
    }
    for (size_t k = 0; k < network->used; k++)
        next = network->frames[k].at < next ? network->frames[k].at : next;
    network->clock = next > network->clock ? next : network->clock;
    network_settle(network);
}

static inline struct str_stream *endpoint(struct side *side, at_byte socket, at_byte *bound)
{
    struct str_stream *stream;
    at_byte found;
    assert(side->graph->open_atp(&side->node, &stream) == 0);
    found = graph_bind(&side->node, stream, socket, AT_TYPE_ATP);
    assert(found != 0 && (socket == 0 || found == socket));
    if (bound != NULL)
        *bound = found;
    return stream;
}

#endif
