/* Two hosts with protocols of 4.4BSD or SunOS 4 as STREAMS drivers, joined by a link that can lose frames. */
#ifndef NACRE_TESTS_BSD_HOSTS_H
#define NACRE_TESTS_BSD_HOSTS_H

#include "streams/capsule.h"
#include "streams/tpi.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ULL
#define FAMILY 25

/* A name of the test protocols (tests/bsd/tp.h, tests/sunos4/tp.h). SunOS 4 has a family of 16 bits. */
#define HEAD_44 16, FAMILY
#define HEAD_SUN FAMILY, 0
#ifdef SUNOS4
#define NAME_HEAD HEAD_SUN
#else
#define NAME_HEAD HEAD_44
#endif
/* The second host may have the protocols of SunOS 4 while the first has those of 4.4BSD. */
#ifdef SECOND_CAPSULE
#define SECOND_HEAD HEAD_SUN
#else
#define SECOND_CAPSULE CAPSULE
#define SECOND_HEAD NAME_HEAD
#endif
struct name {
    uint8_t length, family;
    uint16_t port;
    uint8_t node, zero[11];
};

struct frame {
    struct frame *next;
    size_t length;
    uint8_t bytes[2048];
};

/* A host with an instance of the protocols. */
struct side {
    struct str_host *host;
    struct str_device *device;
    struct str_instance *instance;
    struct str_stream *control, *lower;
    struct frame *first, **last; /* frames that go to this side */
    int link;
    bool refuses; /* the device takes no frames at present */
};

static struct side sides[2];
static uint64_t now;
/* How many of eight frames are lost, come twice, and come before the one that was sent before them. */
static unsigned lost_of_8, repeated_of_8, overtaken_of_8;
static uint32_t seed;
static char logged[512];

static uint32_t pseudo(void) { return seed = seed * 1664525 + 1013904223; }
static uint64_t clock_of(void *context) { return (void)context, now; }
static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(logged, sizeof logged, "%s", line);
}

static bool happens(unsigned of_8) { return of_8 && (pseudo() >> 16 & 7) < of_8; }

/* Puts a frame behind the last one, or before it. */
static void queue(struct side *to, struct frame *frame) {
    struct frame **place = to->last;
    if (to->first && happens(overtaken_of_8))
        for (place = &to->first; (*place)->next;)
            place = &(*place)->next;
    frame->next = *place;
    *place = frame;
    if (!frame->next)
        to->last = &frame->next;
}

static int transmit(void *context, mblk_t *frame) {
    struct side *from = context, *to = &sides[from == &sides[0]];
    if (from->refuses)
        return EAGAIN;
    struct frame *copy = calloc(1, sizeof *copy);
    assert(copy);
    for (mblk_t *each = frame; each; each = each->b_cont) {
        size_t length = (size_t)(each->b_wptr - each->b_rptr);
        assert(copy->length + length <= sizeof copy->bytes);
        memcpy(copy->bytes + copy->length, each->b_rptr, length);
        copy->length += length;
    }
    freemsg(frame);
    if ((pseudo() >> 16 & 7) < lost_of_8) {
        free(copy);
        return 0;
    }
    queue(to, copy);
    if (happens(repeated_of_8)) {
        struct frame *again = malloc(sizeof *again);
        assert(again);
        *again = *copy;
        again->next = NULL;
        queue(to, again);
    }
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
        bool busy = str_run(sides[0].host) | str_run(sides[1].host);
        busy |= deliver(&sides[0]) | deliver(&sides[1]);
        if (busy)
            continue;
        uint64_t next = str_deadline(sides[0].host), other = str_deadline(sides[1].host);
        next = next < other ? next : other;
        if (next > end)
            break;
        now = next > now ? next : now;
        str_tick(sides[0].host);
        str_tick(sides[1].host);
    }
    now = end;
    str_tick(sides[0].host);
    str_tick(sides[1].host);
}

/* struct ifreq, and its commands. */
struct request {
    char interface[16];
    struct name address;
};
#define SET_ADDRESS (int)(0x80000000U | sizeof(struct request) << 16 | 'i' << 8 | 12)
#ifdef SUNOS4
#define GET_ADDRESS 13
#else
#define GET_ADDRESS 33
#endif
#define ADDRESS (int)(0xc0000000U | sizeof(struct request) << 16 | 'i' << 8 | GET_ADDRESS)

