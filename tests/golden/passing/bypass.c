/* `nothing`, as Nacre's C back end writes it at level bypass. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
/* `nothing`, as Nacre's C back end writes it at level bypass. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#define passing_LEVEL "bypass"
passing_INLINE uint32_t passing_quick_choice_0(struct passing_step *step, struct passing_msg m) {
    (void)step;
    (void)m;
    if (passing_LIKELY(true)) {
        return 1u;
    }
    return 0;
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

/* bypass 00: deliver, along the likely way */
passing_INLINE void passing_bypass_0(struct passing_step *step, struct passing_msg m) {
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    struct passing_msg m_2 = m;
#line 4 "tests/golden/passing/source.nacre"
    passing_quick_out_above_up_deliver(step, m_2);
}

/* bypass 01: send, along the likely way */
passing_INLINE bool passing_bypass_1(struct passing_step *step, struct passing_msg m) {
    (void)step;
    if (passing_UNLIKELY(!(true))) { return false; }
#line 4 "tests/golden/passing/source.nacre"
    struct passing_msg m_2 = m;
#line 4 "tests/golden/passing/source.nacre"
    passing_quick_out_below_down_send(step, m_2);
#line 4 "tests/golden/passing/source.nacre"
    return true;
}

/* nothing takes send */
passing_PLAIN void passing_slow_nothing_down_send(struct passing_step *step, struct passing_msg m) {
    passing_slow_on_nothing_down_send(step, m);
}

/* nothing.down.send */
passing_PLAIN void passing_slow_on_nothing_down_send(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_out_below_down_send(step, m);
}

passing_INLINE int passing_left_delivery(struct nacre_out *out, struct nacre_delivery left) {
    struct nacre_output *output = out->outputs;
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    if (left.event != NACRE_NONE) {
        output->port = 1;
        output->event = left.event;
        output->session = 0;
        output->len = output->segments_len = 0;
        output->segments = NULL;
        output->arguments[0] = left.argument;
        output++;
        out->outputs_len++;
    }
    if (passing_LIKELY(left.len > 0)) {
        output->port = 1;
        output->event = 3;
        output->session = 0;
        output->len = left.len;
        output->segments = out->segments;
        output->segments_len = out->segments_len = 1;
        out->segments[0].at = left.at;
        out->segments[0].len = left.len;
        out->outputs_len++;
    }
    return NACRE_OK;
}


passing_APART int passing_rest_above_send(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (passing_UNLIKELY(data == NULL)) {
        if (len != 0) { return passing_nothing(out, NACRE_INVALID); }
        data = (const uint8_t *)"";
    }
    struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len};
    struct passing_step *const step = &this_step;
    struct passing_msg m = {.bytes = {.block = passing_IN, .offset = 0, .len = len}, .data = true};
    passing_slow_nothing_down_send(step, m);
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
    if (passing_LIKELY(passing_bypass_1(step, (struct passing_msg){.bytes = m.bytes, .data = m.data}))) {
        passing_finish(step);
        return NACRE_OK;
    }
    return passing_rest_above_send(s, pool, counters, now, data, len, out);
}
passing_APART int passing_any_frame(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
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
    passing_slow_nothing_up_deliver(step, whole);
    passing_finish(step);
    return passing_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

passing_INLINE struct nacre_delivery passing_input_quick_in_place(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len) {
    const struct nacre_delivery nothing = {.at = NULL};
    if (passing_LIKELY(len >= 1u)) {
        struct nacre_output outputs[2];
        struct nacre_segment segments[2];
        struct nacre_out left = {.outputs_max = 2, .segments_max = 2, .bytes_max = 0, .outputs = outputs, .segments = segments, .bytes = NULL};
        struct nacre_out *const out = &left;
        outputs[0].arguments[0] = 0; /* of an event without a number */
        struct passing_msg whole = {.data = false};
        if (passing_UNLIKELY(!passing_shape_0_0(frame, len, &whole))) { return nothing; }
        if (passing_UNLIKELY(len - 0u > passing_BLOCK)) { return nothing; }
        struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + 0u, .in_len = len - 0u};
        struct passing_step *const step = &this_step;
        whole.bytes = (struct passing_bytes){.block = passing_IN, .offset = 0, .len = len - 0u};
        (void)from;
        switch (passing_quick_choice_0(step, (struct passing_msg){.bytes = whole.bytes, .data = whole.data})) {
            case 1u: passing_bypass_0(step, (struct passing_msg){.bytes = whole.bytes, .data = whole.data}); return (struct nacre_delivery){frame + 0u, len - 0u, NACRE_NONE, 0};
            default: break;
        }
        return nothing;
    }
    return nothing;
}

struct nacre_delivery passing_input_quick(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len) {
    const struct nacre_delivery nothing = {.at = NULL};
    if (passing_LIKELY(len >= 1u)) {
        struct nacre_output outputs[2];
        struct nacre_segment segments[2];
        struct nacre_out left = {.outputs_max = 2, .segments_max = 2, .bytes_max = 0, .outputs = outputs, .segments = segments, .bytes = NULL};
        struct nacre_out *const out = &left;
        outputs[0].arguments[0] = 0; /* of an event without a number */
        struct passing_msg whole = {.data = false};
        if (passing_UNLIKELY(!passing_shape_0_0(frame, len, &whole))) { return nothing; }
        if (passing_UNLIKELY(len - 0u > passing_BLOCK)) { return nothing; }
        struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + 0u, .in_len = len - 0u};
        struct passing_step *const step = &this_step;
        whole.bytes = (struct passing_bytes){.block = passing_IN, .offset = 0, .len = len - 0u};
        (void)from;
        switch (passing_quick_choice_0(step, (struct passing_msg){.bytes = whole.bytes, .data = whole.data})) {
            case 1u: passing_bypass_0(step, (struct passing_msg){.bytes = whole.bytes, .data = whole.data}); return (struct nacre_delivery){frame + 0u, len - 0u, NACRE_NONE, 0};
            default: break;
        }
        return nothing;
    }
    return nothing;
}

passing_APART int passing_slower_input(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    return passing_any_frame(s, pool, counters, now, from, frame, len, out);
}

int passing_input(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (passing_UNLIKELY(!passing_room(out))) { return passing_nothing(out, NACRE_INVALID); }
    const struct nacre_delivery quick = passing_input_quick_in_place(s, pool, counters, now, from, frame, len);
    if (passing_LIKELY(quick.at != NULL)) { return passing_left_delivery(out, quick); }
    return passing_slower_input(s, pool, counters, now, from, frame, len, out);
}

static struct nacre_delivery passing_any_input_quick(void *s, void *pool, uint64_t *counters, uint64_t now,
        const struct nacre_addr *from, const uint8_t *frame, uint32_t len) { return passing_input_quick(s, pool, counters, now, from, frame, len); }
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
    .input_quick = passing_any_input_quick,
    .quick_to = UINT32_MAX,
};
