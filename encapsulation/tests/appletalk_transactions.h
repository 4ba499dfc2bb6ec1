/* Transactions between a client and a server, checked: which were served, how often, and what came back. */
#ifndef TESTS_APPLETALK_TRANSACTIONS_H
#define TESTS_APPLETALK_TRANSACTIONS_H

#include "appletalk_network.h"

#define SERVER_SOCKET 150
#define MOST 512 /* transactions of a test */

struct transactions {
    struct network *network;
    struct side *at_client, *at_server;
    struct str_stream *client, *server;
    struct at_address to;
    int is_once; /* exactly once */
    unsigned served[MOST], packets[MOST];
    unsigned opened, completed, failed;
};

static inline at_byte byte_at(unsigned number, unsigned packet, size_t offset)
{
    return (at_byte)(number * 7 + packet * 31 + offset);
}

/* How long a response of a transaction is: 1 to 8 packets, all but the last full. A null transaction has one
 * empty packet. */
static inline unsigned packets_of(unsigned number, unsigned shape)
{
    return shape == 0 ? 1 : 1 + number % shape;
}

static inline size_t size_of(unsigned number, unsigned packet, unsigned shape)
{
    if (shape == 0)
        return 0;
    return packet + 1 < packets_of(number, shape) ? AT_ATP_DATA : number * 13 % (AT_ATP_DATA + 1);
}

static inline void transactions_open(struct transactions *t, struct network *network, int client, int server, int once)
{
    *t = (struct transactions){.network = network, .is_once = once};
    t->at_client = &network->side[client];
    t->at_server = &network->side[server];
    t->client = endpoint(t->at_client, 0, NULL);
    t->server = endpoint(t->at_server, SERVER_SOCKET, NULL);
    t->to = t->at_server->node.address;
    t->to.socket = SERVER_SOCKET;
}

static inline void transactions_close(struct transactions *t)
{
    str_close(t->client);
    str_close(t->server);
}

static inline int ask(struct transactions *t, unsigned shape)
{
    struct at_atp header = {AT_ATP_REQUEST, 0, (at_short)t->opened};
    at_byte user[4] = {(at_byte)(t->opened >> 8), (at_byte)t->opened, (at_byte)shape, 0xA5};
    int error;
    header.control |= t->is_once ? AT_ATP_XO : 0;
    header.bitmap = (at_byte)((1u << packets_of(t->opened, shape)) - 1);
    if (t->opened % 3 == 1)
        header.bitmap = 0xFF; /* more than come: the end is marked */
    error = graph_send(&t->at_client->node, t->client, &t->to, &header, user, "request", shape == 0 ? 0 : 7);
    t->opened += error == 0;
    return error;
}

/* Answers what has arrived. */
static inline void serve(struct transactions *t)
{
    struct at_address from;
    struct at_atp header;
    const at_byte *data;
    size_t count;
    mblk_t *mp;
    while ((mp = graph_receive(&t->at_server->node, t->server, &from, &header, &data, &count)) != NULL) {
        unsigned number = (unsigned)data[4] << 8 | data[5], shape = data[6];
        assert((header.control & AT_ATP_FUNCTION) == AT_ATP_REQUEST && data[7] == 0xA5 && number < MOST);
        assert(count == AT_ATP_HEADER + (shape == 0 ? 0 : 7) && memcmp(data + 8, "request", count - 8) == 0);
        t->served[number]++;
        for (unsigned packet = 0; packet < packets_of(number, shape); packet++) {
            struct at_atp response = {AT_ATP_RESPONSE, (at_byte)packet, header.tid};
            at_byte body[AT_ATP_DATA], user[4] = {data[4], data[5], (at_byte)packet, 0x5A};
            size_t size = size_of(number, packet, shape);
            for (size_t i = 0; i < size; i++)
                body[i] = byte_at(number, packet, i);
            if (packet + 1 == packets_of(number, shape))
                response.control |= AT_ATP_EOM;
            else if (packet == 3)
                response.control |= AT_ATP_STS;
            assert(graph_send(&t->at_server->node, t->server, &from, &response, user, body, size) == 0);
        }
        freemsg(mp);
    }
}

/* Checks what the client got. */
static inline void collect(struct transactions *t, unsigned shape)
{
    struct at_address from;
    struct at_atp header;
    const at_byte *data;
    size_t count;
    mblk_t *mp;
    while ((mp = graph_receive(&t->at_client->node, t->client, &from, &header, &data, &count)) != NULL) {
        unsigned number = header.tid, packet = header.bitmap;
        assert(number < t->opened && at_same_address(&from, &t->to));
        if ((header.control & AT_ATP_FUNCTION) == AT_ATP_FAILED) {
            assert(count == AT_ATP_HEADER);
            t->failed++;
        } else {
            assert((header.control & AT_ATP_FUNCTION) == AT_ATP_RESPONSE);
            assert(packet == t->packets[number] && packet < packets_of(number, shape)); /* in order */
            assert(data[4] == number >> 8 && data[5] == (at_byte)number && data[6] == packet && data[7] == 0x5A);
            assert(count == AT_ATP_HEADER + size_of(number, packet, shape));
            for (size_t i = AT_ATP_HEADER; i < count; i++)
                assert(data[i] == byte_at(number, packet, i - AT_ATP_HEADER));
            t->packets[number]++;
            t->completed += t->packets[number] == packets_of(number, shape);
        }
        freemsg(mp);
    }
}

/* Runs transactions, some at a time, until each is complete or failed. */
static inline void transactions_run(struct transactions *t, unsigned count, unsigned at_once, unsigned shape)
{
    uint64_t end = t->network->clock + 3600 * 1000 * MS;
    assert(count <= MOST);
    while (t->completed + t->failed < count) {
        while (t->opened < count && t->opened - t->completed - t->failed < at_once)
            assert(ask(t, shape) == 0);
        network_settle(t->network);
        serve(t);
        network_settle(t->network);
        collect(t, shape);
        if (t->opened == count || t->opened - t->completed - t->failed >= at_once)
            network_advance(t->network, 1000 * MS);
        assert(t->network->clock < end);
    }
    for (unsigned i = 0; i < count; i++)
        assert(t->is_once ? t->served[i] <= 1 : 1);
}

#endif
