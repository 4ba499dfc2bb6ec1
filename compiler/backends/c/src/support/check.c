//@ busy: whether an event waits that comes later.
static bool @_busy(const struct @_state *s) {
    (void)s;
    return @busy;
}
//@ next_armed
/* Whether one stands before another: by layer from the bottom, declaration, indices. */
@_PLAIN bool @_before(const struct @_due *a, const struct @_due *b, const uint32_t *rank) {
    if (b->deadline == NACRE_NEVER) { return true; }
    if (rank[a->timer] != rank[b->timer]) { return rank[a->timer] < rank[b->timer]; }
    for (size_t i = 0; i < sizeof a->index / sizeof a->index[0]; i++) {
        if (a->index[i] != b->index[i]) { return a->index[i] < b->index[i]; }
    }
    return false;
}

/* The first of those behind `after` (NULL: of all); none: deadline NACRE_NEVER. */
static void @_next_armed(const struct @_state *s, const struct @_due *after, struct @_due *found) {
    static const uint32_t rank[] = {@ranks};
    (void)s;
    (void)after;
    (void)rank;
    *found = (struct @_due){.deadline = NACRE_NEVER};
    @timers
}
//@ armed: how many timers are armed.
static uint32_t @_armed(const struct @_state *s) {
    uint32_t n = 0;
    (void)s;
    @timers
    return n;
}
//@ interface: what checkers know the stack by.
static uint32_t @_any_shown(const void *s, const void *pool, uint8_t *to, uint32_t max) {
    return @_shown(s, pool, to, max);
}
static bool @_any_busy(const void *s) { return @_busy(s); }
static uint32_t @_any_armed(const void *s) { return @_armed(s); }
static int @_any_open_at(void *s, void *pool, uint64_t *counters, const void *config, uint64_t first, uint64_t seed,
        uint64_t now, struct nacre_out *out) {
    return @_open_at(s, pool, counters, config, first, seed, now, out);
}
static int @_any_fire(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t place, struct nacre_out *out) {
    return @_fire(s, pool, counters, now, place, out);
}

extern const struct nacre_check @_check;
const struct nacre_check @_check = {
    .stack = &@_stack,
    .broken = @broken,
    .bound = @bound,
    .open_at = @_any_open_at,
    .shown = @_any_shown,
    .busy = @_any_busy,
    .armed = @_any_armed,
    .fire = @_any_fire,
};
