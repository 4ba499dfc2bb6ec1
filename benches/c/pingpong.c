/* Cost of a message, sent and delivered, at one level of one stack: both endpoints in one process.
 *
 * Compiled with -DSTACK=<prefix> -DHEADER="<prefix>.h". Arguments: the number of messages, and `stream` (one direction) or `pingpong`
 * (alternating directions); then `quick`, to try the quick entries first, or `ordinary`; then the bytes of a message (16). A frame is copied once between the endpoints, as on a network;
 * the application reads the first 8 bytes of each delivered message.
 *
 * Prints the nanoseconds of send for one message, and those of deliver with its timers and acknowledgements; a checksum of the delivered
 * bytes; the bytes of state, of counters and of a pool block; the number of blocks that suffices for one connection. */
#define _POSIX_C_SOURCE 200809L
#include HEADER
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "times.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define DESCRIPTOR PASTE(STACK, _stack)
#define NOINLINE __attribute__((noinline))

static const struct nacre_stack *stack;
static void *state[2], *pool[2];
static uint64_t *counters[2];
static struct nacre_out out[2];
static uint64_t now = 1, sum, delivered;
enum { LONGEST = 1400 };
static uint32_t size = 16;

struct frame {
    int to;
    uint32_t len;
    uint8_t bytes[2048];
};
enum { FRAMES = 1024 };
static struct frame wire[FRAMES];
static uint32_t first, last;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

/* ---- time of single calls, with nothing in flight before and after, less the cost of reading the clock */

static struct times sends, delivers;

/* ---- the calls */

NOINLINE int bench_send(int side, const uint8_t *data, uint32_t len) {
    return PASTE(STACK, _above_send)(state[side], pool[side], counters[side], now, data, len, &out[side]);
}

NOINLINE int bench_deliver(int side, const struct nacre_addr *from, const uint8_t *frame, uint32_t len) {
    return PASTE(STACK, _input)(state[side], pool[side], counters[side], now, from, frame, len, &out[side]);
}

/* The quick entries, which may do nothing: then the ordinary ones are called. The head is written to where the frame is made. */
static bool quick;

NOINLINE uint32_t bench_send_quick(int side, const uint8_t *data, uint32_t len, uint8_t *head) {
    return stack->send_quick(state[side], pool[side], counters[side], now, data, len, head);
}

NOINLINE struct nacre_delivery bench_deliver_quick(int side, const struct nacre_addr *from, const uint8_t *frame, uint32_t len) {
    return stack->input_quick(state[side], pool[side], counters[side], now, from, frame, len);
}

NOINLINE int bench_tick(int side) {
    return PASTE(STACK, _tick)(state[side], pool[side], counters[side], now, &out[side]);
}

static void read_message(const uint8_t *at, uint32_t len) {
    uint64_t head = 0;
    memcpy(&head, at, len < 8 ? len : 8);
    sum += head;
    delivered++;
}

/* Passes on the outputs of a call: frames to the wire, deliveries to the application. */
static void collect(int side) {
    for (uint32_t i = 0; i < out[side].outputs_len; i++) {
        const struct nacre_output *o = &out[side].outputs[i];
        if (o->port == 0) {
            struct frame *f = &wire[last++ % FRAMES];
            f->to = 1 - side;
            f->len = 0;
            for (uint32_t k = 0; k < o->segments_len; k++) {
                memcpy(f->bytes + f->len, o->segments[k].at, o->segments[k].len);
                f->len += o->segments[k].len;
            }
        } else if (o->segments_len > 0 && o->len == size) {
            read_message(o->segments[0].at, o->segments[0].len);
        }
    }
    out[side].outputs_len = out[side].segments_len = out[side].bytes_len = 0; /* hand.c only appends */
}

static void send(int from, const uint8_t *data, uint32_t len) {
    uint64_t start = ticks();
    if (quick) {
        struct frame *f = &wire[last % FRAMES];
        uint32_t head = bench_send_quick(from, data, len, f->bytes);
        if (head > 0) {
            note(&sends, start);
            memcpy(f->bytes + head, data, len);
            f->to = 1 - from;
            f->len = head + len;
            last++;
            return;
        }
    }
    int code = bench_send(from, data, len);
    note(&sends, start);
    if (code != NACRE_OK) { fail("a send was refused"); }
    collect(from);
}

