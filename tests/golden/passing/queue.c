/* `nothing`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#define PASSING_BLOCK_BYTES 64u
#define PASSING_BLOCKS_FOR_ONE 0u
#define PASSING_OUTPUTS_MAX 1u
#define PASSING_SEGMENTS_MAX 2u
#define PASSING_BYTES_MAX 0u
#define PASSING_FRAME_HEAD_MAX 0u
#define PASSING_FRAME_DATA_MAX 65507u
#define PASSING_QUEUE_MAX 1u
#define PASSING_COUNTERS 6u


/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct passing_bytes { uint32_t block, offset, len; };
struct passing_msg { /* a message without headers */
    struct passing_bytes bytes;
    bool data;
};

struct passing_state {
    uint8_t nacre_nothing;
};

struct passing_block {
    uint16_t references;
    uint16_t next; /* block with the bytes that follow; 0: none */
    uint16_t after; /* of a free block: the one that is taken next */
    uint8_t bytes[64];
};
struct passing_pool {
    uint32_t all, fresh; /* number of blocks; how many of the last ones have never been used */
    uint32_t free, first, last; /* how many of the others are free; first and last of these, from 1 */
    struct passing_block block[];
};

struct passing_config {
    uint8_t nothing;
};

/* `nothing`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#define passing_LEVEL "queue"
enum { passing_MALFORMED, passing_IMPOSSIBLE, passing_NO_SPACE, passing_REFUSED, passing_BOUND, passing_BROKEN };
#define passing_BLOCK 64u
#define passing_NODES 1u
#define passing_OUTPUTS 1u
#define passing_SEGMENTS 2u
#define passing_BYTES 0u
#define passing_QUEUE 1u
#define passing_WAITING 16u
#define passing_TEMPORARY 0u

/* : 0 bytes, then 0 to 65507 of data */
passing_INLINE bool passing_shape_0_0(const uint8_t *at, uint32_t len, struct passing_msg *m) {
    if (!(len - 0u <= 65507u)) { return false; }
    m->data = true;
    (void)at;
    return true;
}

passing_PLAIN uint32_t passing_parse_0(const uint8_t *at, uint32_t len, struct passing_msg *m) {
    return passing_shape_0_0(at, len, m) ? 0u : UINT32_MAX;
}

passing_PLAIN void passing_out_above_up_deliver(struct passing_step *step, struct passing_msg m) {
    struct nacre_output *output = passing_output(step, 1, 3);
    if (passing_UNLIKELY(output == NULL)) {
        passing_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    passing_segments(step, output, m.bytes);
}

passing_PLAIN uint32_t passing_head_0_send(struct passing_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

passing_PLAIN void passing_out_below_down_send(struct passing_step *step, struct passing_msg m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = passing_can_make(step, 0u) ? passing_head_0_send(m, head) : UINT32_MAX;
    if (passing_UNLIKELY(size == UINT32_MAX)) {
        passing_drop(step->pool, m.bytes);
        step->counters[passing_BROKEN]++;
        return;
    }
    struct nacre_output *output = passing_output(step, 0, 1);
    if (passing_UNLIKELY(output == NULL)) {
        passing_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (passing_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[passing_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    passing_segments(step, output, m.bytes);
}

/* nothing takes deliver */
passing_PLAIN void passing_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
    passing_on_nothing_up_deliver(step, m);
}

/* nothing takes send */
passing_PLAIN void passing_nothing_down_send(struct passing_step *step, struct passing_msg m) {
    passing_on_nothing_down_send(step, m);
}

/* nothing.down.send */
passing_PLAIN void passing_on_nothing_down_send(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_out_below_down_send(step, m);
}

/* nothing.up.deliver */
passing_PLAIN void passing_on_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_out_above_up_deliver(step, m);
}

void passing_config_default(struct passing_config *config) {
    memset(config, 0, sizeof *config);
}

int passing_open(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, const struct passing_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!passing_room(out)) { return passing_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0};
    struct passing_step *const step = &this_step;
    (void)seed;
    (void)config;
    passing_finish(step);
    return NACRE_OK;
}

passing_INLINE bool passing_admits_above_send(struct passing_step *step, struct passing_msg m) {
    (void)step;
    (void)m;
    if (passing_UNLIKELY(!(m.bytes.len <= 65507u))) { return false; }
    return true;
}

int passing_above_send(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (passing_UNLIKELY(!passing_room(out))) { return passing_nothing(out, NACRE_INVALID); }
    if (passing_UNLIKELY(data == NULL)) {
        if (len != 0) { return passing_nothing(out, NACRE_INVALID); }
        data = (const uint8_t *)"";
    }
    struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len};
    struct passing_step *const step = &this_step;
    struct passing_msg m = {.bytes = {.block = passing_IN, .offset = 0, .len = len}, .data = true};
    if (passing_UNLIKELY(!passing_admits_above_send(step, m))) {
        counters[passing_REFUSED]++;
        return passing_nothing(out, NACRE_REFUSED);
    }
    passing_nothing_down_send(step, m);
    passing_finish(step);
    return NACRE_OK;
}
int passing_input(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (passing_UNLIKELY(!passing_room(out))) { return passing_nothing(out, NACRE_INVALID); }
    struct passing_msg whole = {.data = false};
    uint32_t size = passing_parse_0(frame, len, &whole);
    if (passing_UNLIKELY(size == UINT32_MAX)) {
        counters[passing_MALFORMED]++;
        return passing_nothing(out, NACRE_DROPPED);
    }
    struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size};
    struct passing_step *const step = &this_step;
    whole.bytes = (struct passing_bytes){.block = passing_IN, .offset = 0, .len = len - size};
    (void)from;
    passing_nothing_up_deliver(step, whole);
    passing_finish(step);
    return passing_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

struct passing_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
passing_PLAIN void passing_soonest(const struct passing_state *s, struct passing_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
}

int passing_tick(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct passing_due due = {.timer = 0};
    if (!passing_room(out)) { return passing_nothing(out, NACRE_INVALID); }
    passing_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return passing_nothing(out, NACRE_IDLE); }
    struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0};
    struct passing_step *const step = &this_step;
    switch (due.timer) {
        default: break;
    }
    passing_finish(step);
    return NACRE_OK;
}

