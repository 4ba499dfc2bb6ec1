/* Ethernets below a protocol of version 3.3 of the x-kernel: two lower streams of one host are joined. */
#include "streams/capsule.h"
#include "streams/tpi.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct str_host *host;
static struct str_device *devices[2];
static struct str_instance *instance;
static struct str_stream *control, *streams[2];
static int links[2];
static char logged[256];
static uint8_t frame[1600];
static size_t frame_length;
static mblk_t *last; /* a reference to the last frame, if it is asked for */
static bool holds;

static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(logged, sizeof logged, "%s", line);
}

/* Frames of one device go to the other. */
static int transmit(void *context, mblk_t *message) {
    struct str_device *to = devices[*(int *)context ? 0 : 1];
    frame_length = 0;
    for (mblk_t *each = message; each; each = each->b_cont) {
        memcpy(frame + frame_length, each->b_rptr, (size_t)(each->b_wptr - each->b_rptr));
        frame_length += (size_t)(each->b_wptr - each->b_rptr);
    }
    if (holds)
        last = dupmsg(message);
    str_device_receive(to, message);
    return 0;
}

static const uint8_t near_station[6] = {2, 0, 0, 0, 0, 1}, far_station[6] = {2, 0, 0, 0, 0, 2};

static void open_all(const char *names) {
    static const struct str_device_calls calls = {transmit};
    static int numbers[2] = {0, 1};
    struct str_environment environment = {.log = log_of};
    const char *options[] = {names, "host=2:0:0:0:0:1,2:0:0:0:0:2", NULL};
    host = str_host_open(&environment);
    assert(host);
    str_enter(host);
    assert(str_load(host, CAPSULE, "x", options, &instance, NULL) == 0);
    assert(str_open(host, "x.near", &control) == 0);
    for (int i = 0; i < 2; i++) {
        assert(str_device_create(host, i ? "b" : "a", &calls, &numbers[i], &devices[i]) == 0);
        assert(str_open(host, i ? "b" : "a", &streams[i]) == 0);
        assert(str_link(control, streams[i], 0, &links[i]) == 0);
    }
}

static void close_all(void) {
    for (int i = 0; i < 2; i++) {
        assert(str_unlink(control, links[i], 0) == 0);
        str_close(streams[i]);
        assert(str_device_destroy(devices[i]) == 0);
    }
    str_close(control);
    assert(str_unload(instance) == 0);
    assert(str_live_blocks(host) == 0);
    str_host_close(host);
}

static mblk_t *bytes(const void *from, size_t count) {
    mblk_t *block = allocb(count, BPRI_MED);
    memcpy(block->b_wptr, from, count);
    block->b_wptr += count;
    return block;
}

static mblk_t *next(struct str_stream *stream) {
    mblk_t *message = NULL;
    while (str_run(host))
        ;
    return str_receive(stream, &message) ? NULL : message;
}

static int next_type(struct str_stream *stream) {
    mblk_t *message = next(stream);
    int type = !message ? -1 : message->b_datap->db_type == M_DATA ? -2 : tpi_type(message);
    if (message)
        freemsg(message);
    return type;
}

static struct str_stream *bound(const char *device, const uint8_t *station, unsigned backlog) {
    struct str_stream *stream;
    assert(str_open(host, device, &stream) == 0);
    assert(str_send(stream, tpi_bind_req(station, station ? 6 : 0, backlog)) == 0);
    assert(next_type(stream) == T_BIND_ACK);
    return stream;
}

