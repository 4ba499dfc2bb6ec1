/* Flows that share a bottleneck: a link with a rate and a queue that drops what exceeds it, between two ends for each
 * flow. Each flow is given messages at the rate of the link; its controller drops what exceeds the window. The time is
 * simulated: a run of a minute takes a second, and the same arguments give the same output.
 *
 *   bottleneck [-s] MBIT/S RTT_MS QUEUE_MS LOSS_PERCENT SECONDS FLOW[@SECOND[-SECOND]] ...   FLOW: reno, cubic, vegas,
 *                                                                                  whole
 *
 * QUEUE_MS: how long the last frame in a full queue waits. A flow begins at second 0, unless @ says another. The
 * program prints what each flow carried in the last two thirds of the time, or with -s a line for each tenth of a second: the
 * time, the milliseconds that a frame waits in the queue, and the Mbit/s of each flow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cubic_flow.h"
#include "reno_flow.h"
#include "vegas_flow.h"
#include "whole_flow.h"

#define FLOWS 8
#define MESSAGE 1400
#define MS 1000000ull
#define SECOND 1000000000ull

struct end {
    const struct nacre_stack *stack;
    void *state, *pool;
    uint64_t *counters;
    struct nacre_out out;
    struct nacre_addr address;
    uint16_t send, deliver;
};

struct flow {
    const char *kind;
    struct end a, b;
    uint64_t begins, ends, next_message;
    uint64_t carried, slice; /* bytes: in the measured time, since the last line of -s */
};

/* A frame that arrives at `time`. */
struct frame {
    uint64_t time, number;
    struct end *to;
    const struct nacre_addr *from;
    uint32_t len;
    uint8_t *bytes;
};

static struct flow flows[FLOWS];
static unsigned flows_len;
static struct frame *heap;
static size_t heap_len, heap_max;
static uint64_t now, frames_sent, rate, delay, queue, link_free, measured_from, total_time, seed = 1;
static double loss;
static uint64_t waits, waits_sum, dropped, lost;
static uint64_t waits_by_ms[10000];

static void *take(size_t size) {
    void *at = aligned_alloc(64, (size + 63) / 64 * 64);
    if (at == NULL) {
        exit(2);
    }
    return memset(at, 0, size);
}

static double chance(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 33) / 2147483648.0;
}

static bool sooner(const struct frame *x, const struct frame *y) {
    return x->time != y->time ? x->time < y->time : x->number < y->number;
}

static void put(struct frame f) {
    if (heap_len == heap_max) {
        heap_max = heap_max * 2 + 1024;
        heap = realloc(heap, heap_max * sizeof *heap);
        if (heap == NULL) {
            exit(2);
        }
    }
    size_t i = heap_len++;
    for (; i > 0 && sooner(&f, &heap[(i - 1) / 2]); i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
    }
    heap[i] = f;
}

