/* Two ends of a stack exchange messages; between them, frames are given that are damaged copies of theirs. Built with sanitizers.
 *
 * usage: fuzz FRAMES SEED STRICT
 *
 * FRAMES: the number of damaged frames. STRICT, 1: what is delivered must be what was sent, each message once and in order. Prints what was
 * seen, one `name number` a line; ends with 1 if something was delivered that was not sent, and with a sanitizer's report. */
#include STACK_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLYING 64u
#define PAST 128u
#define LIFE 6000u /* damaged frames for one connection */

static const struct nacre_stack *const stack = &STACK_SYMBOL;

struct frame {
    uint8_t *bytes;
    uint32_t len;
};

struct end {
    void *state, *pool;
    uint64_t sent, delivered; /* messages of this side's application, and at it */
    struct frame flying[FLYING], past[PAST];
    uint32_t flying_len, past_len, past_next;
    bool closed;
};

static struct end ends[2];
static struct nacre_out out;
static uint64_t *counters;
static uint64_t now, session, damaged_frames, valid_frames, taken, delivered, sessions, closed, starved, accepted;
static uint32_t send_event, deliver_event, closed_event;
static bool strict;

static uint64_t seed;
static uint64_t draw(void) {
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) { return (uint32_t)(draw() % n); }

static void *make(size_t size) {
    void *made = calloc(size > 0 ? size : 1, 1);
    if (made == NULL) { exit(2); }
    return made;
}

static struct frame copy(const uint8_t *bytes, uint32_t len) {
    /* As long as the frame: a byte read behind it is found. */
    struct frame f = {.bytes = make(len), .len = len};
    if (len > 0) { memcpy(f.bytes, bytes, len); }
    return f;
}

/* The messages of each side are functions of session, side and number: nothing has to be kept. */
static uint64_t message(uint32_t side, uint64_t number) { return (session * 2 + side + 1) * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0xd1b54a32d192ed03); }
static uint32_t message_len(uint32_t side, uint64_t number) {
    uint64_t m = message(side, number) >> 20;
    return (uint32_t)(m % 100 < 92 ? m / 128 % 40 : m % 100 < 98 ? m / 128 % 300 : m / 128 % 5000);
}
static uint8_t message_byte(uint32_t side, uint64_t number, uint32_t at) { return (uint8_t)(message(side, number) >> (at % 7 * 8)) ^ (uint8_t)(at >> 3); }

static void fail(const char *why) {
    printf("failed: %s (session %llu, damaged frame %llu)\n", why, (unsigned long long)session, (unsigned long long)damaged_frames);
    exit(1);
}

static void deliver(uint32_t side, const struct nacre_output *o) {
    uint64_t number = ends[side].delivered++;
    uint32_t at = 0;
    delivered++;
    if (strict && number >= ends[1 - side].sent) { fail("a delivery that nobody sent"); }
    if (strict && o->len != message_len(1 - side, number)) { fail("a delivery of another length"); }
    for (uint32_t i = 0; i < o->segments_len; i++) {
        for (uint32_t k = 0; k < o->segments[i].len; k++, at++) {
            uint8_t byte = o->segments[i].at[k];
            if (strict && byte != message_byte(1 - side, number, at)) { fail("a delivery with other bytes"); }
        }
    }
    if (at != o->len) { fail("segments that do not add up"); }
}

static void fly(uint32_t to, const struct nacre_output *o) {
    struct end *e = &ends[to];
    struct frame f = {.bytes = make(o->len), .len = o->len};
    uint32_t at = 0;
    for (uint32_t i = 0; i < o->segments_len; i++) {
        if (o->segments[i].len > 0) { memcpy(f.bytes + at, o->segments[i].at, o->segments[i].len); }
        at += o->segments[i].len;
    }
    free(e->past[e->past_next].bytes);
    e->past[e->past_next] = copy(f.bytes, f.len);
    e->past_next = (e->past_next + 1) % PAST;
    if (e->past_len < PAST) { e->past_len++; }
    if (e->flying_len == FLYING || below(20) == 0) {
        free(f.bytes); /* lost */
    } else {
        e->flying[e->flying_len++] = f;
    }
}

static void after(uint32_t side) {
    stack->settle(ends[side].state, ends[side].pool, counters, &out);
    for (uint32_t i = 0; i < out.outputs_len; i++) {
        const struct nacre_output *o = &out.outputs[i];
        if (o->port == 0) {
            fly(1 - side, o);
        } else if (o->event == deliver_event) {
            deliver(side, o);
        } else if (o->event == closed_event) {
            ends[side].closed = true;
        }
    }
}

