/* A harness of libFuzzer: two ends of a stack, each of which runs at all four levels at once, and once more as a host runs it that tries the
 * quick entries first. Everything that is done to an end is done to its five machines, which must then agree in results, outputs, deadlines,
 * counters, free blocks and canonical bytes.
 *
 * The input is a program: two bytes of setup, then operations of one byte and their arguments (`step`). Frames are those that the other end
 * has sent, whole, damaged or cut, or bytes of the input; cookies and keys are fixed, and can be put into such bytes, so that these get past
 * the checks of the lowest layer. What a program has reached is counted, and printed when the process ends. */
#include "queue.h"
#include "call.h"
#include "inline.h"
#include "bypass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES 5u
#define ORDINARY 3u /* level bypass by the ordinary entries */
#define QUICK 4u    /* by the quick ones where these take the event */
#define FLYING 128u
#define STEPS 300u /* of both ends, in one program */

struct bytes {
    uint8_t *at;
    size_t len, room;
};

/* One end at one level, with what came out of its last step. */
struct machine {
    const struct nacre_stack *stack;
    void *state, *pool;
    uint64_t *counters;
    struct nacre_out out;
    struct bytes frames, events;
};

struct end {
    struct machine machines[MACHINES];
    struct bytes flying[FLYING]; /* frames for this end */
    uint32_t flying_len;
};

static const struct nacre_stack *const stacks[MACHINES] = {&queue_stack, &call_stack, &inline_stack, &bypass_stack, &bypass_stack};
static struct end ends[2];
static uint64_t now, told;
static bool settles, doubtful; /* doubtful: the host of the second end does not know yet whether its peer is there */
static uint32_t steps, blocks, send_event, close_event;

/* What all programs have reached. */
static uint64_t programs, results[7], outputs[64], accepted[256], quick_calls, quick_frames, *sums;

static const uint8_t *program;
static size_t program_len;

static uint8_t next(void) {
    if (program_len == 0) { return 0; }
    program_len--;
    return *program++;
}
static uint64_t next_wide(uint32_t bytes) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < bytes; i++) { n |= (uint64_t)next() << 8 * i; }
    return n;
}

static void fail(const char *what, uint32_t level) {
    fflush(stdout);
    fprintf(stderr, "DIFFERENT: %s, at level %s%s\n", what, stacks[level]->level, level == QUICK ? " by the quick entries" : "");
    abort();
}

static void append(struct bytes *to, const void *from, size_t len) {
    if (to->len + len > to->room) {
        to->room = 2 * (to->len + len);
        to->at = realloc(to->at, to->room);
    }
    if (len > 0) { memcpy(to->at + to->len, from, len); }
    to->len += len;
}
static bool equal(const struct bytes *a, const struct bytes *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->at, b->at, a->len) == 0);
}
/* As long as what it holds: a byte read behind it is found. */
static struct bytes exact(const uint8_t *from, size_t len) {
    struct bytes made = {.at = malloc(len), .len = len, .room = len};
    if (len > 0) { memcpy(made.at, from, len); }
    return made;
}
static void release(struct bytes *b) {
    free(b->at);
    *b = (struct bytes){0};
}

static struct nacre_addr address(uint32_t side) {
    struct nacre_addr a = {.port = 7000, .family = 4};
    a.ip[12] = 10;
    a.ip[15] = (uint8_t)(side + 1);
    return a;
}
static uint32_t cookie(uint32_t side) { return side == 0 ? 0xa1b2c3 : 0xd4e5f6; }
static uint64_t incarnation(uint32_t side) { return side == 0 ? UINT64_C(0x1122334455667788) : UINT64_C(0x99aabbccddeeff00); }

/* Frames and events are compared each in their order; how they interleave is not specified. */
static void collect(struct machine *m) {
    m->frames.len = m->events.len = 0;
    for (uint32_t i = 0; i < m->out.outputs_len; i++) {
        const struct nacre_output *o = &m->out.outputs[i];
        const struct nacre_event *e = &m->stack->events[o->event];
        struct bytes *to = o->port == 0 ? &m->frames : &m->events;
        uint32_t len = 0;
        append(to, &o->len, sizeof o->len);
        append(to, &o->event, sizeof o->event);
        append(to, &o->session, sizeof o->session);
        append(to, o->arguments, e->arguments * sizeof o->arguments[0]);
        if (e->has_address) { append(to, &o->address, sizeof o->address); }
        for (uint32_t k = 0; k < o->segments_len; k++) {
            append(to, o->segments[k].at, o->segments[k].len);
            len += o->segments[k].len;
        }
        if (len != o->len) { fail("the segments of an output do not add up", 0); }
    }
}

