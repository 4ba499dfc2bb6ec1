/* Connections of protocols of the x-kernel as STREAMS drivers: requests, loss, several instances, failures. */
#include "tests/xkernel_calls.h"

static int control(struct end end, t_scalar_t flags, int operation, int value) {
    struct {
        struct T_optmgmt_req head;
        struct opthdr option;
        int value;
    } ask = {{T_OPTMGMT_REQ, sizeof(struct opthdr) + sizeof(int), sizeof(struct T_optmgmt_req), flags},
             {OPTION_LEVEL, operation, sizeof(int)}, value};
    str_enter(end.host);
    mblk_t *message = bytes(&ask, sizeof ask), *answer;
    message->b_datap->db_type = M_PROTO;
    if (served(str_send(end.stream, message)) != 0) {
        freemsg(message);
        return -1;
    }
    if (!(answer = next(end)))
        return -1;
    int result = -1;
    if (tpi_type(answer) == T_OPTMGMT_ACK) {
        result = 0;
        if (flags == T_CURRENT)
            memcpy(&result, answer->b_rptr + sizeof ask.head + sizeof ask.option, sizeof result);
    }
    freemsg(answer);
    return result;
}

static void test_requests_and_replies(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 4), client = bound(0, "x.rr", 0, 0);
    call(client, 1, 5);
    request(client, "what", 4);
    pass(1);
    struct end server = accepted(listener, 1);
    pass(1);
    expect(server, T_DATA_IND, "what", 4, NULL);
    request(server, "that", 4);
    pass(1);
    expect(client, T_DATA_IND, "that", 4, NULL);
    assert(SEND(client, tpi_discon_req(0, NULL)) == 0 && next_type(client) == T_OK_ACK);
    call(client, 1, 5);
    request(client, "once more", 9);
    pass(1);
    struct end second = accepted(listener, 1);
    pass(1);
    expect(second, T_DATA_IND, "once more", 9, NULL);
    request(second, "", 0);
    pass(1);
    assert(next_type(client) == T_DATA_IND);
    str_close(client.stream);
    str_close(server.stream);
    str_close(second.stream);
    str_close(listener.stream);
    close_both();
}

/* A request that comes while another is under way waits until the protocol takes it. */
static void test_requests_wait_for_replies(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 4), client = bound(0, "x.rr", 0, 0);
    call(client, 1, 5);
    for (char i = '0'; i < '5'; i++)
        request(client, &i, 1);
    pass(1);
    struct end server = accepted(listener, 1);
    pass(1);
    for (char i = '0'; i < '5'; i++) {
        expect(server, T_DATA_IND, &i, 1, NULL);
        assert(next_type(server) == -1);
        request(server, &i, 1);
        pass(1);
        expect(client, T_DATA_IND, &i, 1, NULL);
    }
    str_close(client.stream);
    str_close(server.stream);
    str_close(listener.stream);
    close_both();
}

static void test_parts_become_one_message(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 4), client = bound(0, "x.rr", 0, 0);
    call(client, 1, 5);
    str_enter(client.host);
    assert(SEND(client, tpi_data_req(true, bytes("one ", 4))) == 0);
    assert(SEND(client, tpi_data_req(true, bytes("and ", 4))) == 0);
    pass(1);
    assert(sides[0].sent == 0);
    assert(SEND(client, tpi_data_req(false, bytes("two", 3))) == 0);
    pass(1);
    struct end server = accepted(listener, 1);
    pass(1);
    expect(server, T_DATA_IND, "one and two", 11, NULL);
    static uint8_t part[60000];
    for (int i = 0; i < 18; i++) /* of more than 1 MiB */
        assert(SEND(client, tpi_data_req(true, bytes(part, sizeof part))) == 0);
    pass(1);
    assert(next_type(client) == T_DISCON_IND);
    call(client, 1, 5);
    str_enter(client.host);
    assert(SEND(client, tpi_data_req(true, bytes("unfinished", 10))) == 0);
    str_close(client.stream);
    str_close(server.stream);
    str_close(listener.stream);
    close_both();
}

