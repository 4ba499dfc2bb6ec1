/* Datagrams, interfaces and failures of protocols of 4.4BSD as STREAMS drivers. */
#include "tests/bsd_hosts.h"

#define OPTION_LEVEL 25

static void test_datagrams_reach_the_other_host(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp"), *b = opened(&sides[1], "tp.tdp");
    struct name name;
    assert(bind_to(a, 0, 0, &name) == T_BIND_ACK && name.port != 0 && name.node == 1);
    assert(bind_to(b, 53, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 53);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("hello", 5))) == 0);
    pass(1);
    mblk_t *message = next(b);
    assert(message && tpi_type(message) == T_UNITDATA_IND);
    struct tpi_range from = tpi_address(message);
    assert(from.length == sizeof name && memcmp(from.bytes, &name, sizeof name) == 0);
    assert(msgdsize(message) == 5 && memcmp(message->b_cont->b_rptr, "hello", 5) == 0);
    freemsg(message);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_bind_errors_are_reported(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp"), *b = opened(&sides[0], "tp.tdp");
    assert(bind_to(a, 53, 0, NULL) == T_BIND_ACK);
    assert(bind_to(b, 53, 0, NULL) == T_ERROR_ACK);
    assert(bind_to(b, 54, 0, NULL) == T_BIND_ACK);
    struct name name = named(0, 55);
    name.family = 3;
    struct str_stream *c = opened(&sides[0], "tp.tdp");
    assert(SEND(c, tpi_bind_req(&name, sizeof name, 0)) == 0 && next_type(c) == T_ERROR_ACK);
    assert(SEND(c, tpi_bind_req(&name, 3, 0)) == 0 && next_type(c) == T_ERROR_ACK);
    str_close(a);
    str_close(b);
    str_close(c);
    close_both();
}

static void test_an_undelivered_datagram_is_reported(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 99);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0);
    pass(1);
    mblk_t *message = next(a);
    assert(message && tpi_type(message) == T_UDERROR_IND);
    struct T_uderror_ind *error = (struct T_uderror_ind *)(void *)message->b_rptr;
    assert(error->ERROR_type == ECONNREFUSED && tpi_address(message).length == sizeof to);
    freemsg(message);
    str_close(a);
    close_both();
}

static void test_addresses_of_interfaces(void) {
    open_both();
    struct request request = {.interface = "tl0"};
    assert(control(sides[1].control, ADDRESS, &request) == 0 && request.address.node == 2);
    struct request unknown = {.interface = "tl7"};
    assert(control(sides[1].control, ADDRESS, &unknown) == ENXIO);
    struct strioctl shorter = {.ic_cmd = ADDRESS, .ic_len = 4, .ic_dp = (char *)&request};
    assert(str_ioctl(sides[1].control, I_STR, &shorter, NULL) == EINVAL);
    close_both();
}

static void test_options_reach_the_protocol(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp");
    struct {
        struct T_optmgmt_req head;
        struct opthdr option;
        int value;
    } set = {{T_OPTMGMT_REQ, sizeof(struct opthdr) + 4, sizeof(struct T_optmgmt_req), T_NEGOTIATE},
             {OPTION_LEVEL, 1, 4},
             42};
    for (int i = 0; i < 2; i++) {
        enter(a);
        mblk_t *message = bytes(&set, sizeof set);
        message->b_datap->db_type = M_PROTO;
        assert(SEND(a, message) == 0);
        mblk_t *answer = next(a);
        assert(answer && tpi_type(answer) == T_OPTMGMT_ACK);
        int value;
        struct tpi_range options = tpi_options(answer);
        memcpy(&value, options.bytes + sizeof(struct opthdr), sizeof value);
        assert(value == 42);
        freemsg(answer);
        set.head.MGMT_flags = T_CURRENT;
        set.value = 0;
    }
    str_close(a);
    close_both();
}