static void fly(uint32_t to, const struct nacre_output *o) {
    struct end *e = &ends[to];
    struct bytes frame = {.at = malloc(o->len), .room = o->len};
    for (uint32_t k = 0; k < o->segments_len; k++) { append(&frame, o->segments[k].at, o->segments[k].len); }
    if (e->flying_len == FLYING) {
        release(&frame); /* lost */
    } else {
        e->flying[e->flying_len++] = frame;
    }
}

/* After a step: what came out, then, where the program settles, what remains. */
static void compare(uint32_t side, const int *result) {
    struct end *e = &ends[side];
    struct machine *first = &e->machines[0];
    steps++;
    for (uint32_t l = 0; l < MACHINES; l++) { collect(&e->machines[l]); }
    for (uint32_t l = 1; l < MACHINES; l++) {
        struct machine *m = &e->machines[l];
        if (result[l] != result[0]) { fail("the result", l); }
        if (!equal(&m->frames, &first->frames)) { fail("frames", l); }
        if (!equal(&m->events, &first->events)) { fail("events", l); }
        if (m->stack->deadline(m->state) != first->stack->deadline(first->state)) { fail("the deadline", l); }
        if (memcmp(m->counters, first->counters, m->stack->counters_len * sizeof *m->counters) != 0) { fail("a counter", l); }
    }
    if (result[0] < 0 || result[0] > 6) { fail("a result that does not exist", 0); }
    if (result[0] >= NACRE_REFUSED && result[0] != NACRE_DROPPED && first->out.outputs_len > 0) { fail("outputs without effect", 0); }
    results[result[0]]++;
    for (uint32_t i = 0; i < first->out.outputs_len; i++) {
        const struct nacre_output *o = &first->out.outputs[i];
        outputs[o->event % 64]++;
        if (o->port == 0) { fly(1 - side, o); }
    }
    for (uint32_t l = 0; settles && l < MACHINES; l++) {
        struct machine *m = &e->machines[l];
        m->stack->settle(m->state, m->pool, m->counters, &m->out);
    }
}

static void compare_states(const struct end *e) {
    static struct bytes canonical[MACHINES];
    for (uint32_t l = 0; l < MACHINES; l++) {
        const struct machine *m = &e->machines[l];
        struct bytes *c = &canonical[l];
        c->len = m->stack->canonical(m->state, m->pool, c->at, (uint32_t)c->room);
        if (c->len > c->room) {
            free(c->at);
            *c = (struct bytes){.at = malloc(c->len), .len = c->len, .room = c->len};
            m->stack->canonical(m->state, m->pool, c->at, (uint32_t)c->room);
        }
        if (!equal(c, &canonical[0])) { fail("the state", l); }
        if (m->stack->pool_free(m->pool) != e->machines[0].stack->pool_free(e->machines[0].pool)) { fail("free blocks", l); }
    }
}

static void open_end(uint32_t side) {
    int result[MACHINES];
    for (uint32_t l = 0; l < MACHINES; l++) {
        struct machine *m = &ends[side].machines[l];
        const struct nacre_stack *s = m->stack = stacks[l];
        struct nacre_addr peer = address(1 - side);
        uint32_t own = cookie(side);
        uint64_t born = incarnation(side);
        uint8_t *config = calloc(s->config_size, 1);
        s->config_default(config);
        for (uint32_t i = 0; i < s->givens_len; i++) {
            const struct nacre_given *given = &s->givens[i];
            const void *value = given->role == NACRE_GIVEN_PEER          ? (void *)&peer
                                : given->role == NACRE_GIVEN_COOKIE      ? (void *)&own
                                : given->role == NACRE_GIVEN_INCARNATION ? (void *)&born
                                                                         : NULL;
            if (value != NULL) { memcpy(config + given->offset, value, given->size); }
            if (given->role == NACRE_GIVEN_SEALING_KEY) { memset(config + given->offset, 1 + (int)side, given->size); }
            if (given->role == NACRE_GIVEN_UNCONFIRMED) { config[given->offset] = side == 1 && doubtful; }
            if (given->role == NACRE_GIVEN_OPENING_KEY) { memset(config + given->offset, 2 - (int)side, given->size); }
        }
        m->state = malloc(s->state_size);
        m->pool = malloc(s->pool_base + (size_t)blocks * s->pool_per_block);
        m->counters = calloc(s->counters_len, sizeof *m->counters);
        if (m->out.outputs == NULL) {
            m->out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof m->out, .outputs_max = s->outputs_max, .segments_max = s->segments_max, .bytes_max = s->bytes_max};
            m->out.outputs = malloc(s->outputs_max * sizeof *m->out.outputs);
            m->out.segments = malloc(s->segments_max * sizeof *m->out.segments);
            m->out.bytes = malloc(s->bytes_max);
        }
        s->pool_init(m->pool, blocks);
        result[l] = s->open(m->state, m->pool, m->counters, config, 7, now, &m->out);
        free(config);
    }
    compare(side, result);
}