static int control(struct str_stream *stream, int command, struct request *request) {
    struct strioctl io = {.ic_cmd = command, .ic_len = sizeof *request, .ic_dp = (char *)request};
    return str_ioctl(stream, I_STR, &io, NULL);
}

/* A name in the shape that a host has. */
static struct name named_on(const struct str_host *host, uint8_t node, uint16_t port) {
    uint16_t swapped = (uint16_t)(port << 8 | port >> 8);
    struct name first = {NAME_HEAD, swapped, node, {0}}, second = {SECOND_HEAD, swapped, node, {0}};
    return host == sides[1].host ? second : first;
}

static void open_side(struct side *side, uint8_t node) {
    static const struct str_device_calls calls = {transmit};
    struct str_environment environment = {.context = side, .now = clock_of, .log = log_of};
    const char *why = "";
    side->last = &side->first;
    side->host = str_host_open(&environment);
    assert(side->host);
    assert(str_device_create(side->host, "wire", &calls, side, &side->device) == 0);
    if (str_load(side->host, side == &sides[0] ? CAPSULE : SECOND_CAPSULE, "tp", NULL, &side->instance, &why)) {
        printf("%s\n", why);
        abort();
    }
    assert(str_open(side->host, "tp.tdp", &side->control) == 0);
    assert(str_open(side->host, "wire", &side->lower) == 0);
    assert(str_link(side->control, side->lower, 0, &side->link) == 0);
    struct request request = {.interface = "tl0", .address = named_on(side->host, node, 0)};
    assert(control(side->control, SET_ADDRESS, &request) == 0);
}

static void open_both(void) {
    now = 1000000 * MS;
    seed = 1;
    lost_of_8 = repeated_of_8 = overtaken_of_8 = 0;
    memset(sides, 0, sizeof sides);
    open_side(&sides[0], 1);
    open_side(&sides[1], 2);
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

static void close_both(void) {
    close_side(&sides[0]);
    close_side(&sides[1]);
}

static struct name named(uint8_t node, uint16_t port) { return named_on(sides[0].host, node, port); }

/* Messages come from the current host: that of the stream which takes them. */
static struct {
    struct str_stream *stream;
    struct str_host *host;
} owners[8];
static size_t owner_count;

static struct str_stream *opened(struct side *side, const char *device) {
    struct str_stream *stream;
    assert(str_open(side->host, device, &stream) == 0);
    owners[owner_count].stream = stream;
    owners[owner_count].host = side->host;
    owner_count = (owner_count + 1) % 8;
    return stream;
}

static struct str_host *enter(struct str_stream *stream) {
    size_t i = owner_count;
    do
        i = (i + 7) % 8;
    while (owners[i].stream != stream);
    str_enter(owners[i].host);
    return owners[i].host;
}

/* The result of a routine, when the queues of the current host have been served: an isolated instance answers in a
 * service procedure. */
static int served(int error) {
    while (str_run(str_current()))
        ;
    return error;
}

#define SEND(stream, message) (enter(stream), served(str_send(stream, message)))

static mblk_t *next(struct str_stream *stream) {
    mblk_t *message = NULL;
    int error = str_receive(stream, &message);
    return error ? NULL : message;
}

/* The type of the next message, which is discarded; -1 without one. -2: plain data. */
static int next_type(struct str_stream *stream) {
    mblk_t *message = next(stream);
    if (!message)
        return -1;
    int type = message->b_datap->db_type == M_DATA ? -2 : tpi_type(message);
    freemsg(message);
    return type;
}

static mblk_t *bytes(const void *from, size_t count) {
    mblk_t *block = allocb(count ? count : 1, BPRI_MED);
    assert(block);
    memcpy(block->b_wptr, from, count);
    block->b_wptr += count;
    return block;
}

static int bind_to(struct str_stream *stream, uint16_t port, unsigned backlog, struct name *bound) {
    struct name name = named_on(enter(stream), 0, port);
    assert(SEND(stream, tpi_bind_req(&name, port ? sizeof name : 0, backlog)) == 0);
    mblk_t *answer = next(stream);
    assert(answer);
    int type = tpi_type(answer);
    struct tpi_range address = tpi_address(answer);
    if (type == T_BIND_ACK && bound) {
        assert(address.length == sizeof *bound);
        memcpy(bound, address.bytes, sizeof *bound);
    }
    freemsg(answer);
    return type;
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

#endif
