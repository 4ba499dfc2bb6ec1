/* Connections of protocols of 4.4BSD as STREAMS drivers. */
#include "tests/bsd_hosts.h"
#include "tests/seeds.h"

struct connection {
    struct str_stream *client, *listener, *server;
};

static t_uscalar_t number_of(struct str_stream *stream) {
    struct {
        t_scalar_t type;
        t_uscalar_t bits;
    } ask = {T_CAPABILITY_REQ, TC1_ACCEPTOR_ID};
    enter(stream);
    mblk_t *message = bytes(&ask, sizeof ask);
    message->b_datap->db_type = M_PCPROTO;
    assert(SEND(stream, message) == 0);
    mblk_t *answer = next(stream);
    assert(answer);
    t_uscalar_t number = ((struct T_capability_ack *)(void *)answer->b_rptr)->ACCEPTOR_id;
    freemsg(answer);
    return number;
}

static struct connection connected(void) {
    struct connection it = {opened(&sides[0], "tp.tsp"), opened(&sides[1], "tp.tsp"), opened(&sides[1], "tp.tsp")};
    assert(bind_to(it.listener, 80, 4, NULL) == T_BIND_ACK);
    assert(bind_to(it.client, 0, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 80);
    assert(SEND(it.client, tpi_conn_req(&to, sizeof to, NULL)) == 0);
    assert(next_type(it.client) == T_OK_ACK);
    pass(20000);
    mblk_t *message = next(it.listener);
    assert(message && tpi_type(message) == T_CONN_IND && tpi_address(message).length == sizeof to);
    t_scalar_t sequence = ((struct T_conn_ind *)(void *)message->b_rptr)->SEQ_number;
    freemsg(message);
    assert(SEND(it.listener, tpi_conn_res(number_of(it.server), sequence, NULL)) == 0);
    assert(next_type(it.listener) == T_OK_ACK);
    assert(next_type(it.client) == T_CONN_CON);
    return it;
}

static void close_connection(struct connection *it) {
    str_close(it->client);
    str_close(it->server);
    str_close(it->listener);
    pass(60000);
}

#define WHOLE 100000

/* Sends a pattern with pauses of flow control, and checks what arrives. */
static void transfer(struct connection *it) {
    static unsigned char buffer[1000];
    size_t sent = 0, got = 0;
    for (int rounds = 0; got < WHOLE; rounds++) {
        assert(rounds < 100000);
        while (sent < WHOLE && str_poll(it->client, STR_POLLOUT)) {
            for (size_t i = 0; i < sizeof buffer; i++)
                buffer[i] = (unsigned char)((sent + i) * 7 >> 3);
            enter(it->client);
            mblk_t *data = bytes(buffer, sizeof buffer);
            int error = SEND(it->client, data);
            if (error) {
                freemsg(data);
                break;
            }
            sent += sizeof buffer;
        }
        pass(100);
        mblk_t *message;
        while ((message = next(it->server))) {
            assert(message->b_datap->db_type == M_DATA);
            for (mblk_t *each = message; each; each = each->b_cont)
                for (unsigned char *at = each->b_rptr; at != each->b_wptr; at++, got++)
                    assert(*at == (unsigned char)(got * 7 >> 3));
            freemsg(message);
        }
    }
    assert(got == WHOLE);
}

static void release(struct connection *it) {
    assert(SEND(it->client, tpi_make(T_ORDREL_REQ)) == 0);
    pass(20000);
    assert(next_type(it->server) == T_ORDREL_IND);
    assert(SEND(it->server, tpi_make(T_ORDREL_REQ)) == 0);
    pass(20000);
    assert(next_type(it->client) == T_ORDREL_IND);
}

static void test_a_stream_carries_data_and_ends_in_order(void) {
    open_both();
    struct connection it = connected();
    transfer(&it);
    release(&it);
    close_connection(&it);
    close_both();
}

static void test_a_stream_survives_bad_networks(void) {
    EACH_SEED(number, 4) {
        open_both();
        seed = number;
        lost_of_8 = 1;
        repeated_of_8 = number % 2;
        overtaken_of_8 = number / 2 % 2;
        struct connection it = connected();
        transfer(&it);
        release(&it);
        close_connection(&it);
        close_both();
    }
}

static void test_an_endpoint_connects_again(void) {
    open_both();
    struct connection it = connected();
    release(&it);
    struct name to = named(2, 81);
    assert(SEND(it.client, tpi_conn_req(&to, sizeof to, NULL)) == 0);
    assert(next_type(it.client) == T_OK_ACK);
    pass(20000);
    assert(next_type(it.client) == T_DISCON_IND); /* refused: nothing listens there */
    close_connection(&it);
    close_both();
}

static void test_expedited_data_passes(void) {
    open_both();
    struct connection it = connected();
    assert(SEND(it.client, tpi_exdata_req(false, bytes("!", 1))) == 0);
    pass(10);
    mblk_t *message = next(it.server);
    assert(message && tpi_type(message) == T_EXDATA_IND && message->b_cont && *message->b_cont->b_rptr == '!');
    freemsg(message);
    close_connection(&it);
    close_both();
}

static void test_abortive_release_reaches_the_peer(void) {
    open_both();
    struct connection it = connected();
    assert(SEND(it.client, tpi_discon_req(-1, NULL)) == 0);
    assert(next_type(it.client) == T_OK_ACK);
    pass(10);
    mblk_t *message = next(it.server);
    assert(message && tpi_type(message) == T_DISCON_IND);
    assert(((struct T_discon_ind *)(void *)message->b_rptr)->DISCON_reason == ECONNRESET);
    freemsg(message);
    close_connection(&it);
    close_both();
}

static void test_a_refused_offer_resets_the_connection(void) {
    open_both();
    struct connection it = {opened(&sides[0], "tp.tsp"), opened(&sides[1], "tp.tsp"), opened(&sides[1], "tp.tsp")};
    assert(bind_to(it.listener, 80, 4, NULL) == T_BIND_ACK && bind_to(it.client, 0, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 80);
    assert(SEND(it.client, tpi_conn_req(&to, sizeof to, NULL)) == 0);
    pass(10);
    mblk_t *message = next(it.listener);
    assert(message && tpi_type(message) == T_CONN_IND);
    t_scalar_t sequence = ((struct T_conn_ind *)(void *)message->b_rptr)->SEQ_number;
    freemsg(message);
    assert(SEND(it.listener, tpi_discon_req(sequence, NULL)) == 0);
    assert(next_type(it.listener) == T_OK_ACK);
    pass(10);
    assert(next_type(it.client) == T_OK_ACK && next_type(it.client) == T_CONN_CON);
    assert(next_type(it.client) == T_DISCON_IND);
    close_connection(&it);
    close_both();
}

static void test_an_offer_that_ends_is_withdrawn(void) {
    open_both();
    struct connection it = {opened(&sides[0], "tp.tsp"), opened(&sides[1], "tp.tsp"), opened(&sides[1], "tp.tsp")};
    assert(bind_to(it.listener, 80, 4, NULL) == T_BIND_ACK && bind_to(it.client, 0, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 80);
    assert(SEND(it.client, tpi_conn_req(&to, sizeof to, NULL)) == 0);
    pass(10);
    assert(next_type(it.listener) == T_CONN_IND);
    assert(SEND(it.client, tpi_discon_req(-1, NULL)) == 0);
    pass(10);
    assert(next_type(it.listener) == T_DISCON_IND);
    close_connection(&it);
    close_both();
}

static void test_connections_time_out_on_the_hosts_clock(void) {
    open_both();
    struct connection it = connected();
    lost_of_8 = 8;
    assert(SEND(it.client, bytes("lost", 4)) == 0);
    uint64_t begin = now;
    while (next_type(it.client) != T_DISCON_IND) {
        pass(100);
        assert(now - begin < 60000 * MS);
    }
    /* Twelve tries of two slow timeouts each. */
    assert(now - begin >= 11000 * MS && now - begin <= 14000 * MS);
    lost_of_8 = 0;
    close_connection(&it);
    close_both();
}

int main(void) {
    RUN(a_stream_carries_data_and_ends_in_order);
    RUN(a_stream_survives_bad_networks);
    RUN(an_endpoint_connects_again);
    RUN(expedited_data_passes);
    RUN(abortive_release_reaches_the_peer);
    RUN(a_refused_offer_resets_the_connection);
    RUN(an_offer_that_ends_is_withdrawn);
    RUN(connections_time_out_on_the_hosts_clock);
    return 0;
}
