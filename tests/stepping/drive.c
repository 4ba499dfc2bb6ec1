/* One end of a stack, to step through in a debugger: opens it and sends two messages. */
#include STACK_HEADER

#include <stdlib.h>

#define BLOCKS 64u

static void *make(size_t size) { return calloc(size + 1, 1); }

/* The debugger stops here and steps on. */
__attribute__((noinline)) static void sending(int number) { (void)number; }

int main(void) {
    const struct nacre_stack *stack = &STACK_SYMBOL;
    void *state = make(stack->state_size), *config = make(stack->config_size);
    void *pool = make(stack->pool_base + (size_t)BLOCKS * stack->pool_per_block);
    uint64_t *counters = make(8 * (size_t)stack->counters_len);
    struct nacre_out out = {
        .abi = NACRE_ABI,
        .size = sizeof out,
        .outputs = make(stack->outputs_max * sizeof(struct nacre_output)),
        .outputs_max = stack->outputs_max,
        .segments = make(stack->segments_max * sizeof(struct nacre_segment)),
        .segments_max = stack->segments_max,
        .bytes = make(stack->bytes_max),
        .bytes_max = stack->bytes_max,
    };
    stack->config_default(config);
    stack->pool_init(pool, BLOCKS);
    if (stack->open(state, pool, counters, config, 1, 1, &out) != NACRE_OK) { return 1; }
    for (int number = 0; number < 2; number++) {
        sending(number);
        if (STACK_SEND(state, pool, counters, 1, (const uint8_t *)"abc", 3, &out) != NACRE_OK) { return 1; }
    }
    return 0;
}
