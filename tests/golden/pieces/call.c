/* wrapped.up.deliver.Whole */
pieces_PLAIN void pieces_on_wrapped_up_deliver_Whole(struct pieces_step *step, struct pieces_msg_marked m, uint16_t size) {
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
    pieces_marked_up_deliver(step, t3.value);
}

/* marked.down.send */
pieces_PLAIN void pieces_on_marked_down_send(struct pieces_step *step, struct pieces_msg m) {
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