static struct nacre_addr address(uint32_t side) {
    struct nacre_addr a = {.port = 7000, .family = 4};
    a.ip[12] = 10;
    a.ip[15] = (uint8_t)(side + 1);
    return a;
}

static int input(uint32_t side, const struct frame *f) {
    struct nacre_addr from = address(1 - side);
    int result = stack->input(ends[side].state, ends[side].pool, counters, now, &from, f->bytes, f->len, &out);
    if (result != NACRE_OK && result != NACRE_DROPPED && result != NACRE_NO_SPACE) { fail("a frame with another result"); }
    after(side);
    return result;
}

/* In some connections, less space than one can need: what finds none is dropped, and may end it. */
static bool little_space(void) { return session % 4 == 0; }

static void open_both(void) {
    uint8_t *config = make(stack->config_size);
    session++;
    sessions++;
    for (uint32_t side = 0; side < 2; side++) {
        struct end *e = &ends[side];
        uint32_t blocks = little_space() ? stack->blocks_for_one / 16 + 2 : stack->blocks_for_one;
        while (e->flying_len > 0) { free(e->flying[--e->flying_len].bytes); }
        /* Whole frames of an earlier connection are for the runtime to keep off. */
        while (e->past_len > 0) {
            free(e->past[--e->past_len].bytes);
            e->past[e->past_len].bytes = NULL;
        }
        e->past_next = 0;
        free(e->state);
        free(e->pool);
        e->state = make(stack->state_size);
        e->pool = make(stack->pool_base + (size_t)blocks * stack->pool_per_block);
        e->sent = e->delivered = 0;
        e->closed = false;
        stack->pool_init(e->pool, blocks);
        stack->config_default(config);
        for (uint32_t i = 0; i < stack->givens_len; i++) {
            const struct nacre_given *given = &stack->givens[i];
            struct nacre_addr peer = address(1 - side);
            uint64_t number = draw() | 1;
            if (given->required == 0) { continue; }
            if (given->role == NACRE_GIVEN_SEALING_KEY || given->role == NACRE_GIVEN_OPENING_KEY) {
                memset(config + given->offset, given->role == NACRE_GIVEN_SEALING_KEY ? 1 + (int)side : 2 - (int)side, given->size);
            } else if (given->role == NACRE_GIVEN_PEER) {
                memcpy(config + given->offset, &peer, given->size);
            } else {
                if (given->role == NACRE_GIVEN_COOKIE) { number &= 0xffffff; }
                memcpy(config + given->offset, &number, given->size < 8 ? given->size : 8);
            }
        }
        if (stack->open(e->state, e->pool, counters, config, draw(), now, &out) != NACRE_OK) { fail("opening"); }
        after(side);
    }
    free(config);
}

static void send(uint32_t side) {
    struct end *e = &ends[side];
    uint32_t len = message_len(side, e->sent);
    struct frame m = {.bytes = make(len), .len = len};
    if (stack->accepts(e->state, e->pool, send_event, len)) {
        int result;
        for (uint32_t i = 0; i < len; i++) { m.bytes[i] = message_byte(side, e->sent, i); }
        e->sent++;
        result = stack->call(e->state, e->pool, counters, now, send_event, NULL, NULL, m.bytes, len, &out);
        if (result != NACRE_OK) { fail("a call that was said to be accepted"); }
        accepted++;
        after(side);
    }
    free(m.bytes);
}

static void tick(uint32_t side) {
    for (uint32_t i = 0; i < 200 && stack->deadline(ends[side].state) <= now; i++) {
        int result = stack->tick(ends[side].state, ends[side].pool, counters, now, &out);
        if (result != NACRE_OK && result != NACRE_NO_SPACE) { fail("a tick that is due with another result"); }
        after(side);
    }
}

static void cut(struct frame *f, uint32_t len) {
    struct frame shorter = copy(f->bytes, len);
    free(f->bytes);
    *f = shorter;
}

/* f is made longer: zeros follow, which is also what other bytes are written over. */
static void grow(struct frame *f, uint32_t more) {
    struct frame longer = {.bytes = make(f->len + more), .len = f->len + more};
    if (f->len > 0) { memcpy(longer.bytes, f->bytes, f->len); }
    for (uint32_t i = f->len; i < longer.len; i++) { longer.bytes[i] = (uint8_t)draw(); }
    free(f->bytes);
    *f = longer;
}

