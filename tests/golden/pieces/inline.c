/* wrapped takes deliver */
pieces_PLAIN void pieces_slow_wrapped_up_deliver(struct pieces_step *step, struct pieces_msg_wrapped m) {
    switch (m.wrapped) {
        case 1: /* Whole */
            pieces_slow_on_wrapped_up_deliver_Whole(step, (struct pieces_msg_marked){.bytes = m.bytes, .data = m.data, .marked = m.marked, .marked_at = m.marked_at}, m.wrapped_size);
            break;

        default:
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

    }
}

/* wrapped takes deliver, along the likely way */
pieces_INLINE void pieces_wrapped_up_deliver(struct pieces_step *step, struct pieces_msg_wrapped m) {
    switch (m.wrapped) {
        case 1: /* Whole */
            pieces_on_wrapped_up_deliver_Whole(step, (struct pieces_msg_marked){.bytes = m.bytes, .data = m.data, .marked = m.marked, .marked_at = m.marked_at}, m.wrapped_size);
            break;

        default:
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

    }
}

/* wrapped takes send, along the likely way */
pieces_INLINE void pieces_wrapped_down_send(struct pieces_step *step, struct pieces_msg_wrapped m) {
    switch (m.wrapped) {
        case 1: /* Whole */
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

        default:
            pieces_on_wrapped_down_send(step, (struct pieces_msg_marked){.bytes = m.bytes, .data = m.data, .marked = m.marked, .marked_at = m.marked_at});
            break;

    }
}

/* wrapped.down.send, along the likely way */
pieces_INLINE void pieces_on_wrapped_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
#line 14 "tests/golden/pieces/source.nacre"
    (void)step;
    struct pieces_msg_marked packed = {.bytes = pieces_pack_1_aside(step, m), .data = m.data};
#line 15 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked whole = packed;
    uint16_t size = (uint16_t)(whole.bytes.len);
    struct pieces_msg_wrapped carried = {.bytes = whole.bytes, .data = whole.data, .marked = whole.marked, .marked_at = whole.marked_at};
#line 17 "tests/golden/pieces/source.nacre"
    carried.wrapped = 1;
#line 17 "tests/golden/pieces/source.nacre"
    carried.wrapped_size = size;
#line 17 "tests/golden/pieces/source.nacre"
    pieces_quick_out_below_down_send(step, carried);
}

/* wrapped.up.deliver.Whole */
pieces_PLAIN void pieces_slow_on_wrapped_up_deliver_Whole(struct pieces_step *step, struct pieces_msg_marked m, uint16_t size) {
#line 20 "tests/golden/pieces/source.nacre"
    (void)step;
    if ((uint32_t)size != m.bytes.len) {
        pieces_drop(step->pool, m.bytes);
        return;
    }
    struct pieces_bytes front = pieces_slice(step, m.bytes, 0, 1u);
#line 25 "tests/golden/pieces/source.nacre"
    uint8_t head[1] = {0};
#line 25 "tests/golden/pieces/source.nacre"
    pieces_read(step, front, head);
#line 25 "tests/golden/pieces/source.nacre"
    pieces_drop(step->pool, front);
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked inner = {.data = false};
#line 25 "tests/golden/pieces/source.nacre"
    const uint32_t size_2 = pieces_parse_1(head, m.bytes.len, &inner);
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked unpacked = {.some = false};
#line 25 "tests/golden/pieces/source.nacre"
    if (size_2 != UINT32_MAX) {
#line 25 "tests/golden/pieces/source.nacre"
        inner.bytes = pieces_rest(step, m.bytes, size_2);
#line 25 "tests/golden/pieces/source.nacre"
        unpacked.some = true;
#line 25 "tests/golden/pieces/source.nacre"
        unpacked.value = inner;
#line 25 "tests/golden/pieces/source.nacre"
    } else {
#line 25 "tests/golden/pieces/source.nacre"
        pieces_drop(step->pool, m.bytes);
    }
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked t2 = unpacked;
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked t3 = t2;
#line 25 "tests/golden/pieces/source.nacre"
    if (pieces_UNLIKELY(!t3.some)) {
#line 25 "tests/golden/pieces/source.nacre"
        return;
    }
#line 25 "tests/golden/pieces/source.nacre"
    pieces_slow_marked_up_deliver(step, t3.value);
}

