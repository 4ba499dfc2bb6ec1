
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct pieces_bytes { uint32_t block, offset, len; };
struct pieces_msg_marked { /* a message with the headers of marked and what is above; a tag names the header, 0: none */
    struct pieces_bytes bytes;
    bool data;
    uint8_t marked;
    uint8_t marked_at;
};
struct pieces_msg { /* a message without headers */
    struct pieces_bytes bytes;
    bool data;
};
struct pieces_msg_wrapped { /* a message with the headers of wrapped and what is above; a tag names the header, 0: none */
    struct pieces_bytes bytes;
    bool data;
    uint8_t wrapped;
    uint8_t marked;
    uint16_t wrapped_size;
    uint8_t marked_at;
};
struct pieces_maybe_msg_marked {
    bool some;
    struct pieces_msg_marked value;
};

struct pieces_state {
    uint8_t nacre_nothing;
};

/* bypass 00: deliver Whole, along the likely way */
pieces_INLINE bool pieces_bypass_0(struct pieces_step *step, struct pieces_msg_marked m, uint16_t size) {
    (void)step;
    if (pieces_UNLIKELY(!(((uint32_t)size == m.bytes.len)))) { return false; }
#line 25 "tests/golden/pieces/source.nacre"
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
    bool has_t2 = t2.some;
#line 25 "tests/golden/pieces/source.nacre"
    if (pieces_LIKELY(has_t2 && (t2.value.marked == 1u))) {
#line 25 "tests/golden/pieces/source.nacre"
        struct pieces_maybe_msg_marked t3 = t2;
#line 25 "tests/golden/pieces/source.nacre"
        struct pieces_msg_marked m_2 = t3.value;
#line 25 "tests/golden/pieces/source.nacre"
        uint8_t at = (m_2.marked == 1u ? m_2.marked_at : 0);
#line 25 "tests/golden/pieces/source.nacre"
        (void)at;
#line 25 "tests/golden/pieces/source.nacre"
        struct pieces_msg carried = {.bytes = m_2.bytes, .data = m_2.data};
#line 25 "tests/golden/pieces/source.nacre"
        struct pieces_msg m_3 = carried;
#line 8 "tests/golden/pieces/source.nacre"
        struct pieces_msg m_4 = m_3;
#line 8 "tests/golden/pieces/source.nacre"
        pieces_quick_out_above_up_deliver(step, m_4);
#line 8 "tests/golden/pieces/source.nacre"
        return true;
    }
#line 8 "tests/golden/pieces/source.nacre"
    if (pieces_LIKELY(!has_t2)) {
#line 25 "tests/golden/pieces/source.nacre"
        struct pieces_maybe_msg_marked t3 = t2;
#line 25 "tests/golden/pieces/source.nacre"
        (void)t3;
#line 25 "tests/golden/pieces/source.nacre"
        return true;
    }
#line 25 "tests/golden/pieces/source.nacre"
    return false;
}

/* bypass 02: send, along the likely way */
pieces_INLINE bool pieces_bypass_2(struct pieces_step *step, struct pieces_msg m) {
    (void)step;
    if (pieces_UNLIKELY(!(true))) { return false; }
#line 7 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked carried = {.bytes = m.bytes, .data = m.data};
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked = 1;
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked_at = 7u;
#line 7 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked m_2 = carried;
#line 15 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked packed = {.bytes = pieces_pack_1_aside(step, m_2), .data = m_2.data};
#line 15 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked whole = packed;
    uint16_t size = (uint16_t)(whole.bytes.len);
    struct pieces_msg_wrapped carried_2 = {.bytes = whole.bytes, .data = whole.data, .marked = whole.marked, .marked_at = whole.marked_at};
#line 17 "tests/golden/pieces/source.nacre"
    carried_2.wrapped = 1;
#line 17 "tests/golden/pieces/source.nacre"
    carried_2.wrapped_size = size;
#line 17 "tests/golden/pieces/source.nacre"
    struct pieces_msg_wrapped m_3 = carried_2;
#line 17 "tests/golden/pieces/source.nacre"
    pieces_quick_out_below_down_send(step, m_3);
#line 17 "tests/golden/pieces/source.nacre"
    return true;
}

/* wrapped takes send */
pieces_PLAIN void pieces_slow_wrapped_down_send(struct pieces_step *step, struct pieces_msg_wrapped m) {
    switch (m.wrapped) {
        case 1: /* Whole */
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

        default:
            pieces_slow_on_wrapped_down_send(step, (struct pieces_msg_marked){.bytes = m.bytes, .data = m.data, .marked = m.marked, .marked_at = m.marked_at});
            break;

    }
}

/* wrapped.down.send */
pieces_PLAIN void pieces_slow_on_wrapped_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
#line 14 "tests/golden/pieces/source.nacre"
    (void)step;
    struct pieces_msg_marked packed = {.bytes = pieces_pack_1(step, m), .data = m.data};
#line 15 "tests/golden/pieces/source.nacre"
    struct pieces_msg_marked whole = packed;
    uint16_t size = (uint16_t)(whole.bytes.len);
    struct pieces_msg_wrapped carried = {.bytes = whole.bytes, .data = whole.data, .marked = whole.marked, .marked_at = whole.marked_at};
#line 17 "tests/golden/pieces/source.nacre"
    carried.wrapped = 1;
#line 17 "tests/golden/pieces/source.nacre"
    carried.wrapped_size = size;
#line 17 "tests/golden/pieces/source.nacre"
    pieces_out_below_down_send(step, carried);
}

/* marked takes send */
pieces_PLAIN void pieces_slow_marked_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
    switch (m.marked) {
        case 1: /* Mark */
            pieces_drop(step->pool, m.bytes);
            step->counters[pieces_BROKEN]++;
            break;

        default:
            pieces_slow_on_marked_down_send(step, (struct pieces_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* marked.down.send */
pieces_PLAIN void pieces_slow_on_marked_down_send(struct pieces_step *step, struct pieces_msg m) {
#line 7 "tests/golden/pieces/source.nacre"
    (void)step;
#line 7 "tests/golden/pieces/source.nacre"
    struct pieces_msg_wrapped carried = {.bytes = m.bytes, .data = m.data};
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked = 1;
#line 7 "tests/golden/pieces/source.nacre"
    carried.marked_at = 7u;
#line 7 "tests/golden/pieces/source.nacre"
    pieces_slow_wrapped_down_send(step, carried);
}