static struct frame damage(uint32_t side, const struct frame *valid) {
    struct end *e = &ends[side];
    struct frame f = copy(valid->bytes, valid->len);
    for (uint32_t n = 1 + below(3); n > 0; n--) {
        switch (below(8)) {
            case 0: cut(&f, below(f.len + 1)); break;
            case 1: grow(&f, 1 + below(24)); break;
            case 2: /* spliced with another valid one */
                if (e->past_len > 0) {
                    const struct frame *other = &e->past[below(e->past_len)];
                    uint32_t at = below((f.len < other->len ? f.len : other->len) + 1);
                    cut(&f, at);
                    uint32_t more = other->len - at;
                    grow(&f, more);
                    if (more > 0) { memcpy(f.bytes + at, other->bytes + at, more); }
                }
                break;
            case 3:
                if (f.len > 0) { f.bytes[below(f.len)] = (uint8_t)draw(); }
                break;
            default:
                for (uint32_t k = 1 + below(3); f.len > 0 && k > 0; k--) {
                    uint32_t near = f.len < 20 || below(3) == 0 ? f.len : 20;
                    f.bytes[below(near)] ^= (uint8_t)(1u << below(8));
                }
        }
    }
    return f;
}

static void step(void) {
    uint32_t side = below(2);
    struct end *e = &ends[side];
    struct frame valid;
    if (below(4) == 0) { now += below(1000000); }
    if (below(3) == 0) { send(side); }
    tick(0);
    tick(1);
    if (e->flying_len == 0) {
        uint64_t next = stack->deadline(e->state);
        if (next != NACRE_NEVER && next > now && below(4) == 0) { now = next; }
        send(side);
        return;
    }
    uint32_t at = below(6) == 0 ? below(e->flying_len) : 0;
    valid = e->flying[at];
    e->flying_len--;
    memmove(&e->flying[at], &e->flying[at + 1], (e->flying_len - at) * sizeof valid);
    for (uint32_t n = below(4); n > 0; n--) {
        const struct frame *of = below(3) == 0 && e->past_len > 0 ? &e->past[below(e->past_len)] : &valid;
        struct frame f = damage(side, of);
        damaged_frames++;
        taken += input(side, &f) == NACRE_OK;
        free(f.bytes);
    }
    valid_frames++;
    input(side, &valid);
    if (below(16) == 0) { input(side, &valid); } /* once more */
    free(valid.bytes);
}

int main(int argc, char **argv) {
    if (argc < 4) { return 2; }
    uint64_t target = strtoull(argv[1], NULL, 10);
    seed = strtoull(argv[2], NULL, 10);
    strict = argv[3][0] == '1';
    out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof out, .outputs_max = stack->outputs_max, .segments_max = stack->segments_max,
        .bytes_max = stack->bytes_max};
    out.outputs = make(out.outputs_max * sizeof *out.outputs);
    out.segments = make(out.segments_max * sizeof *out.segments);
    out.bytes = make(out.bytes_max);
    counters = make(stack->counters_len * sizeof *counters);
    for (uint32_t i = 0; i < stack->events_len; i++) {
        const struct nacre_event *e = &stack->events[i];
        if (e->port == 0) { continue; }
        if (e->input && strcmp(e->name, "send") == 0) { send_event = i; }
        if (!e->input && strcmp(e->name, "deliver") == 0) { deliver_event = i; }
        if (!e->input && strcmp(e->name, "closed") == 0) { closed_event = i; }
    }
    now = 1000000000;
    for (uint64_t until = 0; damaged_frames < target;) {
        if (damaged_frames >= until || ends[0].closed || ends[1].closed) {
            if (damaged_frames < until) { little_space() ? starved++ : closed++; }
            open_both();
            until = damaged_frames + LIFE;
        }
        step();
    }
    printf("damaged %llu\ntaken %llu\nvalid %llu\nsent %llu\ndelivered %llu\nsessions %llu\nclosed %llu\nstarved %llu\n", (unsigned long long)damaged_frames,
        (unsigned long long)taken, (unsigned long long)valid_frames, (unsigned long long)accepted, (unsigned long long)delivered,
        (unsigned long long)sessions, (unsigned long long)closed, (unsigned long long)starved);
    for (uint32_t i = 0; i < stack->counters_len; i++) { printf("%s %llu\n", stack->counters[i], (unsigned long long)counters[i]); }
    return 0;
}
