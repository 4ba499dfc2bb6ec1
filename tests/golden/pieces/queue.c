
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct pieces_bytes { uint32_t block, offset, len; };
struct pieces_msg_marked { /* a message with the headers of marked and what is above; a tag names the header, 0: none */
    struct pieces_bytes bytes;
    bool data;
    uint8_t marked;
    uint8_t marked_at;
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
struct pieces_msg { /* a message without headers */
    struct pieces_bytes bytes;
    bool data;
};

struct pieces_state {
    uint8_t nacre_nothing;
};

struct pieces_config {
    uint8_t nothing;
};

/* An event that waits for its turn. */
struct pieces_event {
    uint32_t what;
    union {
        uint8_t nothing;
        struct {
            struct pieces_msg_wrapped m;
        } wrapped_down_send;
        struct {
            struct pieces_msg_marked m;
        } marked_up_deliver;
    } with;
};

/* Whole: 2 bytes, then 0 to 65505 of data */
pieces_INLINE bool pieces_shape_0_0(const uint8_t *at, uint32_t len, struct pieces_msg_wrapped *m) {
    if (!(len - 2u <= 65505u)) { return false; }
    m->data = true;
    m->wrapped = 1;
    m->marked = 0;
    {
        uint64_t value = pieces_get(at + 0, 2u);
        m->wrapped_size = (uint16_t)value;
    }
    return true;
}

pieces_PLAIN uint32_t pieces_parse_0(const uint8_t *at, uint32_t len, struct pieces_msg_wrapped *m) {
    return pieces_shape_0_0(at, len, m) ? 2u : UINT32_MAX;
}

/* Mark: 1 bytes, then 0 to 65501 of data */
pieces_INLINE bool pieces_shape_1_0(const uint8_t *at, uint32_t len, struct pieces_msg_marked *m) {
    if (!(len - 1u <= 65501u)) { return false; }
    m->data = true;
    m->marked = 1;
    {
        uint64_t value = pieces_get(at + 0, 1u);
        m->marked_at = (uint8_t)value;
    }
    return true;
}

pieces_PLAIN uint32_t pieces_parse_1(const uint8_t *at, uint32_t len, struct pieces_msg_marked *m) {
    return pieces_shape_1_0(at, len, m) ? 1u : UINT32_MAX;
}

pieces_PLAIN void pieces_out_above_up_deliver(struct pieces_step *step, struct pieces_msg m) {
    struct nacre_output *output = pieces_output(step, 1, 3);
    if (pieces_UNLIKELY(output == NULL)) {
        pieces_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    pieces_segments(step, output, m.bytes);
}

pieces_PLAIN uint32_t pieces_head_1(struct pieces_msg_marked m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.marked) {
        case 3: /* Mark */
            pieces_put(to + 0, (uint64_t)m.marked_at, 1u);
            return 1u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

pieces_PLAIN struct pieces_bytes pieces_pack_1(struct pieces_step *step, struct pieces_msg_marked m) {
    const uint32_t from = step->bytes;
    uint32_t size = UINT32_MAX;
    if (pieces_can_make(step, 1u + m.bytes.len)) { size = pieces_head_1(m, step->out->bytes + from); }
    if (size == UINT32_MAX) {
        step->counters[pieces_BROKEN]++;
        pieces_drop(step->pool, m.bytes);
        return (struct pieces_bytes){.block = 0};
    }
    pieces_read(step, m.bytes, step->out->bytes + from + size);
    step->bytes += size + m.bytes.len;
    pieces_drop(step->pool, m.bytes);
    return pieces_made(step, from);
}

pieces_PLAIN uint32_t pieces_head_0_send(struct pieces_msg_wrapped m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.wrapped + 4u * m.marked) {
        case 3: /* Whole */
            pieces_put(to + 0, (uint64_t)m.wrapped_size, 2u);
            return 2u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

pieces_PLAIN void pieces_out_below_down_send(struct pieces_step *step, struct pieces_msg_wrapped m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = pieces_can_make(step, 2u) ? pieces_head_0_send(m, head) : UINT32_MAX;
    if (pieces_UNLIKELY(size == UINT32_MAX)) {
        pieces_drop(step->pool, m.bytes);
        step->counters[pieces_BROKEN]++;
        return;
    }
    struct nacre_output *output = pieces_output(step, 0, 1);
    if (pieces_UNLIKELY(output == NULL)) {
        pieces_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (pieces_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[pieces_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    pieces_segments(step, output, m.bytes);
}

/* wrapped takes deliver */
pieces_PLAIN void pieces_wrapped_up_deliver(struct pieces_step *step, struct pieces_msg_wrapped m) {
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

/* wrapped takes send */
pieces_PLAIN void pieces_wrapped_down_send(struct pieces_step *step, struct pieces_msg_wrapped m) {
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

/* wrapped.down.send */
pieces_PLAIN void pieces_on_wrapped_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
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
    pieces_queue_marked_up_deliver(step, t3.value);
}

/* marked takes deliver */
pieces_PLAIN void pieces_marked_up_deliver(struct pieces_step *step, struct pieces_msg_marked m) {
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

/* marked takes send */
pieces_PLAIN void pieces_marked_down_send(struct pieces_step *step, struct pieces_msg_marked m) {
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
    pieces_queue_wrapped_down_send(step, carried);
}

/* marked.up.deliver.Mark */
pieces_PLAIN void pieces_on_marked_up_deliver_Mark(struct pieces_step *step, struct pieces_msg m, uint8_t at) {
#line 8 "tests/golden/pieces/source.nacre"
    (void)at;
#line 8 "tests/golden/pieces/source.nacre"
    (void)step;
#line 8 "tests/golden/pieces/source.nacre"
    pieces_out_above_up_deliver(step, m);
}

pieces_PLAIN void pieces_queue_wrapped_down_send(struct pieces_step *step, struct pieces_msg_wrapped m) {
    if (pieces_UNLIKELY(step->len == pieces_QUEUE)) {
        pieces_drop(step->pool, m.bytes);
        step->counters[pieces_BROKEN]++;
        return;
    }
    struct pieces_event *e = &step->more->queue[(step->first + step->len) % pieces_QUEUE]; step->len++;
    e->what = 0; /* wrapped_down_send */
    e->with.wrapped_down_send.m = m;
}

pieces_PLAIN void pieces_queue_marked_up_deliver(struct pieces_step *step, struct pieces_msg_marked m) {
    if (pieces_UNLIKELY(step->len == pieces_QUEUE)) {
        pieces_drop(step->pool, m.bytes);
        step->counters[pieces_BROKEN]++;
        return;
    }
    struct pieces_event *e = &step->more->queue[(step->first + step->len) % pieces_QUEUE]; step->len++;
    e->what = 1; /* marked_up_deliver */
    e->with.marked_up_deliver.m = m;
}

/* The scheduler: hands the events in the queue to the layers, first come, first served. */
pieces_PLAIN void pieces_run_queue(struct pieces_step *step) {
    while (step->len > 0) {
        struct pieces_event e = step->more->queue[step->first];
        step->first = (step->first + 1u) % pieces_QUEUE;
        step->len--;
        switch (e.what) {
            case 0: pieces_wrapped_down_send(step, e.with.wrapped_down_send.m); break;
            case 1: pieces_marked_up_deliver(step, e.with.marked_up_deliver.m); break;
            default: break;
        }
    }
}

