/* Datagrams of protocols of the x-kernel as STREAMS drivers: ports, fragments, sharing, hostile frames. */
#include "tests/xkernel_hosts.h"

static void test_datagrams_between_ports(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200), from, expected = named(0, 100);
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("hello", 5))) == 0);
    pass(1);
    expect(other, T_UNITDATA_IND, "hello", 5, &from);
    assert(memcmp(&from, &expected, sizeof from) == 0);
    assert(SEND(other, tpi_unitdata_req(&from, sizeof from, bytes("well", 4))) == 0);
    assert(SEND(other, tpi_unitdata_req(&from, sizeof from, NULL)) == 0); /* without data */
    pass(1);
    expect(one, T_UNITDATA_IND, "well", 4, NULL);
    assert(next_type(one) == T_UNITDATA_IND && next_type(one) == -1);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_an_end_without_an_address_gets_answers(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 0, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200), from;
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("ask", 3))) == 0);
    pass(1);
    expect(other, T_UNITDATA_IND, "ask", 3, &from);
    assert(SEND(other, tpi_unitdata_req(&from, sizeof from, bytes("told", 4))) == 0);
    pass(1);
    expect(one, T_UNITDATA_IND, "told", 4, &from);
    assert(memcmp(&from, &to, sizeof to) == 0);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_addresses_are_checked(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = opened(0, "x.dgram");
    assert(bind_to(other, 0, 100, 0) == TADDRBUSY);
    assert(SEND(other, tpi_bind_req("short", 5, 0)) == 0 && next_type(other) == T_ERROR_ACK);
    assert(SEND(one, tpi_unitdata_req("short", 5, bytes("x", 1))) == 0 && next_type(one) == T_UDERROR_IND);
    struct name nowhere = named(1, 0); /* any port */
    assert(SEND(one, tpi_unitdata_req(&nowhere, sizeof nowhere, bytes("x", 1))) == 0);
    assert(next_type(one) == T_UDERROR_IND);
    assert(SEND(one, tpi_make(T_UNBIND_REQ)) == 0);
    int type = next_type(one);
    assert(type == T_OK_ACK || (next_type(one) == T_OK_ACK && type == -1));
    assert(bind_to(other, 0, 100, 0) == 0);
    assert(bind_to(one, 0, 101, 0) == 0);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_datagrams_are_fragmented(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    static uint8_t data[20000];
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)(i * 7 >> 3);
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, sizeof data))) == 0);
    pass(1);
    assert(sides[0].sent == 14); /* of 1482 bytes */
    expect(other, T_UNITDATA_IND, data, sizeof data, NULL);
    mblk_t *many = bytes(data, sizeof data); /* more than 16 frames */
    linkb(many, bytes(data, sizeof data));
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, many)) == 0 && next_type(one) == T_UDERROR_IND);
    lost_of_8 = 8;
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, 100))) == 0);
    pass(1);
    lost_of_8 = 0;
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_missing_fragments_are_given_up(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    static uint8_t data[5000];
    size_t before = str_live_blocks(sides[1].host);
    for (int i = 0; i < 100; i++) {
        lost_of_8 = 2;
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, sizeof data))) == 0);
        pass(1);
        while (next_type(other) != -1)
            ;
    }
    assert(str_live_blocks(sides[1].host) > before); /* fragments wait */
    pass(1100);
    assert(str_live_blocks(sides[1].host) == before);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_data_is_shared_with_frames(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    str_enter(sides[0].host);
    mblk_t *data = bytes("the bytes", 9);
    const uint8_t *there = data->b_rptr;
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, data)) == 0);
    pass(0);
    assert(sides[0].data == there); /* the device had the user's bytes */
    assert(next_type(other) == T_UNITDATA_IND);
    /* The same frame as a block that others hold too. */
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("again", 5))) == 0);
    str_run(sides[0].host);
    struct frame *frame = sides[1].first;
    str_enter(sides[1].host);
    mblk_t *block = bytes(frame->bytes, frame->length), *held = dupb(block), *message;
    uint8_t *inside = block->b_wptr - 5;
    assert(str_device_receive(sides[1].device, block) == 0);
    str_run(sides[1].host);
    assert((message = next(other)) && message->b_cont && message->b_cont->b_rptr == inside);
    assert(memcmp(held->b_rptr, frame->bytes, frame->length) == 0); /* headers were not changed in place */
    freemsg(message);
    freemsg(held);
    pass(1);
    while (next_type(other) != -1)
        ;
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_headers_go_into_room_before_data(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    str_enter(sides[0].host);
    mblk_t *data = allocb(128, BPRI_MED);
    data->b_rptr += 64;
    data->b_wptr = data->b_rptr + 5;
    memcpy(data->b_rptr, "roomy", 5);
    const uint8_t *there = data->b_rptr;
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, data)) == 0);
    pass(1);
    assert(sides[0].data == there - 26); /* the headers of dgram and frag, in the same block */
    expect(other, T_UNITDATA_IND, "roomy", 5, NULL);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_hostile_frames_are_dropped(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct end listener = bound(1, "x.rr", 5, 4);
    struct name to = named(1, 200);
    static uint8_t data[4000];
    for (unsigned round = 0; round < 4000; round++) {
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, pseudo() % sizeof data))) == 0);
        str_run(sides[0].host);
        for (struct frame *each = sides[1].first; each; each = each->next) {
            unsigned changes = pseudo() >> 16 & 3;
            while (changes-- > 0 && each->length > 0)
                each->bytes[pseudo() % (each->length < 40 ? each->length : 40)] = (uint8_t)(pseudo() >> 16);
            if ((pseudo() >> 16 & 7) == 0)
                each->length = pseudo() % (each->length + 1);
        }
        pass(1);
        while (next_type(other) != -1)
            ;
        while (next_type(listener) != -1)
            ;
    }
    pass(2000);
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("alive", 5))) == 0);
    pass(1);
    expect(other, T_UNITDATA_IND, "alive", 5, NULL);
    str_close(one.stream);
    str_close(other.stream);
    str_close(listener.stream);
    close_both();
}

