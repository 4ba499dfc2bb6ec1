/* Two ends of a stack talk over a bad network, and everything that can be observed is printed: frames, deliveries and other
 * outputs, results, deadlines, hashes of the canonical states, counters. The text depends on the stack and the seed alone, so
 * that two processors, compilers or optimizations can be compared.
 *
 * usage: talk STEPS SEED
 *
 * The generator is written here and not taken from a library: its numbers must be the same everywhere. */
#include STACK_HEADER

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLYING 32u
#define SHOWN 48u /* bytes of a frame or message that are printed; more are hashed */

static const struct nacre_stack *const stack = &STACK_SYMBOL;

struct frame {
    uint8_t *bytes;
    uint32_t len;
};

struct end {
    void *state, *pool;
    struct frame flying[FLYING];
    uint32_t flying_len;
};

static struct end ends[2];
static struct nacre_out out;
static uint64_t *counters;
static uint64_t now = 1000000000, seed;

static uint64_t draw(void) {
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) { return (uint32_t)(draw() % n); }

static void *make(size_t size, size_t align) {
    size_t step = align < 16 ? 16 : align;
    void *made = aligned_alloc(step, (size / step + 1) * step);
    if (made == NULL) { exit(2); }
    return memset(made, 0, (size / step + 1) * step);
}

static uint64_t hash(uint64_t sum, const uint8_t *bytes, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) { sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3); }
    return sum;
}

static void show(const uint8_t *bytes, uint32_t len) {
    printf(" %" PRIu32 ":", len);
    for (uint32_t i = 0; i < len && i < SHOWN; i++) { printf("%02x", bytes[i]); }
    if (len > SHOWN) { printf("+%016" PRIx64, hash(UINT64_C(0xcbf29ce484222325), bytes, len)); }
}

static struct nacre_addr address(uint32_t side) {
    struct nacre_addr a = {.port = (uint16_t)(7000 + side), .family = 4};
    a.ip[12] = 10;
    a.ip[15] = (uint8_t)(side + 1);
    return a;
}

static struct frame joined(const struct nacre_output *o) {
    struct frame f = {.bytes = make(o->len, 1), .len = 0};
    for (uint32_t i = 0; i < o->segments_len; i++) {
        if (o->segments[i].len > 0) { memcpy(f.bytes + f.len, o->segments[i].at, o->segments[i].len); }
        f.len += o->segments[i].len;
    }
    return f;
}

static void fly(uint32_t to, struct frame f) {
    struct end *e = &ends[to];
    if (e->flying_len == FLYING || below(10) == 0) {
        free(f.bytes);
        return;
    }
    if (f.len > 0 && below(16) == 0) { f.bytes[below(f.len)] ^= (uint8_t)(1u << below(8)); }
    e->flying[e->flying_len++] = f;
}

static void outputs(uint32_t side) {
    for (uint32_t i = 0; i < out.outputs_len; i++) {
        const struct nacre_output *o = &out.outputs[i];
        const struct nacre_event *event = &stack->events[o->event];
        struct frame f = joined(o);
        printf("%" PRIu32 " %s %s", side, o->port == 0 ? "frame" : "says", event->name);
        for (uint32_t k = 0; k < event->arguments; k++) { printf(" %" PRIu64, o->arguments[k]); }
        if (event->has_address) { printf(" to %u.%u port %u", o->address.ip[12], o->address.ip[15], o->address.port); }
        show(f.bytes, f.len);
        printf("\n");
        if (o->port == 0) { fly(1 - side, f); } else { free(f.bytes); }
    }
}

/* What a step did; then what may wait, and what the end is now. */
static void after(uint32_t side, const char *what, int result) {
    struct end *e = &ends[side];
    uint64_t deadline;
    printf("%" PRIu32 " %s: %d\n", side, what, result);
    outputs(side);
    stack->settle(e->state, e->pool, counters, &out);
    outputs(side);
    uint32_t len = stack->canonical(e->state, e->pool, NULL, 0);
    uint8_t *canonical = make(len, 1);
    stack->canonical(e->state, e->pool, canonical, len);
    deadline = stack->deadline(e->state);
    printf("%" PRIu32 " state %" PRIu32 " %016" PRIx64 " due %" PRIu64 "\n", side, len,
           hash(UINT64_C(0xcbf29ce484222325), canonical, len), deadline);
    free(canonical);
}

