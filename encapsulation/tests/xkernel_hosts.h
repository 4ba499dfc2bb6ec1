/* Hosts with protocols of the x-kernel as STREAMS drivers, joined by a wire that can lose frames. */
#ifndef NACRE_TESTS_XKERNEL_HOSTS_H
#define NACRE_TESTS_XKERNEL_HOSTS_H

#include "streams/capsule.h"
#include "streams/tpi.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ULL
#ifndef CONTROL
#define CONTROL "x.dgram" /* a device of the capsule */
#define EXTRA NULL        /* an option */
#endif
#define SIDES 2
#define OPTION_LEVEL 0x786b
/* Control operations: of all protocols, and of rr. */
#define GETPEERHOST 2
#define GETMAXPACKET 5
#define RR_GETRESENT 4000
#define RR_FAIL 4002

/* An address of dgram or rr. */
struct name {
    uint8_t host[4], port[2];
};

struct frame {
    struct frame *next;
    size_t length;
    uint8_t bytes[2048];
};

struct side {
    struct str_host *host;
    struct str_device *device;
    struct str_instance *instance;
    struct str_stream *control, *lower;
    struct frame *first, **last; /* frames that go to this side */
    int link, sent;
    const uint8_t *data; /* of the last block of the last frame */
    bool refuses;        /* the device takes no frames at present */
};

static struct side sides[SIDES];
static uint64_t now;
static unsigned lost_of_8, twice_of_8, early_of_8; /* how many of eight frames are lost, repeated, overtake others */
static uint32_t seed;
static char logged[512];

static inline uint32_t pseudo(void) { return seed = seed * 1664525 + 1013904223; }
static uint64_t clock_of(void *context) { return (void)context, now; }
static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(logged, sizeof logged, "%s", line);
}

static inline bool chance(unsigned of_8) { return (pseudo() >> 16 & 7) < of_8; }

/* A frame goes to a side, behind or before those on their way. */
static void put_on_wire(struct side *to, struct frame *frame) {
    if (chance(early_of_8) && to->first) {
        frame->next = to->first;
        to->first = frame;
        return;
    }
    *to->last = frame;
    to->last = &frame->next;
}

static int transmit(void *context, mblk_t *message) {
    struct side *from = context, *to = &sides[from == &sides[0]];
    if (from->refuses)
        return EAGAIN;
    struct frame *frame = calloc(1, sizeof *frame);
    assert(frame);
    for (mblk_t *each = message; each; each = each->b_cont) {
        size_t length = (size_t)(each->b_wptr - each->b_rptr);
        assert(frame->length + length <= sizeof frame->bytes);
        memcpy(frame->bytes + frame->length, each->b_rptr, length);
        frame->length += length;
        from->data = each->b_rptr;
    }
    freemsg(message);
    from->sent++;
    if (chance(twice_of_8)) {
        struct frame *again = malloc(sizeof *again);
        assert(again);
        memcpy(again, frame, sizeof *again);
        put_on_wire(to, again);
    }
    if (chance(lost_of_8))
        free(frame);
    else
        put_on_wire(to, frame);
    return 0;
}

static bool deliver(struct side *side) {
    struct frame *frame = side->first;
    if (!frame)
        return false;
    side->first = frame->next;
    if (!side->first)
        side->last = &side->first;
    str_device_receive_bytes(side->device, frame->bytes, frame->length);
    free(frame);
    return true;
}

/* Lets time pass. */
static void pass(uint64_t ms) {
    uint64_t end = now + ms * MS;
    for (;;) {
        bool busy = false;
        for (int i = 0; i < SIDES; i++)
            busy |= str_run(sides[i].host), busy |= deliver(&sides[i]);
        if (busy)
            continue;
        uint64_t next = UINT64_MAX;
        for (int i = 0; i < SIDES; i++)
            next = str_deadline(sides[i].host) < next ? str_deadline(sides[i].host) : next;
        if (next > end)
            break;
        now = next > now ? next : now;
        for (int i = 0; i < SIDES; i++)
            str_tick(sides[i].host);
    }
    now = end;
}

