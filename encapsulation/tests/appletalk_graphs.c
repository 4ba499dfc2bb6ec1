/* The graphs of figure 4 run transactions: in loopback, between two nodes, with loss, duplicates and reordering. */
#include "appletalk_datagrams.h"
#include "appletalk_transactions.h"
#include "tests/seeds.h"

#ifndef GRAPH
#define GRAPH graph_native
#endif

/* The graphs of the two nodes. */
static const struct graph *const pairs[][2] = {
    {&GRAPH, &graph_native},
#ifdef CAPSULE
    {&GRAPH, &GRAPH},
#endif
};
#define PAIRS (sizeof pairs / sizeof *pairs)

static void test_null_transactions_in_loopback(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct network network;
        struct transactions t;
        network_open(&network, pairs[i], 1, 1);
        transactions_open(&t, &network, 0, 0, 1);
        transactions_run(&t, 300, 1, 0);
        assert(t.completed == 300 && t.failed == 0 && network.sent == 0);
        for (int n = 0; n < 300; n++)
            assert(t.served[n] == 1);
        transactions_close(&t);
        network_close(&network);
    }
}

static void between(const struct graph *const graphs[2], int client, int once, unsigned loss, uint32_t seed)
{
    struct network network;
    struct transactions t;
    network_open(&network, graphs, 2, seed);
    network.loss = loss;
    network.twice = loss / 2;
    network.is_unordered = !once; /* a request that arrives after the release is a new one */
    transactions_open(&t, &network, client, 1 - client, once);
    transactions_run(&t, 200, 5, 8);
    /* ATP gives up after eight tries and says so: with a loss of 10 %, once in several thousand seeds. */
    assert(t.completed + t.failed == 200 && t.failed <= loss / 10);
    unsigned unserved = 0;
    for (int n = 0; n < 200; n++) {
        assert(!once || t.served[n] <= 1);
        unserved += t.served[n] == 0;
    }
    assert(unserved <= t.failed);
    assert(loss == 0 || network.lost > 0);
    transactions_close(&t);
    network_close(&network);
}

static void test_responses_of_many_packets(void)
{
    for (size_t i = 0; i < PAIRS; i++)
        for (int client = 0; client < 2; client++)
            for (int once = 0; once < 2; once++)
                between(pairs[i], client, once, 0, 1);
}

static void test_each_transaction_exactly_once_with_loss(void)
{
    EACH_SEED(seed, 8)
        for (size_t i = 0; i < PAIRS; i++)
            for (int client = 0; client < 2; client++)
                between(pairs[i], client, 1, 10, seed);
}

static void test_each_transaction_at_least_once_with_loss(void)
{
    EACH_SEED(seed, 4)
        for (size_t i = 0; i < PAIRS; i++)
            for (int client = 0; client < 2; client++)
                between(pairs[i], client, 0, 10, seed);
}

static void test_transactions_with_short_headers(void)
{
    network_number = 0;
    for (size_t i = 0; i < PAIRS; i++)
        for (int client = 0; client < 2; client++)
            between(pairs[i], client, 1, 5, 3);
    network_number = 9;
}

/* One endpoint sends to the other node, to all, and to itself. */
static void test_datagrams_of_all_kinds(void)
{
    for (size_t i = 0; i < PAIRS; i++)
        for (int from = 0; from < 2; from++) {
            struct network network;
            struct str_stream *stream[2];
            struct at_address sender, to;
            network_open(&network, pairs[i], 2, 1);
            for (int side = 0; side < 2; side++)
                stream[side] = datagrams(&network.side[side], 140, 9);
            sender = network.side[from].node.address, sender.socket = 140;
            to = network.side[1 - from].node.address, to.socket = 140;
            assert(send_to(&network.side[from], stream[from], to, 9, text("one", 3)) == 0);
            to.node = AT_BROADCAST;
            assert(send_to(&network.side[from], stream[from], to, 9, text("all", 3)) == 0);
            assert(send_to(&network.side[from], stream[from], sender, 9, text("self", 4)) == 0);
            network_settle(&network);
            while (network.used > 0)
                network_advance(&network, 10 * MS);
            expect_text(stream[1 - from], sender, 9, "one");
            expect_text(stream[1 - from], sender, 9, "all");
            expect_text(stream[from], sender, 9, "all");
            expect_text(stream[from], sender, 9, "self");
            expect_nothing(stream[0]);
            expect_nothing(stream[1]);
            str_close(stream[0]);
            str_close(stream[1]);
            network_close(&network);
        }
}