static void test_frames_wait_for_a_busy_link(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp"), *b = opened(&sides[1], "tp.tdp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 53, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 53);
    sides[0].refuses = true;
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("late", 4))) == 0);
    pass(10);
    assert(next_type(b) == -1);
    sides[0].refuses = false;
    str_device_ready(sides[0].device);
    pass(10);
    assert(next_type(b) == T_UNITDATA_IND);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_a_full_receiver_drops_datagrams_and_goes_on(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp"), *b = opened(&sides[1], "tp.tdp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 53, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 53);
    static char block[1000];
    int got = 0;
    for (int i = 0; i < 2000; i++) {
        assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes(block, sizeof block))) == 0);
        pass(1);
    }
    while (next_type(b) == T_UNITDATA_IND) {
        got++;
        pass(1);
    }
    assert(got > 4 && got < 2000);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes(block, 1))) == 0);
    pass(1);
    assert(next_type(b) == T_UNITDATA_IND);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_malformed_frames_are_dropped(void) {
    open_both();
    struct str_stream *b = opened(&sides[1], "tp.tdp");
    assert(bind_to(b, 53, 0, NULL) == T_BIND_ACK);
    for (int i = 0; i < 2000; i++) {
        unsigned char frame[64];
        size_t length = pseudo() >> 8 & 63;
        for (size_t k = 0; k < sizeof frame; k++)
            frame[k] = (unsigned char)(pseudo() >> 16);
        frame[0] = 2;
        frame[2] = (unsigned char)(1 + (i & 1));
        str_device_receive_bytes(sides[1].device, frame, length);
        pass(1);
    }
    assert(next_type(b) == -1);
    str_close(b);
    close_both();
}

static void test_a_panic_ends_the_instance_alone(void) {
    open_both();
    struct str_stream *a = opened(&sides[0], "tp.tdp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK);
    unsigned char frame[20] = {[0] = 1, [2] = 255, [18] = 0, [19] = 0};
    unsigned sum = 0;
    for (size_t i = 0; i < sizeof frame; i += 2)
        sum += (unsigned)frame[i] << 8 | frame[i + 1];
    sum = ~((sum & 0xffff) + (sum >> 16));
    frame[18] = (unsigned char)(sum >> 8);
    frame[19] = (unsigned char)sum;
    str_device_receive_bytes(sides[0].device, frame, sizeof frame);
    pass(1);
    assert(strstr(logged, "protocol 255"));
    struct name to = named(2, 53);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0);
    enter(a);
    mblk_t *late = tpi_unitdata_req(&to, sizeof to, bytes("x", 1));
    assert(str_send(a, late) == EIO);
    freemsg(late);
    str_device_receive_bytes(sides[0].device, frame, sizeof frame);
    struct str_stream *b = opened(&sides[1], "tp.tdp");
    assert(bind_to(b, 10, 0, NULL) == T_BIND_ACK); /* the other instance lives */
    pass(2000);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_a_replaced_link_is_the_same_interface(void) {
    open_both();
    struct side *side = &sides[0];
    assert(str_unlink(side->control, side->link, 0) == 0);
    struct str_stream *a = opened(side, "tp.tdp"), *b = opened(&sides[1], "tp.tdp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 53, 0, NULL) == T_BIND_ACK);
    struct name to = named(2, 53);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0);
    assert(next_type(a) == T_UDERROR_IND);
    assert(str_link(side->control, side->lower, 0, &side->link) == 0);
    struct request request = {.interface = "tl0", .address = named(1, 0)};
    assert(control(side->control, SET_ADDRESS, &request) == 0);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("x", 1))) == 0);
    pass(1);
    assert(next_type(b) == T_UNITDATA_IND);
    str_close(a);
    str_close(b);
    close_both();
}

int main(void) {
    RUN(datagrams_reach_the_other_host);
    RUN(bind_errors_are_reported);
    RUN(an_undelivered_datagram_is_reported);
    RUN(addresses_of_interfaces);
    RUN(options_reach_the_protocol);
    RUN(frames_wait_for_a_busy_link);
    RUN(a_full_receiver_drops_datagrams_and_goes_on);
    RUN(malformed_frames_are_dropped);
    RUN(a_panic_ends_the_instance_alone);
    RUN(a_replaced_link_is_the_same_interface);
    return 0;
}
