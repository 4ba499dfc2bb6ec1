/* Ethernets with 802.2 headers, resolution of addresses, loopback, raw sockets, commands that sleep: LP
 * (tests/bsd/netbsd). */
#pragma GCC diagnostic ignored "-Wunused-function"
#include "tests/bsd_hosts.h"

#define COMMAND(number) (int)(0x80000000U | sizeof(struct request) << 16 | 'i' << 8 | (number))
#define SET_FLAGS COMMAND(16)
#define ADD_MULTI COMMAND(49)
#define DELETE_MULTI COMMAND(50)
#define FAIL COMMAND(101)
#define COUNT_MULTI (int)(0xc0000000U | sizeof(struct request) << 16 | 'i' << 8 | 100)

/* Begins a command; EAGAIN while it sleeps. */
static int begin(struct str_stream *stream, int command, struct request *request) {
    return control(stream, command, request);
}

static int finish(struct str_stream *stream, int command, struct request *request) {
    int error = begin(stream, command, request);
    for (int i = 0; i < 1000 && error == EAGAIN; i++) {
        pass(10);
        error = begin(stream, command, request);
    }
    return error;
}

static int set_flags(struct side *side, int flags) {
    struct request request = {.interface = "le0"};
    memcpy(&request.address, &(short){(short)flags}, sizeof(short));
    return finish(side->control, SET_FLAGS, &request);
}

static int set_address(struct side *side, uint8_t node) {
    struct request request = {.interface = "le0", .address = {16, FAMILY, 0, node, {0}}};
    return finish(side->control, SET_ADDRESS, &request);
}

static void open_station(struct side *side, const char *station) {
    static const struct str_device_calls calls = {transmit};
    struct str_environment environment = {.context = side, .now = clock_of, .log = log_of};
    const char *why = "", *options[] = {station, NULL};
    side->last = &side->first;
    side->host = str_host_open(&environment);
    assert(side->host && str_device_create(side->host, "wire", &calls, side, &side->device) == 0);
    if (str_load(side->host, CAPSULE, "tp", options, &side->instance, &why)) {
        printf("%s\n", why);
        abort();
    }
    assert(str_open(side->host, "tp.lp", &side->control) == 0 && str_open(side->host, "wire", &side->lower) == 0);
    assert(str_link(side->control, side->lower, 0, &side->link) == 0);
    assert(set_flags(side, 1) == 0);
}

static void open_stations(void) {
    now = 1000000 * MS;
    seed = 1;
    lost_of_8 = 0;
    logged[0] = 0;
    memset(sides, 0, sizeof sides);
    open_station(&sides[0], "station=02:00:00:00:00:0a");
    open_station(&sides[1], "station=02:00:00:00:00:0b");
}

static void open_addressed(void) {
    open_stations();
    assert(set_address(&sides[0], 1) == 0 && set_address(&sides[1], 2) == 0);
}

/* Sends a datagram and returns how many arrive at a stream. */
static int send(struct str_stream *from, uint8_t node, uint16_t port, const char *text, struct str_stream *at) {
    struct name to = named(node, port);
    int count = 0;
    assert(SEND(from, tpi_unitdata_req(&to, sizeof to, bytes(text, strlen(text)))) == 0);
    pass(10);
    for (mblk_t *message; (message = next(at)); count++) {
        assert(tpi_type(message) == T_UNITDATA_IND && msgdsize(message) == strlen(text));
        freemsg(message);
    }
    return count;
}

static void test_an_address_is_probed_for_two_seconds(void) {
    open_stations();
    uint64_t before = now;
    struct request request = {.interface = "le0"};
    assert(control(sides[0].control, ADDRESS, &request) == EADDRNOTAVAIL);
    assert(set_address(&sides[0], 7) == 0);
    assert(now - before >= 2000 * MS && now - before < 2500 * MS);
    assert(control(sides[0].control, ADDRESS, &request) == 0 && request.address.node == 7);
    close_both();
}

static void test_an_address_that_another_station_has_is_refused(void) {
    open_stations();
    assert(set_address(&sides[0], 7) == 0);
    assert(set_address(&sides[1], 7) == EADDRINUSE);
    assert(set_address(&sides[1], 8) == 0);
    close_both();
}

static void test_stations_that_probe_for_one_address_refuse_it_both(void) {
    open_stations();
    struct request both = {.interface = "le0", .address = {16, FAMILY, 0, 7, {0}}};
    struct request other = both;
    assert(begin(sides[0].control, SET_ADDRESS, &both) == EAGAIN);
    assert(begin(sides[1].control, SET_ADDRESS, &other) == EAGAIN);
    pass(3000);
    assert(begin(sides[0].control, SET_ADDRESS, &both) == EADDRINUSE);
    assert(begin(sides[1].control, SET_ADDRESS, &other) == EADDRINUSE);
    close_both();
}