/* A checksum that is there is verified. */
static void test_changed_frames_are_dropped(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct network network;
        struct str_stream *stream[2];
        struct at_address to;
        int on = 1;
        network_open(&network, pairs[i], 2, 1);
        for (int side = 0; side < 2; side++)
            stream[side] = datagrams(&network.side[side], 140, 9);
        to = network.side[0].node.address, to.socket = 140;
        assert(graph_control(&network.side[1].node, network.side[1].node.control, DDP_SET_CHECKSUM, &on, sizeof on) ==
                   0 || pairs[i][1] != &graph_native);
        for (int bit = -1; bit < 8 && pairs[i][1] == &graph_native; bit++) {
            mblk_t *mp;
            assert(send_to(&network.side[1], stream[1], to, 9, text("checked", 7)) == 0);
            network_settle(&network);
            if (bit >= 0)
                network.frames[0].bytes[network.frames[0].count - 3] ^= (at_byte)(1 << bit);
            network_advance(&network, 10 * MS);
            assert((str_receive(stream[0], &mp) == 0) == (bit < 0));
            if (bit < 0)
                freemsg(mp);
        }
        str_close(stream[0]);
        str_close(stream[1]);
        network_close(&network);
    }
}

static void test_requests_without_response_fail(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct network network;
        struct transactions t;
        network_open(&network, pairs[i], 1, 1);
        transactions_open(&t, &network, 0, 0, 1);
        t.to.node = 99; /* there is none */
        transactions_run(&t, 10, 10, 0);
        assert(t.completed == 0 && t.failed == 10 && network.sent == 90);
        assert(network.clock >= 18000 * MS && network.clock <= 20000 * MS);
        transactions_close(&t);
        network_close(&network);
    }
}

/* Transactions that are never released do not stay, and there is a limit to them. */
static void test_transactions_are_forgotten_in_time(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct network network;
        struct transactions t;
        network_open(&network, pairs[i], 2, 1);
        transactions_open(&t, &network, 1, 0, 1);
        for (int n = 0; n < 60; n++)
            assert(ask(&t, 0) == 0);
        network_settle(&network);
        while (network.used > 0)
            network_advance(&network, 10 * MS);
        network.loss = 100;
        serve(&t);
        network_settle(&network);
        str_close(t.client);
        while (network.clock < 40000 * MS)
            network_advance(&network, 1000 * MS);
        assert(str_live_blocks(network.side[0].node.host) == 0);
        str_close(t.server);
        network_close(&network);
    }
}

static void drain(struct transactions *t)
{
    struct at_address from;
    struct at_atp header;
    const at_byte *data;
    size_t count;
    mblk_t *mp;
    while ((mp = graph_receive(&t->at_server->node, t->server, &from, &header, &data, &count)) != NULL)
        freemsg(mp);
}

/* Frames of any content change nothing but counters. */
static void test_hostile_frames_are_dropped(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        struct network network;
        struct transactions t;
        struct frame frame;
        network_open(&network, pairs[i], 2, 7);
        transactions_open(&t, &network, 1, 0, 1);
        for (int n = 0; n < 20000; n++) {
            struct at_datagram d = {.to = t.to, .from = {9, 77, 200}, .type = AT_TYPE_ATP, .header = 13};
            frame.count = random_of(&network, 40) == 0 ? random_of(&network, 600) : random_of(&network, 60);
            for (size_t k = 0; k < frame.count; k++)
                frame.bytes[k] = (at_byte)random_of(&network, 256);
            if (frame.count >= 24 && random_of(&network, 4) != 0) { /* a datagram for the server */
                d.length = (at_short)(frame.count - AT_LAP_HEADER - random_of(&network, 8));
                frame.bytes[0] = t.to.node, frame.bytes[1] = 77, frame.bytes[2] = AT_LAP_LONG;
                at_long_write(frame.bytes + AT_LAP_HEADER, &d);
            }
            str_device_receive_bytes(network.side[0].node.device, frame.bytes, frame.count);
            if (n % 16 == 0) {
                network_settle(&network);
                drain(&t);
                network_advance(&network, 200 * MS);
            }
        }
        network.used = 0;
        while (network.clock < 6000 * 1000 * MS / 10)
            network_advance(&network, 1000 * MS); /* what the frames began is forgotten */
        drain(&t);
        transactions_run(&t, 20, 1, 3);
        assert(t.completed == 20);
        transactions_close(&t);
        network_close(&network);
    }
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

int main(void)
{
    RUN(null_transactions_in_loopback);
    RUN(responses_of_many_packets);
    RUN(each_transaction_exactly_once_with_loss);
    RUN(each_transaction_at_least_once_with_loss);
    RUN(transactions_with_short_headers);
    RUN(datagrams_of_all_kinds);
    RUN(changed_frames_are_dropped);
    RUN(requests_without_response_fail);
    RUN(transactions_are_forgotten_in_time);
    RUN(hostile_frames_are_dropped);
    return 0;
}