static struct frame pop(void) {
    struct frame first = heap[0], last = heap[--heap_len];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= heap_len) {
            break;
        }
        if (child + 1 < heap_len && sooner(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!sooner(&heap[child], &last)) {
            break;
        }
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

/* Sends a frame of a towards b through the bottleneck, or one of b back, where there is room for all. */
static void transmit(struct end *from, struct end *to, bool forward, const struct nacre_output *o) {
    uint32_t len = 0;
    for (uint32_t s = 0; s < o->segments_len; s++) {
        len += o->segments[s].len;
    }
    uint64_t leaves = now;
    if (forward) {
        uint64_t wait = link_free > now ? link_free - now : 0;
        uint64_t takes = (uint64_t)len * 8 * SECOND / rate;
        if (wait + takes > queue) {
            dropped++;
            return;
        }
        if (now >= measured_from) {
            waits++;
            waits_sum += wait;
            waits_by_ms[wait / MS < 10000 ? wait / MS : 9999]++;
        }
        leaves = link_free = now + wait + takes;
        if (chance() < loss) {
            lost++;
            return;
        }
    }
    struct frame f = {leaves + delay, frames_sent++, to, &from->address, len, malloc(len)};
    if (f.bytes == NULL) {
        exit(2);
    }
    uint32_t at = 0;
    for (uint32_t s = 0; s < o->segments_len; s++) {
        memcpy(f.bytes + at, o->segments[s].at, o->segments[s].len);
        at += o->segments[s].len;
    }
    put(f);
}

static void pass_on(struct flow *flow, struct end *self) {
    bool forward = self == &flow->a;
    for (uint32_t i = 0; i < self->out.outputs_len; i++) {
        const struct nacre_output *o = &self->out.outputs[i];
        if (o->port == 0) {
            transmit(self, forward ? &flow->b : &flow->a, forward, o);
        } else if (o->port == 1 && o->event == self->deliver && !forward) {
            flow->slice += MESSAGE;
            flow->carried += now >= measured_from ? MESSAGE : 0;
        }
    }
}

static uint16_t event(const struct nacre_stack *stack, const char *name, bool input) {
    for (uint32_t i = 0; i < stack->events_len; i++) {
        const struct nacre_event *e = &stack->events[i];
        if (e->port == 1 && e->input == input && strcmp(e->name, name) == 0) {
            return (uint16_t)i;
        }
    }
    exit(2);
}

static void set(const struct nacre_stack *stack, uint8_t *config, const char *name, const void *value, size_t size) {
    for (uint32_t i = 0; i < stack->givens_len; i++) {
        if (strcmp(stack->givens[i].name, name) == 0) {
            memcpy(config + stack->givens[i].offset, value, size);
        }
    }
}

static void begin(struct flow *flow, struct end *self, const struct end *peer) {
    const struct nacre_stack *s = self->stack;
    self->state = take(s->state_size);
    self->pool = take(s->pool_base + (size_t)s->blocks_for_one * s->pool_per_block);
    self->counters = take(s->counters_len * sizeof *self->counters);
    self->out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof self->out};
    self->out.outputs = take(s->outputs_max * sizeof *self->out.outputs);
    self->out.segments = take(s->segments_max * sizeof *self->out.segments);
    self->out.bytes = take(s->bytes_max);
    self->out.outputs_max = s->outputs_max;
    self->out.segments_max = s->segments_max;
    self->out.bytes_max = s->bytes_max;
    self->send = event(s, "send", true);
    self->deliver = event(s, "deliver", false);
    s->pool_init(self->pool, s->blocks_for_one);
    uint8_t *config = take(s->config_size);
    s->config_default(config);
    uint32_t cookie = self->address.port;
    uint64_t incarnation = 1000 + cookie;
    set(s, config, "floor.peer", &peer->address, sizeof peer->address);
    set(s, config, "floor.cookie", &cookie, sizeof cookie);
    set(s, config, "floor.incarnation", &incarnation, sizeof incarnation);
    if (s->open(self->state, self->pool, self->counters, config, cookie, now + 1, &self->out) != NACRE_OK) {
        exit(2);
    }
    pass_on(flow, self);
    free(config);
}

static uint64_t counter(const struct end *e, const char *name) {
    for (uint32_t i = 0; i < e->stack->counters_len; i++) {
        if (strcmp(e->stack->counters[i], name) == 0) {
            return e->counters[i];
        }
    }
    return 0;
}

static void feed(struct flow *flow) {
    static uint8_t message[MESSAGE];
    struct end *a = &flow->a;
    while (flow->next_message <= now) {
        a->stack->call(a->state, a->pool, a->counters, now, a->send, NULL, NULL, message, MESSAGE, &a->out);
        pass_on(flow, a);
        flow->next_message += (uint64_t)MESSAGE * 8 * SECOND / rate;
        if (flow->next_message >= flow->ends) {
            flow->next_message = UINT64_MAX;
        }
    }
}

static void run_end(struct flow *flow, struct end *e) {
    while (e->state != NULL && e->stack->deadline(e->state) <= now) {
        e->stack->tick(e->state, e->pool, e->counters, now, &e->out);
        pass_on(flow, e);
    }
}

static uint64_t next_time(void) {
    uint64_t next = heap_len > 0 ? heap[0].time : UINT64_MAX;
    for (unsigned i = 0; i < flows_len; i++) {
        struct flow *f = &flows[i];
        uint64_t own = f->begins;
        if (f->a.state != NULL) {
            uint64_t x = f->a.stack->deadline(f->a.state), y = f->b.stack->deadline(f->b.state);
            own = x < y ? x : y;
            own = f->next_message < own ? f->next_message : own;
        }
        next = own < next ? own : next;
    }
    return next > now ? next : now;
}

static void step(void) {
    for (unsigned i = 0; i < flows_len; i++) {
        struct flow *f = &flows[i];
        if (f->a.state == NULL && f->begins <= now) {
            begin(f, &f->a, &f->b);
            begin(f, &f->b, &f->a);
        }
        if (f->a.state != NULL) {
            run_end(f, &f->a);
            run_end(f, &f->b);
            feed(f);
        }
    }
    while (heap_len > 0 && heap[0].time <= now) {
        struct frame f = pop();
        struct flow *flow = &flows[(f.to->address.port - 1) / 2];
        f.to->stack->input(f.to->state, f.to->pool, f.to->counters, now, f.from, f.bytes, f.len, &f.to->out);
        pass_on(flow, f.to);
        free(f.bytes);
    }
}