uint64_t passing_deadline(const struct passing_state *s) {
    struct passing_due due = {.timer = 0};
    passing_soonest(s, &due);
    return due.deadline;
}

int passing_call(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* above_send */
            return passing_above_send(s, pool, counters, now, data, len, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return passing_nothing(out, NACRE_INVALID);

    }
}

bool passing_accepts(const struct passing_state *s, const struct passing_pool *pool, uint32_t event, uint32_t len) {
    struct passing_step this_step = {.s = (struct passing_state *)(uintptr_t)s, .pool = (struct passing_pool *)(uintptr_t)pool, .in_len = len};
    struct passing_step *const step = &this_step;
    switch (event) {
        case 2: return passing_admits_above_send(step, (struct passing_msg){.bytes = {.len = len}, .data = true}) && passing_needed(0u, 0u, len) <= (uint64_t)pool->free + pool->fresh;
        default: return false;
    }
}

void passing_discard(struct passing_state *s, struct passing_pool *pool) {
    (void)pool;
    memset(s, 0, sizeof *s);
}

uint32_t passing_canonical(const struct passing_state *s, const struct passing_pool *pool, uint8_t *to, uint32_t max) {
    struct passing_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct passing_pool *)(uintptr_t)pool;
    struct passing_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    (void)s;
    passing_tell(t, 0, 4);
    return teller.len;
}

static const char *const passing_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
};
static const struct nacre_event passing_events[] = {
    {.name = "deliver", .port = 0, .input = 0, .has_message = 1, .has_address = 0, .arguments = 0, .role = NACRE_EVENT_DELIVERY, .idle = 0, .message_max = 0u},
    {.name = "send", .port = 0, .input = 0, .has_message = 1, .has_address = 0, .arguments = 0, .role = NACRE_EVENT_SENDING, .idle = 0, .message_max = 0u},
    {.name = "send", .port = 1, .input = 1, .has_message = 1, .has_address = 0, .arguments = 0, .role = NACRE_EVENT_SENDING, .idle = 0, .message_max = 65507u},
    {.name = "deliver", .port = 1, .input = 0, .has_message = 1, .has_address = 0, .arguments = 0, .role = NACRE_EVENT_DELIVERY, .idle = 0, .message_max = 0u},
};
static const struct nacre_given passing_givens[] = {
    {.name = NULL},
};

const struct nacre_stack passing_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "passing",
    .description = "nothing",
    .level = passing_LEVEL,
    .fingerprint = UINT64_C(0x2ec7435e29dcd72f),
    .has_preamble = 0,
    .state_size = sizeof(struct passing_state),
    .state_align = _Alignof(struct passing_state),
    .config_size = sizeof(struct passing_config),
    .pool_align = _Alignof(struct passing_pool),
    .pool_base = sizeof(struct passing_pool),
    .pool_per_block = sizeof(struct passing_block),
    .blocks_for_one = 0,
    .block_bytes = 64,
    .outputs_max = 1,
    .segments_max = 2,
    .bytes_max = 0,
    .frame_head_max = 0,
    .frame_data_max = 65507,
    .counters_len = 6,
    .counters = passing_counter_names,
    .events_len = 4,
    .givens_len = 0,
    .events = passing_events,
    .givens = passing_givens,
    .config_default = passing_any_config_default,
    .pool_init = passing_any_pool_init,
    .pool_free = passing_any_pool_free,
    .open = passing_any_open,
    .call = passing_any_call,
    .input = passing_any_input,
    .tick = passing_any_tick,
    .deadline = passing_any_deadline,
    .accepts = passing_any_accepts,
    .settle = passing_any_settle,
    .discard = passing_any_discard,
    .canonical = passing_any_canonical,
    .enter = NULL,
    .view = NULL,
    .quick_to = UINT32_MAX,
};