static void test_loss_is_made_up_for(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 4), client = bound(0, "x.rr", 0, 0), server = {NULL, NULL};
    static uint8_t data[4000];
    call(client, 1, 5);
    lost_of_8 = 1;
    for (unsigned i = 0; i < 300; i++) {
        size_t count = pseudo() % sizeof data;
        memset(data, (int)i, count);
        request(client, data, count);
        for (int waits = 0; waits < 100; waits++) {
            pass(100);
            if (!server.stream)
                server = accepted(listener, 1);
            pass(1);
            mblk_t *message = next(server);
            if (!message)
                continue;
            assert(tpi_type(message) == T_DATA_IND && msgdsize(message) == count);
            mblk_t *body = message->b_cont;
            message->b_cont = NULL;
            freemsg(message);
            assert(body && (count == 0 || *body->b_rptr == (uint8_t)i));
            assert(SEND(server, body) == 0); /* it is the reply, as it is */
            break;
        }
        for (int waits = 0; waits < 100 && str_poll(client.stream, STR_POLLIN) == 0; waits++)
            pass(100);
        expect(client, T_DATA_IND, data, count, NULL);
        assert(next_type(server) == -1 && next_type(client) == -1);
    }
    assert(control(client, T_CURRENT, RR_GETRESENT, 0) > 50);
    str_close(client.stream);
    str_close(server.stream);
    str_close(listener.stream);
    close_both();
}

static void test_a_silent_peer_ends_the_connection(void) {
    open_both();
    struct end client = bound(0, "x.rr", 0, 0);
    call(client, 1, 6); /* nobody is enabled for it */
    request(client, "anybody", 7);
    pass(20000);
    assert(next_type(client) == T_DISCON_IND && next_type(client) == -1);
    call(client, 1, 6);
    str_close(client.stream);
    close_both();
}

static void test_offers_are_bounded_and_refused(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 2), clients[4], nowhere = opened(1, "x.rr");
    assert(bind_to(nowhere, 1, 0, 2) == TNOADDR); /* a listener has an address */
    assert(bind_to(nowhere, 1, 5, 2) == TADDRBUSY);
    str_close(nowhere.stream);
    for (int i = 0; i < 4; i++) {
        clients[i] = bound(0, "x.rr", 0, 0);
        call(clients[i], 1, 5);
        request(clients[i], "please", 6);
    }
    pass(1);
    t_scalar_t first = offered(listener), second = offered(listener);
    assert(first && second && next_type(listener) == -1);
    assert(SEND(listener, tpi_discon_req(first, NULL)) == 0 && next_type(listener) == T_OK_ACK);
    assert(SEND(listener, tpi_discon_req(first, NULL)) == 0 && next_type(listener) == T_ERROR_ACK);
    pass(200); /* those that were turned away ask again */
    assert(offered(listener));
    for (int i = 0; i < 4; i++)
        str_close(clients[i].stream);
    str_close(listener.stream);
    close_both();
}

static void test_data_waits_for_acceptance(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 2), client = bound(0, "x.rr", 0, 0);
    call(client, 1, 5);
    request(client, "early", 5);
    pass(50);
    struct end server = accepted(listener, 1);
    pass(0);
    expect(server, T_DATA_IND, "early", 5, NULL);
    str_close(listener.stream); /* the connection goes on */
    request(server, "late", 4);
    pass(1);
    expect(client, T_DATA_IND, "late", 4, NULL);
    str_close(client.stream);
    str_close(server.stream);
    close_both();
}

static void test_control_operations_are_options(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 2), client = bound(0, "x.rr", 0, 0);
    assert(control(client, T_CURRENT, GETMAXPACKET, 0) == 16 * 1482 - 8);
    assert(control(client, T_CURRENT, RR_GETRESENT, 0) == -1); /* of sessions */
    call(client, 1, 5);
    assert(control(client, T_CURRENT, RR_GETRESENT, 0) == 0);
    assert(control(client, T_CURRENT, GETPEERHOST, 0) == 0x0200000a);
    assert(control(client, T_NEGOTIATE, RR_GETRESENT + 1, 50000) == 0);
    request(client, "x", 1);
    pass(149);
    assert(control(client, T_CURRENT, RR_GETRESENT, 0) == 1); /* after 50 ms; then after 100 */
    str_close(client.stream);
    str_close(listener.stream);
    close_both();
}