/* Opens a connection from the far station's user; a session there is a stream of bytes. */
static void test_messages_over_ethernet(void) {
    open_all("links=eth,other");
    struct str_stream *user = bound("x.near", near_station, 0), *peer = bound("x.far", NULL, 0);
    assert(str_send(peer, tpi_conn_req(near_station, 6, NULL)) == 0);
    assert(next_type(peer) == T_OK_ACK && next_type(peer) == T_CONN_CON);
    assert(str_send(peer, bytes("hello", 5)) == 0);
    mblk_t *message = next(user);
    assert(message && tpi_type(message) == T_UNITDATA_IND && msgdsize(message) == 5);
    assert(tpi_address(message).length == 6 && memcmp(tpi_address(message).bytes, far_station, 6) == 0);
    freemsg(message);
    assert(frame_length == 14 + 4 + 5 && memcmp(frame, near_station, 6) == 0 && frame[12] == 0x88);
    assert(memcmp(frame + 6, far_station, 6) == 0 && memcmp(frame + 14, "\0\0\0\1hello", 9) == 0);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("back", 4))) == 0);
    message = next(peer);
    assert(message && message->b_datap->db_type == M_DATA && msgdsize(message) == 4); /* a stream of bytes */
    freemsg(message);
    assert(str_send(peer, tpi_discon_req(0, NULL)) == 0 && next_type(peer) == T_OK_ACK);
    str_close(user);
    str_close(peer);
    assert(strstr(logged, "station 02:00:00:00:00:02")); /* its trace */
    close_all();
}

/* The order of linking is that of the option. */
static void test_links_are_named(void) {
    open_all("links=other,eth");
    struct str_stream *user = bound("x.near", near_station, 0);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("x", 1))) == 0);
    while (str_run(host))
        ;
    assert(str_device_statistics(devices[1])->sent == 1 && str_device_statistics(devices[0])->sent == 0);
    struct str_stream *third; /* all that the description has are linked */
    struct str_device *device;
    int link;
    static const struct str_device_calls calls = {transmit};
    assert(str_device_create(host, "c", &calls, NULL, &device) == 0 && str_open(host, "c", &third) == 0);
    assert(str_link(control, third, 0, &link) == ENXIO);
    str_close(third);
    assert(str_device_destroy(device) == 0);
    str_close(user);
    close_all();
    open_all("trace=0"); /* without the option: in the order of the description */
    assert(str_open(host, "x.near", &user) == 0 && str_send(user, tpi_bind_req(near_station, 6, 0)) == 0);
    assert(next_type(user) == T_BIND_ACK);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("x", 1))) == 0);
    while (str_run(host))
        ;
    assert(str_device_statistics(devices[0])->sent == 1);
    str_close(user);
    close_all();
    struct str_environment environment = {.log = log_of};
    const char *options[] = {"links=none", NULL};
    host = str_host_open(&environment);
    str_enter(host);
    assert(str_load(host, CAPSULE, "x", options, &instance, NULL) == 0 && str_open(host, "x.near", &control) == 0);
    assert(str_device_create(host, "a", &calls, NULL, &devices[0]) == 0 && str_open(host, "a", &streams[0]) == 0);
    assert(str_link(control, streams[0], 0, &links[0]) == ENXIO);
    str_close(streams[0]);
    str_close(control);
    assert(str_unload(instance) == 0 && str_live_blocks(host) == 0);
    str_host_close(host);
}

/* A protocol that changes a header where it is does not change what others hold. */
static void test_shared_headers_are_copied(void) {
    open_all("links=eth,other");
    struct str_stream *user = bound("x.near", near_station, 0), *peer = bound("x.far", far_station, 1);
    holds = true;
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("data", 4))) == 0);
    while (str_run(host))
        ;
    holds = false;
    uint8_t held[64];
    size_t length = 0;
    for (mblk_t *each = last; each; each = each->b_cont) {
        memcpy(held + length, each->b_rptr, (size_t)(each->b_wptr - each->b_rptr));
        length += (size_t)(each->b_wptr - each->b_rptr);
    }
    assert(length == frame_length && memcmp(held, frame, length) == 0 && held[17] == 1);
    freemsg(last);
    assert(next_type(peer) == T_CONN_IND);
    str_close(user);
    str_close(peer);
    close_all();
}

