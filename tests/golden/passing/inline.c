/* `nothing`, as Nacre's C back end writes it at level inline. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
/* `nothing`, as Nacre's C back end writes it at level inline. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#define passing_LEVEL "inline"
passing_INLINE void passing_quick_out_above_up_deliver(struct passing_step *step, struct passing_msg m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->port = 1;
    output->event = 3;
    output->session = 0;
    passing_quick_segments(step, output, NULL, 0, m.bytes);
    step->outputs++;
}

passing_INLINE uint32_t passing_head_0_send(struct passing_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

passing_INLINE void passing_quick_out_below_down_send(struct passing_step *step, struct passing_msg m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->port = 0;
    output->event = 1;
    output->session = 0;
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = passing_head_0_send(m, head);
    if (passing_UNLIKELY(size == UINT32_MAX)) {
        passing_drop(step->pool, m.bytes);
        step->counters[passing_BROKEN]++;
        return;
    }
    step->bytes += size;
    passing_quick_segments(step, output, head, size, m.bytes);
    step->outputs++;
}

/* nothing takes deliver */
passing_PLAIN void passing_slow_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
    passing_slow_on_nothing_up_deliver(step, m);
}

/* nothing takes deliver, along the likely way */
passing_INLINE void passing_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
    passing_on_nothing_up_deliver(step, m);
}

/* nothing takes send, along the likely way */
passing_INLINE void passing_nothing_down_send(struct passing_step *step, struct passing_msg m) {
    passing_on_nothing_down_send(step, m);
}

/* nothing.down.send, along the likely way */
passing_INLINE void passing_on_nothing_down_send(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_quick_out_below_down_send(step, m);
}

/* nothing.up.deliver */
passing_PLAIN void passing_slow_on_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_out_above_up_deliver(step, m);
}

/* nothing.up.deliver, along the likely way */
passing_INLINE void passing_on_nothing_up_deliver(struct passing_step *step, struct passing_msg m) {
#line 4 "tests/golden/passing/source.nacre"
    (void)step;
#line 4 "tests/golden/passing/source.nacre"
    passing_quick_out_above_up_deliver(step, m);
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

int passing_input(struct passing_state *s, struct passing_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (passing_UNLIKELY(!passing_room(out))) { return passing_nothing(out, NACRE_INVALID); }
    /* The common shapes of frames, each with code of its own. */
    struct passing_msg whole = {.data = false};
    if (passing_LIKELY(len >= 1u && passing_shape_0_0(frame, len, &whole))) {
        struct passing_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + 0u, .in_len = len - 0u};
        struct passing_step *const step = &this_step;
        whole.bytes = (struct passing_bytes){.block = passing_IN, .offset = 0, .len = len - 0u};
        (void)from;
        passing_nothing_up_deliver(step, whole);
        passing_finish(step);
        return passing_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
    }
    return passing_any_frame(s, pool, counters, now, from, frame, len, out);
}