static void deliver(const struct frame *f) {
    static const struct nacre_addr nowhere = {{0}, 0, 4};
    int to = f->to;
    uint64_t start = ticks();
    if (quick) {
        struct nacre_delivery d = bench_deliver_quick(to, &nowhere, f->bytes, f->len);
        if (d.at != NULL) {
            note(&delivers, start);
            if (d.len == size) { read_message(d.at, d.len); }
            return;
        }
    }
    (void)bench_deliver(to, &nowhere, f->bytes, f->len);
    note(&delivers, start);
    collect(to);
}

static void message(int from, uint64_t n) {
    static uint8_t data[LONGEST];
    memcpy(data, &n, size < 8 ? size : 8);
    now += 1000;
    for (int side = 0; side < 2; side++) {
        if (stack->deadline(state[side]) <= now) {
            for (;;) {
                uint64_t from_tick = ticks();
                int code = bench_tick(side);
                note(&delivers, from_tick);
                if (code != NACRE_OK) { break; }
                collect(side);
            }
        }
    }
    send(from, data, size);
    while (first != last) { deliver(&wire[first++ % FRAMES]); }
}

int main(int argc, char **argv) {
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
    int pingpong = argc > 2 && strcmp(argv[2], "pingpong") == 0;
    stack = &DESCRIPTOR;
    quick = argc > 3 && strcmp(argv[3], "quick") == 0;
    size = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 0) : 16;
    if (size == 0 || size > LONGEST) { fail("a message has 1 to 1400 bytes"); }
    if (quick && (stack->send_quick == NULL || stack->input_quick == NULL)) { fail("the stack has no quick entries"); }
    for (int side = 0; side < 2; side++) {
        uint32_t blocks = stack->blocks_for_one + 64;
        state[side] = aligned_alloc(64, (stack->state_size + 63u) / 64u * 64u);
        size_t pool_size = stack->pool_base + (size_t)blocks * stack->pool_per_block;
        pool[side] = aligned_alloc(64, (pool_size + 63u) / 64u * 64u);
        counters[side] = calloc(stack->counters_len, 8);
        void *config = calloc(1, stack->config_size);
        out[side] = (struct nacre_out){NACRE_ABI, sizeof(struct nacre_out), 0, stack->outputs_max, 0, stack->segments_max, 0, stack->bytes_max,
                                       calloc(stack->outputs_max, sizeof(struct nacre_output)),
                                       calloc(stack->segments_max, sizeof(struct nacre_segment)), malloc(stack->bytes_max + 64)};
        stack->config_default(config);
        for (uint32_t i = 0; i < stack->givens_len; i++) {
            const struct nacre_given *g = &stack->givens[i];
            char *at = (char *)config + g->offset;
            uint32_t cookie = side ? 0x654321 : 0x123456;
            uint64_t incarnation = 77 + (uint64_t)side;
            if (g->role == NACRE_GIVEN_COOKIE) { memcpy(at, &cookie, g->size < 4 ? g->size : 4); }
            if (g->role == NACRE_GIVEN_INCARNATION) { memcpy(at, &incarnation, g->size < 8 ? g->size : 8); }
            if (g->role == NACRE_GIVEN_SEALING_KEY) { memset(at, 1 + side, g->size); }
            if (g->role == NACRE_GIVEN_OPENING_KEY) { memset(at, 2 - side, g->size); }
        }
        stack->pool_init(pool[side], blocks);
        if (stack->open(state[side], pool[side], counters[side], config, 1, now, &out[side]) != NACRE_OK) { fail("open failed"); }
        collect(side);
        free(config);
    }
    for (uint64_t k = 0; k < 64; k++) { message((int)(k & 1), k); } /* agree on the cookies */
    time_the_clock();
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    uint64_t begin = ticks();
    delivered = 0;
    sends = delivers = (struct times){0, 0, 0};
    for (uint64_t k = 0; k < n; k++) { message(pingpong ? (int)(k & 1) : 0, k); }
    uint64_t all = ticks() - begin;
    clock_gettime(CLOCK_MONOTONIC, &t1);
    if (delivered != n) { fail("not every message was delivered"); }
    double tick = ((double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec)) / (double)all;
    printf("%.1f %.1f %llu %u %u %u %u\n", mean(&sends, n) * tick, mean(&delivers, n) * tick, (unsigned long long)sum,
           (unsigned)stack->state_size, 8 * (unsigned)stack->counters_len, (unsigned)stack->pool_per_block,
           (unsigned)stack->blocks_for_one);
    return 0;
}
