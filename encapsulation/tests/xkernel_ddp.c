/* Three subsystems in one graph: protocols of the x-kernel over DDP, which is a driver of STREAMS on one node, and
 * BSD's on the other. */
#include "appletalk_datagrams.h"
#include "streams/capsule.h"

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

struct over {
    struct str_instance *instance;
    struct str_stream *control, *ddp;
    int link;
};

static const struct graph *const graphs[2] = {&graph_native, &graph_import2};
static struct over overs[2];
static struct network network;

/* An address: the name of a socket of DDP, and a port. */
struct place {
    at_byte name[AT_NAME_LENGTH], port[2];
};

static struct place place(int number, unsigned port) {
    struct place it = {{0}, {(at_byte)(port >> 8), (at_byte)port}};
    struct at_address address = network.side[number].node.address;
    address.socket = (at_byte)(140 + number);
    at_name_write(it.name, &address, 9);
    return it;
}

static void open_all(unsigned loss) {
    network_open(&network, graphs, 2, 1);
    for (int i = 0; i < 2; i++) {
        struct over *over = &overs[i];
        struct str_host *host = network.side[i].node.host;
        static const char *const options[] = {NULL};
        over->ddp = datagrams(&network.side[i], (at_byte)(140 + i), 9);
        assert(str_load(host, XCAPSULE, "x", options, &over->instance, NULL) == 0);
        assert(str_open(host, "x.dgram", &over->control) == 0);
        assert(str_link(over->control, over->ddp, 0, &over->link) == 0);
    }
    network.loss = loss;
}

static void close_all(void) {
    network.loss = 0;
    for (int i = 0; i < 2; i++) {
        assert(str_unlink(overs[i].control, overs[i].link, 0) == 0);
        str_close(overs[i].ddp);
        str_close(overs[i].control);
        assert(str_unload(overs[i].instance) == 0);
    }
    network_close(&network);
}

static struct str_stream *bound(int number, const char *device, unsigned port, unsigned backlog) {
    struct str_stream *stream;
    struct place it = place(number, port);
    assert(str_open(network.side[number].node.host, device, &stream) == 0);
    str_enter(network.side[number].node.host);
    mblk_t *answer = answer_to(&network.side[number], stream, tpi_bind_req(&it, port ? sizeof it : 0, backlog));
    assert(tpi_type(answer) == T_BIND_ACK);
    freemsg(answer);
    return stream;
}

static void pass(uint64_t ms) {
    for (uint64_t end = network.clock + ms * MS; network.clock < end;)
        network_advance(&network, end - network.clock);
}

static void send_on(int number, struct str_stream *stream, mblk_t *(*make)(const void *), const void *argument) {
    str_enter(network.side[number].node.host);
    assert(str_send(stream, make(argument)) == 0);
    network_settle(&network);
}

static mblk_t *ask(const void *to) { return tpi_unitdata_req(to, sizeof(struct place), text("ask", 3)); }
static mblk_t *tell(const void *to) { return tpi_unitdata_req(to, sizeof(struct place), text("tell", 4)); }

static void take(struct str_stream *stream, int type, const char *words, void *from) {
    mblk_t *message;
    assert(str_receive(stream, &message) == 0 && tpi_type(message) == type);
    assert(message->b_cont && pullupmsg(message->b_cont, -1) && msgdsize(message->b_cont) == strlen(words));
    assert(memcmp(message->b_cont->b_rptr, words, strlen(words)) == 0);
    if (from) {
        assert(tpi_address(message).length == sizeof(struct place));
        memcpy(from, tpi_address(message).bytes, sizeof(struct place));
    }
    freemsg(message);
}

static void test_datagrams_over_ddp(void) {
    open_all(0);
    for (int to = 0; to < 2; to++) { /* each subsystem below asks and answers */
        struct str_stream *client = bound(1 - to, "x.dgram", 100, 0), *server = bound(to, "x.dgram", 200, 0);
        struct place there = place(to, 200), from, expected = place(1 - to, 100);
        send_on(1 - to, client, ask, &there);
        pass(20);
        take(server, T_UNITDATA_IND, "ask", &from);
        assert(memcmp(&from, &expected, sizeof from) == 0);
        send_on(to, server, tell, &from);
        pass(20);
        take(client, T_UNITDATA_IND, "tell", &from);
        assert(memcmp(&from, &there, sizeof from) == 0);
        str_close(client);
        str_close(server);
    }
    close_all();
}

static mblk_t *call(const void *to) { return tpi_conn_req(to, sizeof(struct place), NULL); }
static mblk_t *data(const void *words) { return tpi_data_req(false, text(words, strlen(words))); }

static t_uscalar_t number_of(int number, struct str_stream *stream) {
    struct T_capability_req asked = {T_CAPABILITY_REQ, TC1_ACCEPTOR_ID};
    str_enter(network.side[number].node.host);
    mblk_t *answer = text((const char *)&asked, sizeof asked);
    answer->b_datap->db_type = M_PCPROTO;
    answer = answer_to(&network.side[number], stream, answer);
    t_uscalar_t found = ((struct T_capability_ack *)(void *)answer->b_rptr)->ACCEPTOR_id;
    freemsg(answer);
    return found;
}

static int next_type(struct str_stream *stream) {
    mblk_t *message;
    if (str_receive(stream, &message) != 0 || !message)
        return -1;
    int type = tpi_type(message);
    freemsg(message);
    return type;
}

static struct str_stream *accepted(int number, struct str_stream *listener) {
    struct str_stream *stream;
    mblk_t *message;
    assert(str_receive(listener, &message) == 0 && tpi_type(message) == T_CONN_IND);
    t_scalar_t sequence = ((struct T_conn_ind *)(void *)message->b_rptr)->SEQ_number;
    freemsg(message);
    assert(str_open(network.side[number].node.host, "x.rr", &stream) == 0);
    t_uscalar_t acceptor = number_of(number, stream);
    str_enter(network.side[number].node.host);
    message = answer_to(&network.side[number], listener, tpi_conn_res(acceptor, sequence, NULL));
    assert(tpi_type(message) == T_OK_ACK);
    freemsg(message);
    return stream;
}

static void test_requests_over_ddp_with_loss(void) {
    for (int to = 0; to < 2; to++) {
        open_all(20);
        network.twice = 10;
        struct str_stream *client = bound(1 - to, "x.rr", 0, 0), *listener = bound(to, "x.rr", 5, 4), *server = NULL;
        struct place there = place(to, 5);
        send_on(1 - to, client, call, &there);
        assert(next_type(client) == T_OK_ACK && next_type(client) == T_CONN_CON);
        for (int i = 0; i < 100; i++) {
            char words[16];
            snprintf(words, sizeof words, "request %d", i);
            send_on(1 - to, client, data, words);
            for (int waits = 0; waits < 200 && !str_poll(server ? server : listener, STR_POLLIN); waits++)
                pass(50);
            if (!server) {
                server = accepted(to, listener);
                pass(1);
            }
            take(server, T_DATA_IND, words, NULL);
            words[0] = 'R';
            send_on(to, server, data, words);
            for (int waits = 0; waits < 200 && !str_poll(client, STR_POLLIN); waits++)
                pass(50);
            take(client, T_DATA_IND, words, NULL);
            assert(next_type(client) == -1 && next_type(server) == -1);
        }
        assert(network.lost > 20);
        str_close(client);
        str_close(server);
        str_close(listener);
        close_all();
    }
}

int main(void) {
    RUN(datagrams_over_ddp);
    RUN(requests_over_ddp_with_loss);
    return 0;
}