static void test_datagrams_wait_until_their_station_is_known(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[1], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    assert(send(a, 2, 20, "hello", b) == 1);
    assert(send(b, 1, 10, "back", a) == 1);
    assert(send(a, 9, 20, "to nobody", b) == 0);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_frames_have_lengths_and_802_2_headers(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[1], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    assert(send(a, 2, 20, "hello", b) == 1);
    struct name to = named(2, 20);
    assert(SEND(a, tpi_unitdata_req(&to, sizeof to, bytes("hello", 5))) == 0);
    assert(!str_run(sides[0].host));
    const struct frame *frame = sides[1].first;
    static const uint8_t head[] = {2, 0, 0, 0, 0, 0xb, 2, 0, 0, 0, 0, 0xa, 0, 8 + 6 + 5, 0xaa, 0xaa, 3, 2, 0, 0x25,
                                   0x90, 0x01, 2, 1};
    assert(frame && frame->length == 14 + 8 + 6 + 5 && memcmp(frame->bytes, head, sizeof head) == 0);
    pass(1);
    assert(next_type(b) == T_UNITDATA_IND);
    /* Padding of the link, which the length leaves out. */
    uint8_t padded[60] = {0};
    memcpy(padded, head, sizeof head);
    padded[24] = 0, padded[25] = 20, padded[27] = 10;
    memcpy(padded + 28, "hello", 5);
    str_device_receive_bytes(sides[1].device, padded, sizeof padded);
    pass(1);
    mblk_t *message = next(b);
    assert(message && msgdsize(message) == 5);
    freemsg(message);
    /* Another organization, and another service access point, are not ours. */
    padded[19] = 0x26;
    str_device_receive_bytes(sides[1].device, padded, sizeof padded);
    padded[19] = 0x25, padded[14] = 0xab;
    str_device_receive_bytes(sides[1].device, padded, sizeof padded);
    padded[14] = 0xaa, padded[13] = 7; /* too short for the header */
    str_device_receive_bytes(sides[1].device, padded, sizeof padded);
    padded[12] = 0x90, padded[13] = 0x01; /* an Ethernet type */
    str_device_receive_bytes(sides[1].device, padded, sizeof padded);
    pass(1);
    assert(next_type(b) == -1);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_datagrams_and_resolution_with_loss(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[1], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    lost_of_8 = 2;
    int got = 0, back = 0;
    for (int i = 0; i < 300; i++) {
        got += send(a, 2, 20, "lossy", b);
        back += send(b, 1, 10, "lossy", a);
    }
    assert(got > 180 && got < 270 && back > 180 && back < 270);
    lost_of_8 = 0;
    assert(send(a, 2, 20, "again", b) == 1 && send(b, 1, 10, "again", a) == 1);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_multicast_and_own_packets(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[1], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    assert(send(a, 255, 20, "all", b) == 1);
    assert(send(a, 1, 10, "myself", a) == 1); /* no station hears its own frames */
    assert(!sides[1].first);
    struct request request = {.interface = "le0"};
    assert(control(a, COUNT_MULTI, &request) == 0 && request.address.length == 1);
    memcpy(&request.address, "\0\0\3\0\0\0\0\7", 8); /* struct sockaddr with sa_family 0 */
    assert(control(a, ADD_MULTI, &request) == 0 && control(a, ADD_MULTI, &request) == 0);
    struct request count = {.interface = "le0"};
    assert(control(a, COUNT_MULTI, &count) == 0 && count.address.length == 2);
    assert(control(a, DELETE_MULTI, &request) == 0 && control(a, DELETE_MULTI, &request) == 0);
    assert(control(a, DELETE_MULTI, &request) == ENXIO);
    assert(control(a, COUNT_MULTI, &count) == 0 && count.address.length == 1);
    memcpy(&request.address, "\0\0\2\0\0\0\0\7", 8); /* of one station */
    assert(control(a, ADD_MULTI, &request) == EINVAL);
    for (int i = 0, error = 0; i < 100; i++) {
        uint8_t range[8] = {0, 0, 3, 0, 0, 0, 1, (uint8_t)i};
        memcpy(&request.address, range, 8);
        error = control(a, ADD_MULTI, &request);
        assert(i < 60 ? !error : !error || error == ENOBUFS);
        assert(i < 99 || error == ENOBUFS);
    }
    str_close(a);
    str_close(b);
    close_both();
}

static void test_the_loopback_interface(void) {
    open_addressed();
    struct request request = {.interface = "lo0", .address = {16, FAMILY, 0, 77, {0}}};
    assert(control(sides[0].control, SET_ADDRESS, &request) == 0); /* at once: nobody else has it */
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[0], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    assert(send(a, 77, 20, "loop", b) == 1 && !sides[1].first);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_raw_sockets_get_copies(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp"), *b = opened(&sides[1], "tp.lp");
    struct str_stream *raw[2] = {opened(&sides[1], "tp.raw"), opened(&sides[1], "tp.raw")};
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK && bind_to(b, 20, 0, NULL) == T_BIND_ACK);
    assert(bind_to(raw[0], 0, 0, NULL) == T_BIND_ACK && bind_to(raw[1], 0, 0, NULL) == T_BIND_ACK);
    assert(send(a, 2, 20, "copied", b) == 1);
    assert(next_type(raw[0]) == T_UNITDATA_IND && next_type(raw[1]) == T_UNITDATA_IND);
    assert(send(a, 2, 99, "for no port", b) == 0);
    assert(next_type(raw[0]) == T_UNITDATA_IND);
    str_close(raw[0]);
    assert(send(a, 2, 20, "one is left", b) == 1 && next_type(raw[1]) == T_UNITDATA_IND);
    assert(next_type(raw[1]) == T_UNITDATA_IND && next_type(raw[1]) == -1);
    assert(send(raw[1], 1, 10, "from a raw socket", a) == 1);
    str_close(raw[1]);
    str_close(a);
    str_close(b);
    close_both();
}

static void test_a_command_that_sleeps_ends_with_its_stream(void) {
    open_stations();
    struct str_stream *a = opened(&sides[0], "tp.lp");
    struct request request = {.interface = "le0", .address = {16, FAMILY, 0, 7, {0}}};
    assert(begin(a, SET_ADDRESS, &request) == EAGAIN);
    pass(500);
    str_close(a); /* EINTR: the address is free */
    struct request asked = {.interface = "le0"};
    assert(control(sides[0].control, ADDRESS, &asked) == EADDRNOTAVAIL);
    assert(set_address(&sides[0], 7) == 0);
    struct str_stream *b = opened(&sides[0], "tp.lp");
    assert(begin(b, FAIL, &asked) == EAGAIN); /* it cannot be interrupted */
    str_close(b);
    pass(2000);
    assert(control(sides[0].control, ADDRESS, &asked) == 0 && asked.address.node == 7);
    close_both();
}

static void test_a_failure_after_a_sleep_ends_the_instance(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp");
    struct request request = {.interface = "le0", .address = {16, FAMILY, 0, 9, {0}}};
    assert(begin(a, SET_ADDRESS, &request) == EAGAIN);
    assert(begin(sides[0].control, FAIL, &request) == EAGAIN);
    pass(1500);
    assert(strstr(logged, "told to fail"));
    assert(begin(sides[0].control, FAIL, &request) != 0);
    str_close(a);
    struct request asked = {.interface = "le0"};
    assert(control(sides[1].control, ADDRESS, &asked) == 0 && asked.address.node == 2);
    close_both();
}

static void test_made_up_frames(void) {
    open_addressed();
    struct str_stream *a = opened(&sides[0], "tp.lp");
    assert(bind_to(a, 10, 0, NULL) == T_BIND_ACK);
    for (int i = 0; i < 5000; i++) {
        uint8_t frame[100];
        size_t length = 1 + pseudo() % sizeof frame;
        for (size_t k = 0; k < length; k++)
            frame[k] = (uint8_t)(pseudo() >> 16);
        static const uint8_t head[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 9, 0,   40,  0xaa,
                                       0xaa, 3,    2,    0,    0x25, 0x90, 2, 0, 1, 0x90, 1, 6, 1, 0,   3};
        size_t known = pseudo() % sizeof head;
        memcpy(frame, head, known < length ? known : length);
        str_device_receive_bytes(sides[0].device, frame, length);
        pass(1);
        while (next_type(a) != -1)
            ;
    }
    str_close(a);
    close_both();
}

int main(void) {
    RUN(an_address_is_probed_for_two_seconds);
    RUN(an_address_that_another_station_has_is_refused);
    RUN(stations_that_probe_for_one_address_refuse_it_both);
    RUN(datagrams_wait_until_their_station_is_known);
    RUN(frames_have_lengths_and_802_2_headers);
    RUN(datagrams_and_resolution_with_loss);
    RUN(multicast_and_own_packets);
    RUN(the_loopback_interface);
    RUN(raw_sockets_get_copies);
    RUN(a_command_that_sleeps_ends_with_its_stream);
    RUN(a_failure_after_a_sleep_ends_the_instance);
    RUN(made_up_frames);
    return 0;
}
