/* Behind the text of the stack, its givens and the steps of a run: runs them, and prints what leaves each end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct nacre_check *const check = &checked_check;

static struct end {
    uint8_t *state, *pool;
    uint64_t *counters;
    struct nacre_out out;
} ends[MEMBERS];

/* What is drawn at random, as the step says. */
static const struct step *at_work;
static uint32_t drawn;

/* The time, if the world has a clock. */
static uint64_t now;

uint64_t checked_drawn(uint64_t below) {
    uint32_t at = drawn++;
    uint64_t value = at_work != NULL && at < at_work->draws ? at_work->drawn[at] : 0;
    return value < below ? value : 0;
}

static void *memory(size_t bytes) {
    void *new = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (new == NULL) {
        puts("out of memory");
        exit(1);
    }
    memset(new, 0, (bytes + 64) / 64 * 64);
    return new;
}

static void tell(int number, struct end *end) {
    for (uint32_t i = 0; i < end->out.outputs_len; i++) {
        const struct nacre_output *output = &end->out.outputs[i];
        printf("left %d %u %s ", number, output->port, check->stack->events[output->event].name);
        if (output->segments == NULL) { printf("-"); }
        if (output->segments != NULL && output->len == 0) { printf("empty"); }
        for (uint32_t k = 0; output->segments != NULL && k < output->segments_len; k++) {
            const uint8_t *at = output->segments[k].at;
            for (uint32_t n = 0; n < output->segments[k].len; n++) { printf("%02x", at[n]); }
        }
        puts("");
    }
    check->stack->settle(end->state, end->pool, end->counters, &end->out);
    if (end->counters[check->broken] != 0) { printf("broken %d\n", number); }
    if (end->counters[check->bound] != 0) { printf("bound %d\n", number); }
    end->counters[check->broken] = end->counters[check->bound] = 0;
}

static void open_end(int which) {
    const struct nacre_stack *stack = check->stack;
    struct end *end = &ends[which];
    uint8_t *config = memory(stack->config_size);
    stack->config_default(config);
    for (size_t i = 0; i < sizeof givens / sizeof givens[0]; i++) {
        for (uint32_t k = 0; k < stack->givens_len && givens[i].end == which; k++) {
            const struct nacre_given *given = &stack->givens[k];
            if (strcmp(given->name, givens[i].name) == 0) {
                memcpy(config + given->offset, givens[i].bytes, given->size < givens[i].len ? given->size : givens[i].len);
            }
        }
    }
    end->state = memory(stack->state_size);
    end->pool = memory(stack->pool_base + stack->blocks_for_one * stack->pool_per_block);
    end->counters = memory(stack->counters_len * sizeof *end->counters);
    end->out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof end->out};
    end->out.outputs_max = stack->outputs_max;
    end->out.segments_max = stack->segments_max;
    end->out.bytes_max = stack->bytes_max;
    end->out.outputs = memory(stack->outputs_max * sizeof *end->out.outputs);
    end->out.segments = memory(stack->segments_max * sizeof *end->out.segments);
    end->out.bytes = memory(stack->bytes_max);
    stack->pool_init(end->pool, stack->blocks_for_one);
    if (check->open_at(end->state, end->pool, end->counters, config, first, 0, 0, &end->out) != NACRE_OK) {
        puts("the stack could not be opened");
        exit(1);
    }
    free(config);
}

/* A step of the run; set a breakpoint here to stop at each. */
static void step(int number, const struct step *s) {
    const struct nacre_stack *stack = check->stack;
    struct end *end = &ends[s->end];
    at_work = s;
    drawn = 0;
    switch (s->kind) {
    case 'c': stack->call(end->state, end->pool, end->counters, now, s->event, s->arguments, &addresses[s->peer], s->at, s->len, &end->out); break;
    case 'f': stack->input(end->state, end->pool, end->counters, now, &addresses[s->peer], s->at, s->len, &end->out); break;
    case 't': check->fire(end->state, end->pool, end->counters, now, s->event, &end->out); break;
    case 'l': stack->tick(end->state, end->pool, end->counters, now, &end->out); break;
    case 'w': now = s->arguments[0]; return;
    default: return;
    }
    tell(number, end);
}

int main(void) {
    for (int which = 0; which < MEMBERS; which++) { open_end(which); }
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) { step((int)i + 1, &steps[i]); }
    return 0;
}