static void close_end(uint32_t side) {
    struct end *e = &ends[side];
    for (uint32_t l = 0; l < MACHINES; l++) {
        struct machine *m = &e->machines[l];
        m->stack->discard(m->state, m->pool);
        if (m->stack->pool_free(m->pool) != blocks) { fail("a block that did not come back", l); }
        for (uint32_t i = 0; l == 0 && i < m->stack->counters_len; i++) { sums[i] += m->counters[i]; }
        free(m->state);
        free(m->pool);
        free(m->counters);
    }
    while (e->flying_len > 0) { release(&e->flying[--e->flying_len]); }
}

/* An output of a quick entry, of one or two segments. */
static void put_out(struct nacre_out *out, uint16_t event, uint16_t port, const struct nacre_segment *segments, uint32_t len) {
    struct nacre_output *o = &out->outputs[out->outputs_len++];
    *o = (struct nacre_output){.event = event, .port = port, .segments = out->segments, .segments_len = len};
    for (uint32_t i = 0; i < len; i++) {
        out->segments[i] = segments[i];
        o->len += segments[i].len;
    }
}

/* Whether the quick entry has taken a call. The frame leaves by the event by which it leaves from the ordinary entry. */
static bool send_quick(const struct end *e, struct machine *m, uint32_t event, const struct bytes *message) {
    static uint8_t *head;
    if (event != send_event || m->stack->send_quick == NULL) { return false; }
    free(head);
    head = malloc(m->stack->frame_head_max); /* no longer than it is said to be */
    uint32_t len = m->stack->send_quick(m->state, m->pool, m->counters, now, message->at, (uint32_t)message->len, head);
    if (len == 0) { return false; }
    struct nacre_segment segments[2] = {{.at = head, .len = len}, {.at = message->at, .len = (uint32_t)message->len}};
    m->out.outputs_len = 0;
    put_out(&m->out, e->machines[ORDINARY].out.outputs[0].event, 0, segments, 1 + (message->len > 0));
    if (m->stack->quick_to != UINT32_MAX) { memcpy(&m->out.outputs[0].address, (uint8_t *)m->state + m->stack->quick_to, sizeof(struct nacre_addr)); }
    quick_calls++;
    return true;
}

/* Whether the quick entry has taken a frame. */
static bool input_quick(struct machine *m, const struct nacre_addr *from, const struct bytes *frame) {
    if (m->stack->input_quick == NULL) { return false; }
    struct nacre_delivery d = m->stack->input_quick(m->state, m->pool, m->counters, now, from, frame->at, (uint32_t)frame->len);
    if (d.at == NULL) { return false; }
    m->out.outputs_len = 0;
    if (d.event != NACRE_NONE) {
        put_out(&m->out, d.event, m->stack->events[d.event].port, NULL, 0);
        m->out.outputs[0].arguments[0] = d.argument;
    }
    for (uint16_t i = 0; d.len > 0 && i < m->stack->events_len; i++) {
        const struct nacre_event *e = &m->stack->events[i];
        struct nacre_segment data = {.at = d.at, .len = d.len};
        if (!e->input && e->port != 0 && e->role == NACRE_EVENT_DELIVERY) { put_out(&m->out, i, e->port, &data, 1); }
    }
    quick_frames++;
    return true;
}