/* A user that accepts late, and one that does not read. */
static void test_what_waits_for_users_is_bounded(void) {
    open_all("links=eth,other");
    struct str_stream *user = bound("x.near", near_station, 0), *listener = bound("x.far", far_station, 1), *peer;
    static uint8_t data[1400];
    for (int i = 0; i < 100; i++) {
        assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("early", 5))) == 0);
        while (str_run(host))
            ;
    }
    mblk_t *message = next(listener);
    assert(message && tpi_type(message) == T_CONN_IND);
    t_scalar_t sequence = ((struct T_conn_ind *)(void *)message->b_rptr)->SEQ_number;
    freemsg(message);
    assert(str_open(host, "x.far", &peer) == 0);
    struct T_capability_req ask = {T_CAPABILITY_REQ, TC1_ACCEPTOR_ID};
    message = bytes(&ask, sizeof ask);
    message->b_datap->db_type = M_PCPROTO;
    assert(str_send(peer, message) == 0 && (message = next(peer)));
    t_uscalar_t number = ((struct T_capability_ack *)(void *)message->b_rptr)->ACCEPTOR_id;
    freemsg(message);
    assert(str_send(listener, tpi_conn_res(number, sequence, NULL)) == 0 && next_type(listener) == T_OK_ACK);
    int early = 0;
    while (next_type(peer) == -2)
        early++;
    assert(early == 64);
    for (int i = 0; i < 1000; i++) {
        assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes(data, sizeof data))) == 0);
        while (str_run(host))
            ;
    }
    int got = 0, type;
    while ((type = next_type(peer)) == -2)
        got++;
    assert(type == T_DISCON_IND && got > 100 && got < 300);
    str_close(user);
    str_close(peer);
    str_close(listener);
    close_all();
}

static void reset(struct str_device *device) {
    uint8_t bad[18];
    memcpy(bad, far_station, 6);
    memcpy(bad + 6, near_station, 6);
    memcpy(bad + 12, "\x88\xb5\xff\xff\xff\xff", 6);
    str_device_receive_bytes(device, bad, sizeof bad);
}

/* The protocol gives up an offered connection, and one that is open. */
static void test_connections_that_are_given_up(void) {
    open_all("links=eth,other");
    struct str_stream *user = bound("x.near", near_station, 0), *listener = bound("x.far", far_station, 1);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("call", 4))) == 0);
    assert(next_type(listener) == T_CONN_IND);
    reset(devices[1]);
    assert(next_type(listener) == T_DISCON_IND && next_type(listener) == -1);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes("call", 4))) == 0);
    assert(next_type(listener) == T_CONN_IND); /* the place is free again */
    str_close(listener);
    listener = bound("x.far", NULL, 0);
    assert(str_send(listener, tpi_conn_req(near_station, 6, NULL)) == 0);
    assert(next_type(listener) == T_OK_ACK && next_type(listener) == T_CONN_CON);
    reset(devices[1]);
    assert(next_type(listener) == T_DISCON_IND);
    reset(devices[1]);
    assert(next_type(listener) == -1);
    str_close(user);
    str_close(listener);
    close_all();
}

static void test_short_and_long_frames_are_dropped(void) {
    open_all("links=eth,other");
    struct str_stream *user = bound("x.near", near_station, 0);
    static uint8_t bad[64];
    memcpy(bad, near_station, 6);
    memcpy(bad + 6, far_station, 6);
    bad[12] = 0x88;
    bad[13] = 0xb5;
    for (size_t length = 0; length < 18; length++)
        str_device_receive_bytes(devices[0], bad, length);
    assert(next_type(user) == -1);
    str_device_receive_bytes(devices[0], bad, 18); /* the number 0 is that of none yet */
    bad[17] = 9;
    str_device_receive_bytes(devices[0], bad, 18);
    str_device_receive_bytes(devices[0], bad, 18);
    assert(next_type(user) == T_UNITDATA_IND && next_type(user) == -1); /* the same number once */
    static uint8_t large[1500];
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes(large, 1496))) == 0 && next_type(user) == -1);
    assert(str_send(user, tpi_unitdata_req(far_station, 6, bytes(large, 1497))) == 0);
    assert(next_type(user) == T_UDERROR_IND);
    str_close(user);
    close_all();
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

int main(void) {
    RUN(messages_over_ethernet);
    RUN(links_are_named);
    RUN(shared_headers_are_copied);
    RUN(what_waits_for_users_is_bounded);
    RUN(connections_that_are_given_up);
    RUN(short_and_long_frames_are_dropped);
    return 0;
}
