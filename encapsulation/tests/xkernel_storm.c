/* Seeded runs of the test protocols of the x-kernel with faults: each request is executed once, in order, and each
 * reply is that of its request; datagrams are intact. */
#include "tests/xkernel_calls.h"

#include "tests/seeds.h"

#define CLIENTS 3
#define MOST_SERVERS 16
#define SERVICE 5

/* What a request and its reply contain, before filler. */
struct content {
    uint32_t connection, number, length;
};

struct client {
    struct end end;
    uint32_t connection, number;
    bool connected, waits;
};

struct server {
    struct end end;
    uint32_t connection, next;
};

static struct client clients[CLIENTS];
static struct server servers[MOST_SERVERS];
static unsigned server_count;
static uint32_t connections, replies;
static struct end listener, senders[2];

static uint8_t filler(uint32_t number, uint32_t at) { return (uint8_t)(number * 31 + at); }

static mblk_t *content(struct content head) {
    mblk_t *block = allocb(sizeof head + head.length, BPRI_MED);
    assert(block);
    memcpy(block->b_wptr, &head, sizeof head);
    for (uint32_t i = 0; i < head.length; i++)
        block->b_wptr[sizeof head + i] = filler(head.number, i);
    block->b_wptr += sizeof head + head.length;
    return block;
}

static struct content checked(mblk_t *message) {
    struct content head;
    mblk_t *data = message->b_cont;
    assert(data && pullupmsg(data, -1) && msgdsize(data) >= sizeof head);
    memcpy(&head, data->b_rptr, sizeof head);
    assert(msgdsize(data) == sizeof head + head.length);
    for (uint32_t i = 0; i < head.length; i++)
        assert(data->b_rptr[sizeof head + i] == filler(head.number, i));
    freemsg(message);
    return head;
}

static void client_step(struct client *it) {
    mblk_t *message;
    if (!it->connected) {
        if (connections == MOST_SERVERS)
            return;
        call(it->end, 1, SERVICE);
        it->connected = true;
        it->waits = false;
        it->connection = connections++;
        it->number = 0;
    }
    while ((message = next(it->end))) {
        if (tpi_type(message) == T_DISCON_IND) { /* nobody answered */
            freemsg(message);
            it->connected = false;
            return;
        }
        assert(tpi_type(message) == T_DATA_IND && it->waits);
        struct content head = checked(message);
        assert(head.connection == it->connection && head.number == it->number);
        it->number++;
        it->waits = false;
        replies++;
    }
    if (it->waits && (pseudo() >> 16 & 127) == 0) { /* gives up */
        assert(SEND(it->end, tpi_discon_req(0, NULL)) == 0);
        int type;
        while ((type = next_type(it->end)) != T_OK_ACK)
            assert(type != -1);
        it->connected = false;
    } else if (!it->waits) {
        struct content head = {it->connection, it->number, pseudo() >> 8 & 4095};
        str_enter(it->end.host);
        assert(SEND(it->end, tpi_data_req(false, content(head))) == 0);
        it->waits = true;
    }
}

static void server_step(struct server *it) {
    mblk_t *message;
    while ((message = next(it->end))) {
        struct content head = checked(message);
        if (it->next == 0)
            it->connection = head.connection;
        assert(head.connection == it->connection && head.number == it->next);
        it->next++;
        str_enter(it->end.host);
        assert(SEND(it->end, tpi_data_req(false, content(head))) == 0);
    }
}

static void datagram_step(void) {
    struct name to = named(1, 200);
    struct content head = {0, pseudo() >> 16, pseudo() >> 8 & 8191};
    mblk_t *message;
    str_enter(sides[0].host);
    assert(SEND(senders[0], tpi_unitdata_req(&to, sizeof to, content(head))) == 0);
    while ((message = next(senders[1])))
        checked(message);
    while (next_type(senders[0]) != -1)
        ;
}

static void run(uint32_t number) {
    open_both();
    seed = number * 2654435761U;
    server_count = connections = replies = 0;
    memset(clients, 0, sizeof clients);
    memset(servers, 0, sizeof servers);
    lost_of_8 = pseudo() >> 16 & 1;
    twice_of_8 = pseudo() >> 16 & 3;
    early_of_8 = pseudo() >> 16 & 3;
    listener = bound(1, "x.rr", SERVICE, 8);
    for (int i = 0; i < CLIENTS; i++)
        clients[i].end = bound(0, "x.rr", 0, 0);
    for (int i = 0; i < 2; i++)
        senders[i] = bound(i, "x.dgram", 100 + 100 * (unsigned)i, 0);
    for (int step = 0; step < 150; step++) {
        for (int i = 0; i < CLIENTS; i++)
            client_step(&clients[i]);
        if (chance(1))
            datagram_step();
        sides[0].refuses = chance(1);
        pass(pseudo() >> 16 & 127);
        sides[0].refuses = false;
        str_device_ready(sides[0].device);
        while (server_count < MOST_SERVERS && str_poll(listener.stream, STR_POLLIN))
            servers[server_count++].end = accepted(listener, 1);
        pass(1);
        for (unsigned i = 0; i < server_count; i++)
            server_step(&servers[i]);
        pass(pseudo() >> 16 & 63);
    }
    assert(replies > 20);
    for (int i = 0; i < CLIENTS; i++)
        str_close(clients[i].end.stream);
    for (unsigned i = 0; i < server_count; i++)
        str_close(servers[i].end.stream);
    str_close(listener.stream);
    for (int i = 0; i < 2; i++)
        str_close(senders[i].stream);
    pass(1100);
    close_both();
}

static void test_requests_are_executed_once(void) {
    EACH_SEED(number, 60)
        run(number);
}

int main(void) {
    RUN(requests_are_executed_once);
    return 0;
}
