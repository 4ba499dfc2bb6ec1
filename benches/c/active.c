/* Cost of a round trip of active messages: a request whose handler echoes it, and the reply. Both endpoints are in one process.
 *
 * Compiled with -DSTACK=<prefix> -DHEADER="<prefix>.h", and for two implementations that talk to each other with -DOTHER=<prefix>
 * -DOTHER_HEADER="<prefix>.h" for the second endpoint. Arguments: the number of round trips; then `lossy`, to lose every seventh frame; then the
 * bytes of a message (16). A frame is copied once between the endpoints, as on a network.
 *
 * Prints the nanoseconds of calls for one message, and those of deliveries with timers; and a checksum of what was echoed. A
 * round trip is two messages. */
#define _POSIX_C_SOURCE 200809L
#include HEADER
#ifdef OTHER
#include OTHER_HEADER
#else
#define OTHER STACK
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "times.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
enum { SHORT = 16, FRAMES = 1024, ECHO = 7, DONE = 8, CALLS = 16 };

struct frame {
    int to;
    uint32_t len;
    uint8_t bytes[2048];
};
struct message {
    uint8_t call, handler, bytes[SHORT];
    uint32_t len;
};

static const struct nacre_stack *stack[2] = {&PASTE(STACK, _stack), &PASTE(OTHER, _stack)};
static void *state[2], *pool[2];
static uint64_t *counters[2];
static struct nacre_out out[2];
static uint16_t requested[2], replied[2];
static struct frame wire[FRAMES];
static uint32_t first, last, size = SHORT;
static uint64_t now = 1, sum, echoed, frames;
static bool lossy;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* ---- time of single calls, less the cost of reading the clock */

static struct times calls, delivers;

/* ---- the application: handlers by number */

static void collect(int side);

static void echo(int side, const struct message *m) {
    uint64_t start = ticks();
    int code = side ? PASTE(OTHER, _above_reply)(state[1], pool[1], counters[1], now, m->call, DONE, m->bytes, m->len, &out[1])
                    : PASTE(STACK, _above_reply)(state[0], pool[0], counters[0], now, m->call, DONE, m->bytes, m->len, &out[0]);
    note(&calls, start);
    if (code != NACRE_OK) { fail("a reply was refused"); }
    collect(side);
}

static void done(int side, const struct message *m) {
    uint64_t number;
    (void)side;
    memcpy(&number, m->bytes, 8);
    if (number != echoed || m->len != size || m->call != echoed % CALLS) { fail("another reply was expected"); }
    sum += number;
    echoed++;
}

static void (*const handlers[16])(int side, const struct message *m) = {[ECHO] = echo, [DONE] = done};

/* Passes on the outputs of a call: frames to the wire, messages to their handlers. */
static void collect(int side) {
    struct message got[8];
    uint32_t count = 0;
    for (uint32_t i = 0; i < out[side].outputs_len; i++) {
        const struct nacre_output *o = &out[side].outputs[i];
        if (o->port == 0) {
            if (lossy && frames++ % 7 == 3) { continue; }
            struct frame *f = &wire[last++ % FRAMES];
            f->to = 1 - side;
            f->len = 0;
            for (uint32_t k = 0; k < o->segments_len; k++) {
                memcpy(f->bytes + f->len, o->segments[k].at, o->segments[k].len);
                f->len += o->segments[k].len;
            }
        } else if ((o->event == requested[side] || o->event == replied[side]) && o->len <= SHORT && count < 8) {
            struct message *m = &got[count++];
            m->call = (uint8_t)o->arguments[0];
            m->handler = o->arguments[1] & 15;
            m->len = o->len;
            if (o->len > 0) { memcpy(m->bytes, o->segments[0].at, o->len); }
        }
    }
    out[side].outputs_len = out[side].segments_len = out[side].bytes_len = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (handlers[got[i].handler] == NULL) { fail("there is no such handler"); }
        handlers[got[i].handler](side, &got[i]);
    }
}

/* ---- the network */

static void tick(int side) {
    for (;;) {
        uint64_t start = ticks();
        int code = side ? PASTE(OTHER, _tick)(state[1], pool[1], counters[1], now, &out[1])
                        : PASTE(STACK, _tick)(state[0], pool[0], counters[0], now, &out[0]);
        note(&delivers, start);
        if (code != NACRE_OK) { return; }
        collect(side);
    }
}

