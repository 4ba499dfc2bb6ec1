/* Two ends of a connection in one process: what one sends, the other is handed at once. One generated header, one
 * generated C file, no library. Every third frame is lost on purpose; the stack repairs that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reliable.h"

#define STACK (&reliable_stack)
#define MESSAGES 100

struct end {
    const char *name;
    void *state, *pool;
    uint64_t *counters;
    struct nacre_out out;
    struct nacre_addr address;
    unsigned delivered;
};

/* Frames on their way: a ring, as a real program would have a socket. */
struct frame {
    struct end *to, *from;
    uint32_t len;
    uint8_t bytes[RELIABLE_FRAME_HEAD_MAX + RELIABLE_FRAME_DATA_MAX];
};
#define FRAMES 512
static struct frame frames[FRAMES];
static unsigned first, waiting, sent;

static void *take(size_t size) {
    void *at = aligned_alloc(64, (size + 63) / 64 * 64);
    if (at == NULL) {
        exit(2);
    }
    return memset(at, 0, size);
}

static uint16_t event(const char *name, int input) {
    for (uint32_t i = 0; i < STACK->events_len; i++) {
        const struct nacre_event *e = &STACK->events[i];
        if (e->port == 1 && e->input == input && strcmp(e->name, name) == 0) {
            return (uint16_t)i;
        }
    }
    fprintf(stderr, "the stack has no event %s\n", name);
    exit(2);
}

/* Hands on what came out of a step: frames to the peer, messages to us. */
static void pass_on(struct end *self, struct end *peer) {
    for (uint32_t i = 0; i < self->out.outputs_len; i++) {
        const struct nacre_output *o = &self->out.outputs[i];
        if (o->port != 0) {
            self->delivered += o->event == event("deliver", 0);
            continue;
        }
        if (++sent % 3 == 0 || waiting == FRAMES) {
            continue; /* lost */
        }
        struct frame *f = &frames[(first + waiting++) % FRAMES];
        f->to = peer;
        f->from = self;
        f->len = 0;
        for (uint32_t s = 0; s < o->segments_len; s++) {
            memcpy(f->bytes + f->len, o->segments[s].at, o->segments[s].len);
            f->len += o->segments[s].len;
        }
    }
}

static void begin(struct end *self, struct end *peer, const char *name, uint32_t cookie) {
    self->name = name;
    self->state = take(STACK->state_size);
    self->pool = take(STACK->pool_base + (size_t)STACK->blocks_for_one * STACK->pool_per_block);
    self->counters = take(STACK->counters_len * sizeof *self->counters);
    self->out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof self->out};
    self->out.outputs = take(STACK->outputs_max * sizeof *self->out.outputs);
    self->out.segments = take(STACK->segments_max * sizeof *self->out.segments);
    self->out.bytes = take(STACK->bytes_max);
    self->out.outputs_max = STACK->outputs_max;
    self->out.segments_max = STACK->segments_max;
    self->out.bytes_max = STACK->bytes_max;
    STACK->pool_init(self->pool, STACK->blocks_for_one);
    struct reliable_config config;
    STACK->config_default(&config);
    config.floor_peer = peer->address;
    config.floor_cookie = cookie;
    config.floor_incarnation = 1000 + cookie;
    if (STACK->open(self->state, self->pool, self->counters, &config, cookie, 1, &self->out) != NACRE_OK) {
        fprintf(stderr, "%s could not be opened\n", name);
        exit(1);
    }
    pass_on(self, peer);
}

static void end(struct end *self) {
    STACK->discard(self->state, self->pool);
    free(self->state);
    free(self->pool);
    free(self->counters);
    free(self->out.outputs);
    free(self->out.segments);
    free(self->out.bytes);
}

int main(void) {
    struct end a = {.address = {.port = 1, .family = 4}}, b = {.address = {.port = 2, .family = 4}};
    begin(&a, &b, "a", 11);
    begin(&b, &a, "b", 22);
    struct end *ends[2] = {&a, &b};
    uint16_t send = event("send", 1);
    unsigned next = 0;
    for (uint64_t now = 1000000; b.delivered < MESSAGES; now += 1000000) { /* one millisecond a round */
        while (next < MESSAGES && STACK->accepts(a.state, a.pool, send, 3000)) {
            static uint8_t message[3000];
            message[0] = (uint8_t)next++;
            STACK->call(a.state, a.pool, a.counters, now, send, NULL, NULL, message, sizeof message, &a.out);
            pass_on(&a, &b);
        }
        for (int i = 0; i < 2; i++) {
            while (STACK->deadline(ends[i]->state) <= now) {
                STACK->tick(ends[i]->state, ends[i]->pool, ends[i]->counters, now, &ends[i]->out);
                pass_on(ends[i], ends[1 - i]);
            }
        }
        while (waiting > 0) {
            struct frame *f = &frames[first];
            STACK->input(f->to->state, f->to->pool, f->to->counters, now, &f->from->address, f->bytes, f->len, &f->to->out);
            first = (first + 1) % FRAMES;
            waiting--;
            pass_on(f->to, f->from);
        }
        if (now > 600000000000) {
            fprintf(stderr, "only %u messages arrived\n", b.delivered);
            return 1;
        }
    }
    end(&a);
    end(&b);
    printf("%u messages of 3000 bytes arrived; %u frames were sent, every third was lost\n", b.delivered, sent);
    return 0;
}
