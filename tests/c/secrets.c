/* Opens an end whose keys consist of one byte each, and counts these bytes in its state before and after it is discarded. */
#include STACK_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEALING = 0xa7, OPENING = 0x5c, KEY = 32 };

/* The longest run of a byte. */
static uint32_t longest(const uint8_t *at, uint32_t len, uint8_t byte) {
    uint32_t most = 0, run = 0;
    for (uint32_t i = 0; i < len; i++) {
        run = at[i] == byte ? run + 1 : 0;
        most = run > most ? run : most;
    }
    return most;
}

int main(void) {
    const struct nacre_stack *stack = &STACK_SYMBOL;
    uint32_t blocks = stack->blocks_for_one;
    uint8_t *state = calloc(1, stack->state_size), *config = calloc(1, stack->config_size + 1);
    void *pool = calloc(1, stack->pool_base + (size_t)blocks * stack->pool_per_block);
    uint64_t *counters = calloc(stack->counters_len, sizeof *counters);
    struct nacre_out out = {.abi = NACRE_ABI, .size = sizeof out, .outputs_max = stack->outputs_max, .segments_max = stack->segments_max, .bytes_max = stack->bytes_max};
    out.outputs = calloc(stack->outputs_max, sizeof *out.outputs);
    out.segments = calloc(stack->segments_max, sizeof *out.segments);
    out.bytes = calloc(1, stack->bytes_max);
    stack->config_default(config);
    for (uint32_t i = 0; i < stack->givens_len; i++) {
        const struct nacre_given *given = &stack->givens[i];
        if (given->role == NACRE_GIVEN_SEALING_KEY) { memset(config + given->offset, SEALING, given->size); }
        if (given->role == NACRE_GIVEN_OPENING_KEY) { memset(config + given->offset, OPENING, given->size); }
        if (given->role == NACRE_GIVEN_COOKIE) { config[given->offset] = 1; }
    }
    stack->pool_init(pool, blocks);
    if (stack->open(state, pool, counters, config, 1, 1, &out) != NACRE_OK) { return 1; }
    printf("open %d %d\n", longest(state, stack->state_size, SEALING) >= KEY, longest(state, stack->state_size, OPENING) >= KEY);
    stack->discard(state, pool);
    printf("discarded %u %u\n", longest(state, stack->state_size, SEALING), longest(state, stack->state_size, OPENING));
    return 0;
}
