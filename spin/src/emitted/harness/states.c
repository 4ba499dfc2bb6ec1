/* ---- the end that runs ---- */

static struct {
    uint8_t *state, *pool, *shown;
    uint64_t *counters;
    uint32_t state_size, pool_size, shown_max;
    struct nacre_out out;
} live;

static void prepare(void) {
    const struct nacre_stack *stack = check->stack;
    if (live.state != NULL) { return; }
    live.state_size = stack->state_size;
    live.pool_size = stack->pool_base + stack->blocks_for_one * stack->pool_per_block;
    live.state = aligned_alloc(64, (live.state_size + 64) / 64 * 64);
    live.pool = aligned_alloc(64, (live.pool_size + 64) / 64 * 64);
    live.shown_max = 1024;
    live.shown = memory(NULL, live.shown_max);
    live.counters = memory(NULL, stack->counters_len * sizeof *live.counters);
    live.out = (struct nacre_out){.abi = NACRE_ABI, .size = sizeof live.out};
    live.out.outputs_max = stack->outputs_max;
    live.out.segments_max = stack->segments_max;
    live.out.bytes_max = stack->bytes_max;
    live.out.outputs = memory(NULL, stack->outputs_max * sizeof *live.out.outputs);
    live.out.segments = memory(NULL, stack->segments_max * sizeof *live.out.segments);
    live.out.bytes = memory(NULL, stack->bytes_max);
    if (live.state == NULL || live.pool == NULL) { memory(NULL, SIZE_MAX); }
}

/* ---- local states: what is compared, and one state and pool that look so ---- */

struct local {
    uint8_t *squeezed;
    uint32_t armed;
    uint8_t busy;
};
static struct strings shown;
static struct local *locals;
static int locals_room;

/* Copies with runs of zeros made short: numbers of bytes that follow and of zeros behind them, in turn. NULL: only counts. */
static size_t squeeze(const uint8_t *from, uint32_t len, uint8_t *to) {
    static const uint8_t nothing[64];
    size_t n = 0;
    for (uint32_t at = 0; at < len;) {
        uint32_t bytes = at, zeros;
        while (bytes < len && (from[bytes] != 0 || (bytes + 8 < len && memcmp(from + bytes, "\0\0\0\0\0\0\0\0", 8) != 0))) { bytes++; }
        for (zeros = bytes; zeros + 64 < len && memcmp(from + zeros, nothing, 64) == 0;) { zeros += 64; }
        for (; zeros < len && from[zeros] == 0;) { zeros++; }
        uint32_t count[2] = {bytes - at, zeros - bytes};
        if (to != NULL) {
            memcpy(to + n, count, 8);
            memcpy(to + n + 8, from + at, count[0]);
        }
        n += 8 + count[0];
        at = zeros;
    }
    return n;
}

static const uint8_t *stretch(const uint8_t *from, uint8_t *to, uint32_t len) {
    for (uint32_t at = 0; at < len;) {
        uint32_t count[2];
        memcpy(count, from, 8);
        memcpy(to + at, from + 8, count[0]);
        memset(to + at + count[0], 0, count[1]);
        from += 8 + count[0];
        at += count[0] + count[1];
    }
    return from;
}

static void load(int state) {
    prepare();
    stretch(stretch(locals[state - 1].squeezed, live.state, live.state_size), live.pool, live.pool_size);
}

/* The number of the state that an end is in now. */
static int kept(int end) {
    uint32_t len = 5 + check->shown(live.state, live.pool, live.shown + 5, live.shown_max - 5);
    if (len > live.shown_max) {
        live.shown_max = 2 * len;
        live.shown = memory(live.shown, live.shown_max);
        check->shown(live.state, live.pool, live.shown + 5, live.shown_max - 5);
    }
    /* What is kept decides what is refused for want of space. */
    uint32_t free_blocks = check->stack->pool_free(live.pool);
    live.shown[0] = (uint8_t)end;
    memcpy(live.shown + 1, &free_blocks, 4);
    int new, n = number_of(&shown, live.shown, len, &new);
    if (!new) { return n; }
    if (n > locals_room) {
        locals_room = 2 * n + 64;
        locals = memory(locals, (size_t)locals_room * sizeof *locals);
    }
    size_t one = squeeze(live.state, live.state_size, NULL), two = squeeze(live.pool, live.pool_size, NULL);
    struct local *local = &locals[n - 1];
    local->squeezed = memory(NULL, one + two);
    squeeze(live.state, live.state_size, local->squeezed);
    squeeze(live.pool, live.pool_size, local->squeezed + one);
    local->armed = check->armed(live.state);
    local->busy = check->busy(live.state);
    used += one + two + sizeof *local;
    return n;
}

int nacre_armed(int state) { return (int)locals[state - 1].armed; }
int nacre_busy(int state) { return locals[state - 1].busy; }