static void call(uint32_t side, uint32_t event, const uint64_t *arguments, uint32_t len) {
    struct bytes message = {.at = malloc(len), .len = len};
    struct nacre_addr to = address(1 - side);
    int result[MACHINES];
    bool accepts[MACHINES];
    told++;
    for (uint32_t i = 0; i < len; i++) { message.at[i] = (uint8_t)(told * 7 + i); }
    for (uint32_t l = 0; l < MACHINES; l++) {
        struct machine *m = &ends[side].machines[l];
        accepts[l] = m->stack->accepts(m->state, m->pool, event, len);
        if (accepts[l] != accepts[0]) { fail("what is accepted", l); }
        bool taken = l == QUICK && send_quick(&ends[side], m, event, &message);
        result[l] = taken ? NACRE_OK : m->stack->call(m->state, m->pool, m->counters, now, event, arguments, &to, message.at, len, &m->out);
    }
    compare(side, result);
    release(&message);
}

static void input(uint32_t side, const struct bytes *frame) {
    struct nacre_addr from = address(1 - side);
    int result[MACHINES];
    for (uint32_t l = 0; l < MACHINES; l++) {
        struct machine *m = &ends[side].machines[l];
        bool taken = l == QUICK && input_quick(m, &from, frame);
        result[l] = taken ? NACRE_OK : m->stack->input(m->state, m->pool, m->counters, now, &from, frame->at, (uint32_t)frame->len, &m->out);
    }
    if (result[0] != NACRE_OK && result[0] != NACRE_DROPPED && result[0] != NACRE_NO_SPACE) { fail("the result of a frame", 0); }
    if (result[0] == NACRE_OK) { accepted[frame->at[0]]++; }
    compare(side, result);
}

static void tick(uint32_t side) {
    for (uint32_t i = 0; i < 8 && ends[side].machines[0].stack->deadline(ends[side].machines[0].state) <= now; i++) {
        int result[MACHINES];
        for (uint32_t l = 0; l < MACHINES; l++) {
            struct machine *m = &ends[side].machines[l];
            result[l] = m->stack->tick(m->state, m->pool, m->counters, now, &m->out);
        }
        compare(side, result);
    }
}

/* The frame at this place of those on the way to an end; NULL: none is. */
static struct bytes *flying(uint32_t side, uint8_t place) { return ends[side].flying_len == 0 ? NULL : &ends[side].flying[place % ends[side].flying_len]; }

static void take(uint32_t side, struct bytes *frame, bool arrives) {
    struct end *e = &ends[side];
    struct bytes taken = *frame;
    size_t at = (size_t)(frame - e->flying);
    memmove(frame, frame + 1, (--e->flying_len - at) * sizeof taken);
    if (arrives) { input(side, &taken); }
    release(&taken);
}

static void put(struct bytes *frame, size_t at, uint64_t value, size_t len) {
    for (size_t i = 0; i < len && at + i < frame->len; i++) { frame->at[at + i] = (uint8_t)(value >> 8 * i); }
}

/* Bytes of the input as a frame; with a label, as somebody sends it who knows the connection. */
static void made_up(uint32_t side) {
    uint8_t flags = next();
    size_t len = next();
    struct bytes frame = exact(program, len < program_len ? len : program_len);
    program += frame.len;
    program_len -= frame.len;
    if (flags & 1) {
        bool identified = frame.len > 0 && (frame.at[0] & 1);
        if (!(flags & 2)) { put(&frame, 1, cookie(side), 3); }
        if (identified) {
            put(&frame, 4, stacks[0]->fingerprint, 8);
            put(&frame, 12, cookie(1 - side), 4);
            put(&frame, 32, incarnation(1 - side), 8);
            put(&frame, 40, flags & 2 ? 0 : (uint32_t)incarnation(side), 4);
        } else {
            put(&frame, 4, (uint32_t)incarnation(side), 4);
        }
    }
    input(side, &frame);
    release(&frame);
}

static void damaged(uint32_t side, const struct bytes *valid, bool cut) {
    uint32_t changes = next() % 4 + !cut;
    struct bytes frame = exact(valid->at, valid->len);
    if (cut) {
        size_t len = next_wide(2) % (valid->len + 32), old = frame.len;
        frame.at = realloc(frame.at, len);
        frame.len = len;
        if (len > old) { memset(frame.at + old, 0x5a, len - old); }
    }
    while (changes-- > 0) {
        size_t at = next();
        uint8_t by = next();
        if (frame.len > 0) { frame.at[at % frame.len] ^= by; }
    }
    input(side, &frame);
    release(&frame);
}