static void deliver_all(void) {
    static const struct nacre_addr nowhere = {{0}, 0, 4};
    while (first != last) {
        const struct frame *f = &wire[first++ % FRAMES];
        uint64_t start = ticks();
        if (f->to) {
            (void)PASTE(OTHER, _input)(state[1], pool[1], counters[1], now, &nowhere, f->bytes, f->len, &out[1]);
        } else {
            (void)PASTE(STACK, _input)(state[0], pool[0], counters[0], now, &nowhere, f->bytes, f->len, &out[0]);
        }
        note(&delivers, start);
        collect(f->to);
    }
}

static void round_trip(uint64_t n) {
    uint8_t data[SHORT] = {0};
    memcpy(data, &n, 8);
    now += 1000;
    for (int side = 0; side < 2; side++) {
        if (stack[side]->deadline(state[side]) <= now) { tick(side); }
    }
    uint64_t start = ticks();
    int code = PASTE(STACK, _above_request)(state[0], pool[0], counters[0], now, n % CALLS, ECHO, data, size, &out[0]);
    note(&calls, start);
    if (code != NACRE_OK) { fail("a request was refused"); }
    collect(0);
    deliver_all();
    while (echoed <= n) { /* a frame is lost: until it is repeated */
        uint64_t next[2] = {stack[0]->deadline(state[0]), stack[1]->deadline(state[1])};
        now = next[0] < next[1] ? next[0] : next[1];
        if (now == NACRE_NEVER) { fail("nothing repeats what was lost"); }
        for (int side = 0; side < 2; side++) {
            if (next[side] <= now) { tick(side); }
        }
        deliver_all();
    }
}

/* ---- opening */

static uint16_t event(const struct nacre_stack *s, const char *name) {
    for (uint32_t i = 0; i < s->events_len; i++) {
        if (strcmp(s->events[i].name, name) == 0 && !s->events[i].input) { return (uint16_t)i; }
    }
    fail("the stack has no active messages");
    return 0;
}

static void give(void *config, const struct nacre_given *g, int side) {
    static const uint32_t cookies[2] = {0x123456, 0x654321};
    char *at = (char *)config + g->offset;
    uint64_t value = g->role == NACRE_GIVEN_COOKIE        ? cookies[side]
                     : g->role == NACRE_GIVEN_PEER_COOKIE ? cookies[1 - side]
                     : g->role == NACRE_GIVEN_PEER_KEY    ? 78u - (uint32_t)side
                     : g->role == NACRE_GIVEN_INCARNATION ? 77u + (uint32_t)side
                                                          : 0;
    if (value != 0) { memcpy(at, &value, g->size < 8 ? g->size : 8); }
}

static void open_side(int side) {
    const struct nacre_stack *s = stack[side];
    uint32_t blocks = s->blocks_for_one + 64;
    size_t pool_size = s->pool_base + (size_t)blocks * s->pool_per_block;
    state[side] = aligned_alloc(64, (s->state_size + 63u) / 64u * 64u);
    pool[side] = aligned_alloc(64, (pool_size + 63u) / 64u * 64u);
    counters[side] = calloc(s->counters_len, 8);
    void *config = calloc(1, s->config_size);
    out[side] = (struct nacre_out){NACRE_ABI, sizeof(struct nacre_out), 0, s->outputs_max, 0, s->segments_max, 0, s->bytes_max,
                                   calloc(s->outputs_max, sizeof(struct nacre_output)), calloc(s->segments_max, sizeof(struct nacre_segment)),
                                   malloc(s->bytes_max + 64)};
    s->config_default(config);
    for (uint32_t i = 0; i < s->givens_len; i++) { give(config, &s->givens[i], side); }
    s->pool_init(pool[side], blocks);
    if (s->open(state[side], pool[side], counters[side], config, 1, now, &out[side]) != NACRE_OK) { fail("open failed"); }
    requested[side] = event(s, "requested");
    replied[side] = event(s, "replied");
    collect(side);
    free(config);
}

int main(int argc, char **argv) {
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    lossy = argc > 2 && strcmp(argv[2], "lossy") == 0;
    size = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : SHORT;
    if (size < 8 || size > SHORT) { fail("a message has 8 to 16 bytes"); }
    open_side(0);
    open_side(1);
    for (uint64_t k = 0; k < 64; k++) { round_trip(k); }
    time_the_clock();
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    uint64_t begin = ticks();
    calls = delivers = (struct times){0, 0, 0};
    for (uint64_t k = 64; k < 64 + n; k++) { round_trip(k); }
    uint64_t all = ticks() - begin;
    clock_gettime(CLOCK_MONOTONIC, &t1);
    double tick_ns = ((double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec)) / (double)all;
    printf("%.1f %.1f %llu\n", mean(&calls, 2 * n) * tick_ns, mean(&delivers, 2 * n) * tick_ns, (unsigned long long)sum);
    return 0;
}