/* A value of a given, as the processor keeps it. Its bytes are equal, so that it is also one of several bytes. */
static void give(uint8_t *at, const struct nacre_given *given, uint32_t side) {
    struct nacre_addr peer = address(1 - side);
    uint32_t cookie = 0x00030201u << side;
    if (given->role == NACRE_GIVEN_PEER) {
        memcpy(at, &peer, given->size);
    } else if (given->role == NACRE_GIVEN_COOKIE && given->size == sizeof cookie) {
        memcpy(at, &cookie, sizeof cookie);
    } else if (given->role == NACRE_GIVEN_SEALING_KEY || given->role == NACRE_GIVEN_OPENING_KEY) {
        memset(at, given->role == NACRE_GIVEN_SEALING_KEY ? 1 + (int)side : 2 - (int)side, given->size);
    } else if (given->required) {
        memset(at, 1, given->size);
    }
}

static void open_end(uint32_t side) {
    struct end *e = &ends[side];
    uint8_t *config = make(stack->config_size, 16);
    uint32_t blocks = stack->blocks_for_one;
    e->state = make(stack->state_size, stack->state_align);
    e->pool = make(stack->pool_base + (size_t)blocks * stack->pool_per_block, stack->pool_align);
    stack->pool_init(e->pool, blocks);
    stack->config_default(config);
    for (uint32_t i = 0; i < stack->givens_len; i++) { give(config + stack->givens[i].offset, &stack->givens[i], side); }
    after(side, "open", stack->open(e->state, e->pool, counters, config, draw(), now, &out));
    free(config);
}

static void call(uint32_t side) {
    struct end *e = &ends[side];
    struct nacre_addr peer = address(1 - side);
    uint32_t number = below(stack->events_len);
    const struct nacre_event *event = &stack->events[number];
    uint64_t arguments[4];
    /* An end that closes soon has little to say. */
    if (!event->input || (strcmp(event->name, "close") == 0 && below(40) != 0)) { return; }
    for (uint32_t i = 0; i < 4; i++) { arguments[i] = below(4) == 0 ? below(70000) : below(4); }
    uint32_t kind = below(20);
    uint32_t len = !event->has_message ? 0 : kind < 14 ? below(60) : kind < 19 ? below(1500) : below(6000);
    uint8_t *message = make(len, 1);
    for (uint32_t i = 0; i < len; i++) { message[i] = (uint8_t)draw(); }
    printf("%" PRIu32 " %s %" PRIu32 " accepted: %d\n", side, event->name, len, stack->accepts(e->state, e->pool, number, len));
    after(side, event->name, stack->call(e->state, e->pool, counters, now, number, arguments, &peer, message, len, &out));
    free(message);
}

static void input(uint32_t side) {
    struct end *e = &ends[side];
    struct nacre_addr from = address(1 - side);
    if (e->flying_len == 0) { return; }
    uint32_t at = below(6) == 0 ? below(e->flying_len) : 0;
    struct frame f = e->flying[at];
    e->flying_len--;
    memmove(&e->flying[at], &e->flying[at + 1], (e->flying_len - at) * sizeof f);
    for (uint32_t n = below(12) == 0 ? 2 : 1; n > 0; n--) {
        after(side, "input", stack->input(e->state, e->pool, counters, now, &from, f.bytes, f.len, &out));
    }
    free(f.bytes);
}

static void tick(uint32_t side) {
    struct end *e = &ends[side];
    for (uint32_t i = 0; i < 50 && stack->deadline(e->state) <= now; i++) {
        after(side, "tick", stack->tick(e->state, e->pool, counters, now, &out));
    }
}

static void step(void) {
    uint32_t side = below(2);
    uint64_t next = stack->deadline(ends[side].state);
    if (below(3) == 0) { now += below(2000000); }
    if (below(8) == 0 && next != NACRE_NEVER && next > now) { now = next; }
    tick(0);
    tick(1);
    if (below(2) == 0) { call(side); } else { input(side); }
}

int main(int argc, char **argv) {
    if (argc < 3) { return 2; }
    uint64_t steps = strtoull(argv[1], NULL, 10);
    seed = strtoull(argv[2], NULL, 10);
    out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof out, .outputs_max = stack->outputs_max,
        .segments_max = stack->segments_max, .bytes_max = stack->bytes_max};
    out.outputs = make(out.outputs_max * sizeof *out.outputs, 16);
    out.segments = make(out.segments_max * sizeof *out.segments, 16);
    out.bytes = make(out.bytes_max, 1);
    counters = make(stack->counters_len * sizeof *counters, 8);
    printf("%s\n%016" PRIx64 "\n", stack->description, stack->fingerprint);
    open_end(0);
    open_end(1);
    while (steps-- > 0) { step(); }
    for (uint32_t i = 0; i < stack->counters_len; i++) { printf("%s %" PRIu64 "\n", stack->counters[i], counters[i]); }
    return 0;
}