static void open_side(int number) {
    static const struct str_device_calls calls = {transmit};
    struct side *side = &sides[number];
    struct str_environment environment = {.context = side, .now = clock_of, .log = log_of};
    char host[32];
    const char *options[] = {host, EXTRA, NULL}, *why = "";
    snprintf(host, sizeof host, "host=0a:00:00:%02x", number + 1);
    memset(side, 0, sizeof *side);
    side->last = &side->first;
    side->host = str_host_open(&environment);
    assert(side->host);
    assert(str_device_create(side->host, "wire", &calls, side, &side->device) == 0);
    if (str_load(side->host, CAPSULE, "x", options, &side->instance, &why)) {
        printf("%s\n", why);
        abort();
    }
    assert(str_open(side->host, CONTROL, &side->control) == 0);
    assert(str_open(side->host, "wire", &side->lower) == 0);
    assert(str_link(side->control, side->lower, 0, &side->link) == 0);
}

static inline void open_both(void) {
    now = 1000000 * MS;
    seed = 1;
    lost_of_8 = twice_of_8 = early_of_8 = 0;
    open_side(0);
    open_side(1);
}

static void close_side(struct side *side) {
    assert(str_unlink(side->control, side->link, 0) == 0);
    str_close(side->lower);
    str_close(side->control);
    assert(str_unload(side->instance) == 0);
    while (side->first) {
        struct frame *frame = side->first;
        side->first = frame->next;
        free(frame);
    }
    assert(str_device_destroy(side->device) == 0);
    assert(str_live_blocks(side->host) == 0);
    str_host_close(side->host);
}

static inline void close_both(void) {
    close_side(&sides[0]);
    close_side(&sides[1]);
}

static inline struct name named(int side, unsigned port) {
    struct name name = {{10, 0, 0, (uint8_t)(side + 1)}, {(uint8_t)(port >> 8), (uint8_t)port}};
    return name;
}

/* A stream, and the host whose messages it takes. */
struct end {
    struct str_stream *stream;
    struct str_host *host;
};

static inline struct end opened(int side, const char *device) {
    struct end end = {NULL, sides[side].host};
    assert(str_open(end.host, device, &end.stream) == 0);
    return end;
}

/* Messages come from the current host. */
#define SEND(end, message) (str_enter((end).host), served(str_send((end).stream, message)))

/* The result of a routine, when the queues of the current host have been served: an isolated instance answers in a
 * service procedure. */
static inline int served(int error) {
    while (str_run(str_current()))
        ;
    return error;
}

static inline mblk_t *next(struct end end) {
    mblk_t *message = NULL;
    return str_receive(end.stream, &message) ? NULL : message;
}

/* The type of the next message, which is discarded; -1 without one. -2: plain data. -3: an error of the stream. */
static inline int next_type(struct end end) {
    mblk_t *message = NULL;
    int error = str_receive(end.stream, &message);
    if (error && error != EAGAIN)
        return -3;
    if (!message)
        return -1;
    int type = message->b_datap->db_type == M_DATA ? -2 : tpi_type(message);
    freemsg(message);
    return type;
}

static inline mblk_t *bytes(const void *from, size_t count) {
    mblk_t *block = allocb(count ? count : 1, BPRI_MED);
    assert(block);
    memcpy(block->b_wptr, from, count);
    block->b_wptr += count;
    return block;
}

/* Binds an end to a port; 0: to none. The error of TLI, or 0. */
static inline int bind_to(struct end end, int side, unsigned port, unsigned backlog) {
    struct name name = named(side, port);
    assert(SEND(end, tpi_bind_req(&name, port ? sizeof name : 0, backlog)) == 0);
    mblk_t *answer = next(end);
    assert(answer);
    int error = tpi_type(answer) == T_BIND_ACK ? 0 : ((struct T_error_ack *)(void *)answer->b_rptr)->TLI_error;
    freemsg(answer);
    return error;
}

static inline struct end bound(int side, const char *device, unsigned port, unsigned backlog) {
    struct end end = opened(side, device);
    assert(bind_to(end, side, port, backlog) == 0);
    return end;
}

/* Expects a datagram or a message of data with these bytes; the sender, if asked. */
static inline void expect(struct end end, int type, const void *data, size_t count, struct name *from) {
    mblk_t *message = next(end);
    assert(message && tpi_type(message) == type);
    mblk_t *body = message->b_cont;
    assert(body && msgdsize(body) == count && pullupmsg(body, -1));
    assert(memcmp(body->b_rptr, data, count) == 0);
    struct tpi_range address = tpi_address(message);
    if (from) {
        assert(address.length == sizeof *from);
        memcpy(from, address.bytes, sizeof *from);
    }
    freemsg(message);
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

#endif
