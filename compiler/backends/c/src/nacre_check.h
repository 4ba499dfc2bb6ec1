/* What a checker asks of a stack beside its interface. Time stands still there: any armed timer may fire at any time, and what
 * is drawn at random decides nothing but deadlines. Such a checker compares states by `shown`, which leaves out what then
 * decides nothing: when a timer is due, durations and instants, the generators. */
#ifndef NACRE_CHECK
#define NACRE_CHECK

struct nacre_check {
    const struct nacre_stack *stack;
    uint32_t broken, bound; /* counters that tell of a fault: a claim did not hold; a loop met its bound */
    /* As nacre_stack.open; `first` is added to every sequence number of the initial state. */
    int (*open_at)(void *state, void *pool, uint64_t *counters, const void *config, uint64_t first, uint64_t seed, uint64_t now,
                   struct nacre_out *out);
    /* As nacre_stack.canonical. States with equal bytes behave alike, but for space in the pool. */
    uint32_t (*shown)(const void *state, const void *pool, uint8_t *to, uint32_t max);
    /* Whether a `later` event waits: then only tick is taken. */
    bool (*busy)(const void *state);
    /* How many timers are armed. */
    uint32_t (*armed)(const void *state);
    /* Fires the armed timer at this place, whatever its deadline: by layer from the bottom, declaration, indices.
     * NACRE_IDLE: there is none. */
    int (*fire)(void *state, void *pool, uint64_t *counters, uint64_t now, uint32_t place, struct nacre_out *out);
};

#endif