static void test_malformed_requests_are_refused(void) {
    open_both();
    const char *devices[] = {"x.dgram", "x.rr", "x.frag"};
    for (int which = 0; which < 3; which++)
        for (int type = -2; type < 32; type++)
            for (size_t count = 0; count <= 40; count += 4) {
                struct end end = opened(0, devices[which]);
                t_scalar_t words[10] = {type, 16, (t_scalar_t)count * 3, 1 << 30, -1, 7};
                str_enter(sides[0].host);
                mblk_t *message = bytes(words, count);
                message->b_datap->db_type = M_PROTO;
                assert(bind_to(end, 0, which == 2 ? 0 : 50, 1) == 0 || which == 2);
                if (str_send(end.stream, message) != 0)
                    freemsg(message);
                str_run(sides[0].host);
                while (next_type(end) >= 0)
                    ;
                str_close(end.stream);
            }
    close_both();
}

static void test_sessions_are_closed_with_their_user(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200), from;
    for (int round = 0; round < 3; round++) {
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("again", 5))) == 0);
        pass(1);
        expect(other, T_UNITDATA_IND, "again", 5, &from);
        assert(SEND(other, tpi_unitdata_req(&from, sizeof from, bytes("yes", 3))) == 0);
        pass(1);
        expect(one, T_UNITDATA_IND, "yes", 3, NULL); /* at its present user */
        assert(SEND(one, tpi_make(T_UNBIND_REQ)) == 0);
        while (next_type(one) != T_OK_ACK)
            ;
        assert(bind_to(one, 0, 100, 0) == 0);
    }
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

