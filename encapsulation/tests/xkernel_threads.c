/* Protocols of the x-kernel that wait within open and push, on threads of the instance. */
static const char *extra = "threads=4";
#define CONTROL "x.meet"
#define EXTRA extra
#include "tests/xkernel_calls.h"

/* The address is the port. */
static int bind_port(struct end end, unsigned port, unsigned backlog) {
    uint8_t bytes_of[2] = {(uint8_t)(port >> 8), (uint8_t)port};
    assert(SEND(end, tpi_bind_req(bytes_of, port ? 2 : 0, backlog)) == 0);
    return next_type(end);
}

static void connect_port(struct end end, unsigned port) {
    uint8_t bytes_of[2] = {(uint8_t)(port >> 8), (uint8_t)port};
    assert(SEND(end, tpi_conn_req(bytes_of, 2, NULL)) == 0 && next_type(end) == T_OK_ACK);
}

static struct end ended(int side, unsigned port, unsigned backlog) {
    struct end end = opened(side, "x.meet");
    assert(bind_port(end, port, backlog) == T_BIND_ACK);
    return end;
}

static struct end taken(struct end at, int side) {
    struct end end = opened(side, "x.meet");
    t_scalar_t sequence = offered(at);
    assert(sequence);
    t_uscalar_t number = number_of(end);
    assert(SEND(at, tpi_conn_res(number, sequence, NULL)) == 0 && next_type(at) == T_OK_ACK);
    return end;
}

static void test_open_waits_for_the_peer(void) {
    open_both();
    struct end listener = ended(1, 5, 4), client = ended(0, 0, 0);
    connect_port(client, 5);
    assert(next_type(client) == -1); /* the thread waits */
    pass(5);
    assert(next_type(client) == -1); /* and then a Delay of 10 ms */
    pass(10);
    assert(next_type(client) == T_CONN_CON);
    struct end server = taken(listener, 1);
    request(client, "hello", 5);
    pass(1);
    expect(server, T_DATA_IND, "hello", 5, NULL);
    request(server, "back", 4);
    pass(1);
    expect(client, T_DATA_IND, "back", 4, NULL);
    str_close(client.stream);
    str_close(server.stream);
    str_close(listener.stream);
    close_both();
}

static void test_open_without_an_answer_fails(void) {
    open_both();
    struct end client = ended(0, 0, 0);
    connect_port(client, 6);
    pass(390);
    assert(next_type(client) == -1);
    pass(20);
    assert(next_type(client) == T_DISCON_IND && sides[0].sent == 4);
    connect_port(client, 6); /* it may try again */
    pass(1000);
    assert(next_type(client) == T_DISCON_IND);
    str_close(client.stream);
    close_both();
}

static void test_push_waits_for_room(void) {
    open_both();
    struct end listener = ended(1, 5, 4), client = ended(0, 0, 0);
    connect_port(client, 5);
    pass(20);
    assert(next_type(client) == T_CONN_CON);
    struct end server = taken(listener, 1);
    int sent = sides[0].sent;
    for (char i = '0'; i < '9'; i++)
        request(client, &i, 1);
    str_run(sides[0].host);
    assert(sides[0].sent == sent + 2); /* the third waits in push, the others in the queue */
    pass(1);
    for (char i = '0'; i < '9'; i++)
        expect(server, T_DATA_IND, &i, 1, NULL);
    str_close(client.stream);
    str_close(server.stream);
    str_close(listener.stream);
    close_both();
}

static void test_users_that_wait_may_go(void) {
    open_both();
    struct end one = ended(0, 0, 0), other = ended(0, 0, 0), third = ended(0, 0, 0);
    connect_port(one, 6);
    connect_port(other, 7);
    connect_port(third, 8);
    str_close(one.stream);
    assert(SEND(other, tpi_discon_req(0, NULL)) == 0 && next_type(other) == T_OK_ACK);
    pass(50);
    assert(SEND(other, tpi_make(T_UNBIND_REQ)) == 0 && next_type(other) == T_OK_ACK);
    pass(1000);
    assert(next_type(other) == -1 && next_type(third) == T_DISCON_IND);
    connect_port(third, 8);
    str_close(other.stream);
    str_close(third.stream); /* its thread waits when the instance is unloaded */
    close_both();
}

static void test_threads_are_bounded(void) {
    open_both();
    struct end ends[6], listener = ended(0, 9, 1), caller = ended(1, 0, 0);
    for (unsigned i = 0; i < 6; i++) {
        ends[i] = ended(0, 0, 0);
        connect_port(ends[i], 20 + i);
        assert(next_type(ends[i]) == (i < 4 ? -1 : T_DISCON_IND));
    }
    connect_port(caller, 9);
    pass(50);
    assert(offered(listener) == 0); /* no thread for what comes */
    pass(1000); /* events run nevertheless, and end the waiting; the caller asks again */
    for (int i = 0; i < 4; i++)
        assert(next_type(ends[i]) == T_DISCON_IND);
    str_close(caller.stream);
    caller = ended(1, 0, 0);
    connect_port(caller, 9);
    pass(50);
    assert(offered(listener));
    for (int i = 0; i < 6; i++)
        str_close(ends[i].stream);
    str_close(listener.stream);
    str_close(caller.stream);
    close_both();
}

static void test_without_threads_waiting_ends_the_instance(void) {
    extra = "threads=0";
    open_both();
    struct end client = ended(0, 0, 0);
    uint8_t port[2] = {0, 5};
    assert(SEND(client, tpi_conn_req(port, 2, NULL)) == 0 && next_type(client) == -3);
    assert(strstr(logged, "semWait"));
    str_close(client.stream);
    close_both();
    extra = "threads=4";
}

int main(void) {
    RUN(open_waits_for_the_peer);
    RUN(open_without_an_answer_fails);
    RUN(push_waits_for_room);
    RUN(users_that_wait_may_go);
    RUN(threads_are_bounded);
    RUN(without_threads_waiting_ends_the_instance);
    return 0;
}