/* Two instances of a capsule in one host share nothing. */
static void test_instances_are_separate(void) {
    open_both();
    struct str_instance *other;
    const char *options[] = {"host=0a:00:00:63", NULL};
    assert(str_load(sides[0].host, CAPSULE, "y", options, &other, NULL) == 0);
    struct end one = bound(0, "x.dgram", 100, 0), same = opened(0, "y.dgram");
    assert(bind_to(same, 0, 100, 0) == 0);
    struct name to = named(1, 200);
    assert(SEND(same, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0); /* no lower stream */
    assert(next_type(same) == T_UDERROR_IND);
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0 && next_type(one) == -1);
    pass(1);
    assert(str_unload(other) == EBUSY);
    str_close(same.stream);
    assert(str_unload(other) == 0);
    str_close(one.stream);
    close_both();
}

static void test_a_failed_assertion_ends_the_instance(void) {
    open_both();
    struct end listener = bound(1, "x.rr", 5, 2), client = bound(0, "x.rr", 0, 0), other = bound(0, "x.rr", 0, 0);
    call(client, 1, 5);
    call(other, 1, 5);
    request(client, "in flight", 9);
    request(client, "waits", 5);
    str_enter(other.host);
    assert(SEND(other, tpi_data_req(true, bytes("a part", 6))) == 0);
    pass(1);
    assert(control(client, T_CURRENT, RR_FAIL, 0) == -1);
    assert(strstr(logged, "op != RR_FAIL"));
    assert(next_type(client) == -3); /* EIO */
    mblk_t *late = tpi_data_req(false, bytes("late", 4));
    if (SEND(other, late) != 0)
        freemsg(late);
    assert(next_type(other) == -3);
    pass(1000); /* its timeouts run into nothing; the other host goes on */
    struct end last = bound(1, "x.rr", 0, 0);
    assert(control(last, T_CURRENT, RR_FAIL, 0) == -1); /* with data that came before it was accepted */
    str_close(last.stream);
    assert(offered(listener));
    str_close(client.stream);
    str_close(other.stream);
    str_close(listener.stream);
    close_both();
}

static void test_streams_close_in_any_order(void) {
    for (unsigned round = 0; round < 60; round++) {
        open_both();
        seed = round + 1;
        struct end ends[6] = {bound(1, "x.rr", 5, 2), bound(0, "x.rr", 0, 0), bound(0, "x.dgram", 100, 0),
                              bound(1, "x.dgram", 200, 0), {NULL, NULL}, {NULL, NULL}};
        struct name to = named(1, 200);
        call(ends[1], 1, 5);
        request(ends[1], "early", 5);
        assert(SEND(ends[2], tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0);
        pass(pseudo() >> 16 & 1);
        if (str_poll(ends[0].stream, STR_POLLIN))
            ends[4] = accepted(ends[0], 1);
        pass(pseudo() >> 16 & 1);
        for (int left = 0; left < 12; left++) {
            struct end *end = &ends[pseudo() >> 16 & 3];
            if (end->stream)
                str_close(end->stream);
            end->stream = NULL;
            pass(pseudo() >> 16 & 63);
        }
        for (int i = 0; i < 6; i++)
            if (ends[i].stream)
                str_close(ends[i].stream);
        close_both();
    }
}

int main(void) {
    RUN(requests_and_replies);
    RUN(requests_wait_for_replies);
    RUN(parts_become_one_message);
    RUN(loss_is_made_up_for);
    RUN(a_silent_peer_ends_the_connection);
    RUN(offers_are_bounded_and_refused);
    RUN(data_waits_for_acceptance);
    RUN(control_operations_are_options);
    RUN(instances_are_separate);
    RUN(a_failed_assertion_ends_the_instance);
    RUN(streams_close_in_any_order);
    return 0;
}