/* wrapped.up.deliver.Whole, along the likely way */
pieces_INLINE void pieces_on_wrapped_up_deliver_Whole(struct pieces_step *step, struct pieces_msg_marked m, uint16_t size) {
#line 20 "tests/golden/pieces/source.nacre"
    (void)step;
    if ((uint32_t)size != m.bytes.len) {
        pieces_drop(step->pool, m.bytes);
        return;
    }
    struct pieces_bytes front = pieces_slice_aside(step, m.bytes, 0, 1u);
#line 25 "tests/golden/pieces/source.nacre"
    uint8_t head[1] = {0};
#line 25 "tests/golden/pieces/source.nacre"
    pieces_read_aside(step, front, head);
#line 25 "tests/golden/pieces/source.nacre"
    pieces_drop(step->pool, front);
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked inner = {.data = false};
#line 25 "tests/golden/pieces/source.nacre"
    const uint32_t size_2 = pieces_parse_1(head, m.bytes.len, &inner);
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked unpacked = {.some = false};
#line 25 "tests/golden/pieces/source.nacre"
    if (size_2 != UINT32_MAX) {
#line 25 "tests/golden/pieces/source.nacre"
        inner.bytes = pieces_rest(step, m.bytes, size_2);
#line 25 "tests/golden/pieces/source.nacre"
        unpacked.some = true;
#line 25 "tests/golden/pieces/source.nacre"
        unpacked.value = inner;
#line 25 "tests/golden/pieces/source.nacre"
    } else {
#line 25 "tests/golden/pieces/source.nacre"
        pieces_drop(step->pool, m.bytes);
    }
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked t2 = unpacked;
#line 25 "tests/golden/pieces/source.nacre"
    struct pieces_maybe_msg_marked t3 = t2;
#line 25 "tests/golden/pieces/source.nacre"
    if (pieces_UNLIKELY(!t3.some)) {
#line 25 "tests/golden/pieces/source.nacre"
        return;
    }
#line 25 "tests/golden/pieces/source.nacre"
    pieces_marked_up_deliver(step, t3.value);
}

/* marked takes deliver */
pieces_PLAIN void pieces_slow_marked_up_deliver(struct pieces_step *step, struct pieces_msg_marked m) {
    switch (m.marked) {
        case 1: /* Mark */
            pieces_slow_on_marked_up_deliver_Mark(step, (struct pieces_msg){.bytes = m.bytes, .data = m.data}, m.marked_at);
            break;

        default:
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

    }
}

/* marked takes deliver, along the likely way */
pieces_INLINE void pieces_marked_up_deliver(struct pieces_step *step, struct pieces_msg_marked m) {
    switch (m.marked) {
        case 1: /* Mark */
            pieces_on_marked_up_deliver_Mark(step, (struct pieces_msg){.bytes = m.bytes, .data = m.data}, m.marked_at);
            break;

        default:
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

    }
}

/* marked takes send, along the likely way */
pieces_INLINE void pieces_marked_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
    switch (m.marked) {
        case 1: /* Mark */
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

        default:
            pieces_on_marked_down_send(step, (struct pieces_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* marked.down.send, along the likely way */
pieces_INLINE void pieces_on_marked_down_send(struct pieces_step *step, struct pieces_msg m) {
#line 7 "tests/golden/pieces/source.nacre"
    (void)step;
#line 7 "tests/golden/pieces/source.nacre"
    struct pieces_msg_wrapped carried = {.bytes = m.bytes, .data = m.data};
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked = 1;
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked_at = 7u;
#line 7 "tests/golden/pieces/source.nacre"
    pieces_wrapped_down_send(step, carried);
}

/* marked.up.deliver.Mark */
pieces_PLAIN void pieces_slow_on_marked_up_deliver_Mark(struct pieces_step *step, struct pieces_msg m, uint8_t at) {
#line 8 "tests/golden/pieces/source.nacre"
    (void)at;
#line 8 "tests/golden/pieces/source.nacre"
    (void)step;
#line 8 "tests/golden/pieces/source.nacre"
    pieces_out_above_up_deliver(step, m);
}

/* marked.up.deliver.Mark, along the likely way */
pieces_INLINE void pieces_on_marked_up_deliver_Mark(struct pieces_step *step, struct pieces_msg m, uint8_t at) {
#line 8 "tests/golden/pieces/source.nacre"
    (void)at;
#line 8 "tests/golden/pieces/source.nacre"
    (void)step;
#line 8 "tests/golden/pieces/source.nacre"
    pieces_quick_out_above_up_deliver(step, m);
}