static void step(void) {
    uint8_t byte = next();
    uint32_t side = byte >> 4 & 1;
    uint64_t arguments[4] = {0}, due;
    uint32_t event;
    struct bytes *frame;
    switch (byte & 15) {
        case 0: call(side, send_event, arguments, next()); break;
        case 1:
            for (uint32_t n = next() % 12; n > 0; n--) { call(side, send_event, arguments, n % 3); }
            break;
        case 2:
            if ((frame = flying(side, next())) != NULL) { take(side, frame, true); }
            break;
        case 3:
            if ((frame = flying(side, next())) != NULL) { take(side, frame, false); }
            break;
        case 4: /* it will arrive again */
            if ((frame = flying(side, next())) != NULL) {
                struct bytes again = exact(frame->at, frame->len);
                input(side, &again);
                release(&again);
            }
            break;
        case 5:
        case 6:
            if ((frame = flying(side, next())) != NULL) { damaged(side, frame, false); }
            break;
        case 7:
            if ((frame = flying(side, next())) != NULL) { damaged(side, frame, true); }
            break;
        case 8:
        case 9: made_up(side); break;
        case 10:
            due = ends[side].machines[0].stack->deadline(ends[side].machines[0].state);
            if (due != NACRE_NEVER && due > now) { now = due; }
            tick(side);
            break;
        case 11:
            now += UINT64_C(1) << next() % 36;
            tick(0);
            tick(1);
            break;
        case 12: /* any event, also one that is none, with any numbers */
            event = next() % (stacks[0]->events_len + 1);
            for (uint32_t i = 0; event < stacks[0]->events_len && i < stacks[0]->events[event].arguments && i < 4; i++) { arguments[i] = next_wide(byte & 32 ? 8 : 1); }
            call(side, event, arguments, event < stacks[0]->events_len && stacks[0]->events[event].has_message ? next() : 0);
            break;
        case 13: call(side, close_event, arguments, 0); break;
        default: /* the network works for a while */
            for (uint32_t n = next(); n > 0 && ends[0].flying_len + ends[1].flying_len > 0; n--) {
                side = ends[side].flying_len > 0 ? side : 1 - side;
                take(side, ends[side].flying, true);
                if (n % 4 == 0) { side = 1 - side; }
            }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    for (uint32_t i = 0; i < stacks[0]->events_len; i++) {
        const struct nacre_event *e = &stacks[0]->events[i];
        if (e->port > 0 && e->input && strcmp(e->name, "send") == 0) { send_event = i; }
        if (e->port > 0 && e->input && strcmp(e->name, "close") == 0) { close_event = i; }
    }
    sums = calloc(stacks[0]->counters_len, sizeof *sums);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    program = data;
    program_len = len;
    now = 1000000000;
    programs++;
    steps = 0;
    uint8_t setup = next();
    settles = (setup & 8) == 0;
    doubtful = (setup & 64) == 0;
    blocks = setup & 4 ? stacks[0]->blocks_for_one : next() % 64;
    open_end(0);
    open_end(1);
    while (steps < STEPS && program_len > 0) {
        step();
        for (uint32_t side = 0; settles && side < 2; side++) { compare_states(&ends[side]); }
    }
    close_end(0);
    close_end(1);
    return 0;
}

__attribute__((destructor)) static void report(void) {
    static const char *const names[7] = {"ok", "idle", "refused", "busy", "no_space", "dropped", "invalid"};
    if (programs == 0) { return; }
    printf("REACHED programs %llu\n", (unsigned long long)programs);
    printf("REACHED quick.call %llu\nREACHED quick.frame %llu\n", (unsigned long long)quick_calls, (unsigned long long)quick_frames);
    for (uint32_t i = 0; i < 7; i++) { printf("REACHED result.%s %llu\n", names[i], (unsigned long long)results[i]); }
    for (uint32_t i = 0; i < stacks[0]->events_len && i < 64; i++) {
        if (!stacks[0]->events[i].input) { printf("REACHED output.%s %llu\n", stacks[0]->events[i].name, (unsigned long long)outputs[i]); }
    }
    for (uint32_t i = 0; i < stacks[0]->counters_len; i++) { printf("REACHED counter.%s %llu\n", stacks[0]->counters[i], (unsigned long long)sums[i]); }
    for (uint32_t i = 0; i < 256; i++) {
        if (accepted[i] == 0) { continue; }
        printf("REACHED frame.%02x %llu\n", i, (unsigned long long)accepted[i]);
    }
}