/* An end keeps the sessions of the 64 peers that it used last. */
static void test_sessions_of_an_end_are_bounded(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 0, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200), from;
    for (unsigned more = 62; more <= 64; more++) {
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("ask", 3))) == 0);
        pass(1);
        expect(other, T_UNITDATA_IND, "ask", 3, &from);
        for (unsigned port = 0; port < more; port++) {
            struct name nobody = named(1, 1000 + port);
            assert(SEND(one, tpi_unitdata_req(&nobody, sizeof nobody, bytes("x", 1))) == 0);
        }
        assert(SEND(other, tpi_unitdata_req(&from, sizeof from, bytes("told", 4))) == 0);
        pass(1);
        assert(next_type(one) == (more < 64 ? T_UNITDATA_IND : -1));
    }
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_events_end_with_the_instance(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0);
    struct name to = named(1, 200);
    static uint8_t data[2000];
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, sizeof data))) == 0);
    str_run(sides[0].host);
    deliver(&sides[1]); /* one of two fragments: the other is waited for */
    str_close(one.stream);
    struct side *side = &sides[1];
    assert(str_unlink(side->control, side->link, 0) == 0);
    str_close(side->lower);
    str_close(side->control);
    assert(str_deadline(side->host) != UINT64_MAX);
    assert(str_unload(side->instance) == 0 && str_deadline(side->host) == UINT64_MAX);
    now += 2000 * MS;
    str_tick(side->host);
    assert(str_live_blocks(side->host) == 0);
    assert(str_device_destroy(side->device) == 0);
    str_host_close(side->host);
    for (struct frame *each = side->first; each; each = side->first) {
        side->first = each->next;
        free(each);
    }
    close_side(&sides[0]);
}

/* frag under two protocols: each gets its own. */
static void test_protocols_share_one_below(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct end plain[2] = {opened(0, "x.frag"), opened(1, "x.frag")};
    for (int i = 0; i < 2; i++) {
        struct name name = named(i, 0);
        assert(SEND(plain[i], tpi_bind_req(&name, 4, 0)) == 0 && next_type(plain[i]) == T_BIND_ACK);
    }
    struct name to = named(1, 200);
    assert(SEND(plain[0], tpi_unitdata_req(&to, 4, bytes("plain", 5))) == 0);
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("port", 4))) == 0);
    pass(1);
    expect(plain[1], T_UNITDATA_IND, "plain", 5, NULL);
    expect(other, T_UNITDATA_IND, "port", 4, NULL);
    for (int i = 0; i < 2; i++)
        str_close(plain[i].stream);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_frames_wait_while_the_device_is_busy(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    static uint8_t data[1000];
    int errors = 0, got = 0;
    sides[0].refuses = true;
    for (int i = 0; i < 500; i++) {
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, sizeof data))) == 0);
        for (int type; (type = next_type(one)) != -1;)
            errors += type == T_UDERROR_IND;
    }
    assert(errors > 200 && errors < 400); /* 128 KiB and 50 frames wait */
    sides[0].refuses = false;
    str_device_ready(sides[0].device);
    pass(10);
    for (; str_poll(other.stream, STR_POLLIN); pass(1)) /* what waits below goes up as there is room */
        while (next_type(other) == T_UNITDATA_IND)
            got++;
    assert(got == 500 - errors);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

static void test_a_slow_reader_loses_datagrams(void) {
    open_both();
    struct end one = bound(0, "x.dgram", 100, 0), other = bound(1, "x.dgram", 200, 0);
    struct name to = named(1, 200);
    static uint8_t data[10000];
    size_t most = 0;
    for (int i = 0; i < 500; i++) {
        assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes(data, sizeof data))) == 0);
        pass(1);
        most = str_live_bytes(sides[1].host) > most ? str_live_bytes(sides[1].host) : most;
    }
    assert(most < 4U << 20);
    for (; str_poll(other.stream, STR_POLLIN); pass(1))
        while (next_type(other) == T_UNITDATA_IND)
            ;
    assert(SEND(one, tpi_unitdata_req(&to, sizeof to, bytes("now", 3))) == 0);
    pass(1);
    expect(other, T_UNITDATA_IND, "now", 3, NULL);
    str_close(one.stream);
    str_close(other.stream);
    close_both();
}

int main(void) {
    RUN(datagrams_between_ports);
    RUN(an_end_without_an_address_gets_answers);
    RUN(addresses_are_checked);
    RUN(datagrams_are_fragmented);
    RUN(missing_fragments_are_given_up);
    RUN(data_is_shared_with_frames);
    RUN(headers_go_into_room_before_data);
    RUN(hostile_frames_are_dropped);
    RUN(malformed_requests_are_refused);
    RUN(sessions_are_closed_with_their_user);
    RUN(sessions_of_an_end_are_bounded);
    RUN(events_end_with_the_instance);
    RUN(protocols_share_one_below);
    RUN(frames_wait_while_the_device_is_busy);
    RUN(a_slow_reader_loses_datagrams);
    return 0;
}