static void add_flow(char *text) {
    struct flow *f = &flows[flows_len];
    double from = 0, to = 1e6;
    char *at = strchr(text, '@');
    if (at != NULL) {
        *at = 0;
        sscanf(at + 1, "%lf-%lf", &from, &to);
    }
    const struct nacre_stack *stacks[] = {&reno_flow_stack, &cubic_flow_stack, &vegas_flow_stack, &whole_flow_stack};
    for (unsigned i = 0; i < 4; i++) {
        if (strncmp(stacks[i]->name, text, strlen(text)) == 0) {
            f->a.stack = f->b.stack = stacks[i];
        }
    }
    if (f->a.stack == NULL || ++flows_len == FLOWS) {
        fprintf(stderr, "no such flow, or too many: %s\n", text);
        exit(2);
    }
    f->kind = text;
    f->begins = f->next_message = (uint64_t)(from * SECOND);
    f->ends = (uint64_t)(to * SECOND);
    f->a.address = (struct nacre_addr){.port = (uint16_t)(2 * flows_len - 1), .family = 4};
    f->b.address = (struct nacre_addr){.port = (uint16_t)(2 * flows_len), .family = 4};
}

static void print_line(void) {
    printf("%.1f %.2f", (double)now / SECOND, link_free > now ? (double)(link_free - now) / MS : 0.0);
    for (unsigned i = 0; i < flows_len; i++) {
        printf(" %.3f", (double)flows[i].slice * 80 / 1e6);
        flows[i].slice = 0;
    }
    printf("\n");
}

static double queue_percentile(double share) {
    uint64_t seen = 0;
    for (unsigned i = 0; i < 10000; i++) {
        seen += waits_by_ms[i];
        if ((double)seen >= share * (double)waits) {
            return i + 1;
        }
    }
    return 0;
}

static void print_result(void) {
    double sum = 0, squares = 0, seconds = (double)(total_time - measured_from) / SECOND;
    for (unsigned i = 0; i < flows_len; i++) {
        struct flow *f = &flows[i];
        double mbit = (double)f->carried * 8 / 1e6 / seconds;
        sum += mbit;
        squares += mbit * mbit;
        uint64_t losses = counter(&f->a, "flight.losses") + counter(&f->a, "reno.losses");
        uint64_t timeouts = counter(&f->a, "flight.timeouts") + counter(&f->a, "reno.timeouts");
        printf("%-6s %8.2f Mbit/s  losses %5llu  timeouts %3llu", f->kind, mbit, (unsigned long long)losses,
               (unsigned long long)timeouts);
        if (f->a.stack == &whole_flow_stack) {
            printf("  sent again %llu, in vain %llu  timeouts %llu  no room %llu",
                   (unsigned long long)counter(&f->a, "pt2pt.retransmitted"),
                   (unsigned long long)counter(&f->b, "pt2pt.duplicates"),
                   (unsigned long long)counter(&f->a, "pt2pt.timeouts"),
                   (unsigned long long)counter(&f->a, "flight.overflows"));
        }
        printf("\n");
    }
    printf("all    %8.2f Mbit/s  used %.1f %%  fairness %.3f  ", sum, sum * 1e8 / (double)rate,
           sum * sum / (flows_len * squares));
    printf("queue: mean %.1f ms, 95 %% up to %.0f ms  ", (double)waits_sum / (double)(waits > 0 ? waits : 1) / MS,
           queue_percentile(0.95));
    printf("dropped %llu  lost %llu\n", (unsigned long long)dropped, (unsigned long long)lost);
}

int main(int argc, char **argv) {
    bool series = argc > 1 && strcmp(argv[1], "-s") == 0;
    char **arg = argv + 1 + series;
    if (argc - series < 7) {
        fputs("usage: bottleneck [-s] MBIT/S RTT_MS QUEUE_MS LOSS_PERCENT SECONDS FLOW[@SECOND[-SECOND]] ...\n",
              stderr);
        return 2;
    }
    rate = (uint64_t)(atof(arg[0]) * 1e6);
    delay = (uint64_t)(atof(arg[1]) * MS / 2);
    queue = (uint64_t)(atof(arg[2]) * MS);
    loss = atof(arg[3]) / 100;
    total_time = (uint64_t)(atof(arg[4]) * SECOND);
    measured_from = total_time / 3;
    for (char **flow = arg + 5; *flow != NULL; flow++) {
        add_flow(*flow);
    }
    for (uint64_t line = SECOND / 10; now < total_time; step()) {
        uint64_t next = next_time();
        for (; series && line <= next && line <= total_time; line += SECOND / 10) {
            now = line;
            print_line();
        }
        now = next;
    }
    if (!series) {
        print_result();
    }
    return 0;
}
