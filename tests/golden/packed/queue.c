
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct packed_bytes { uint32_t block, offset, len; };
struct packed_msg_sized { /* a message with the headers of sized and what is above; a tag names the header, 0: none */
    struct packed_bytes bytes;
    bool data;
    uint8_t sized;
    uint8_t sized_kind;
    uint16_t sized_size;
};
struct packed_msg_flagged { /* a message with the headers of flagged and what is above; a tag names the header, 0: none */
    struct packed_bytes bytes;
    bool data;
    uint8_t flagged;
    uint8_t sized;
    bool flagged_odd;
    uint8_t sized_kind;
    uint16_t sized_size;
};
struct packed_msg { /* a message without headers */
    struct packed_bytes bytes;
    bool data;
};

struct packed_state {
    struct { /* flagged */
        bool odd;
    } flagged;
    uint8_t nacre_nothing;
};

struct packed_config {
    uint8_t nothing;
};

/* An event that waits for its turn. */
struct packed_event {
    uint32_t what;
    union {
        uint8_t nothing;
        struct {
            struct packed_msg_flagged m;
        } flagged_down_send;
        struct {
            struct packed_msg_sized m;
        } sized_up_deliver;
    } with;
};

/* Flag Size: 2 bytes, then 0 to 65505 of data */
packed_INLINE bool packed_shape_0_0(const uint8_t *at, uint32_t len, struct packed_msg_flagged *m) {
    if (!(len - 2u <= 65505u)) { return false; }
    m->data = true;
    m->flagged = 1;
    m->sized = 1;
    {
        uint64_t value = ((packed_get(at + 1, 1u) >> 7) & 1u);
        m->flagged_odd = value != 0;
    }
    {
        uint64_t value = (packed_get(at + 0, 1u) & 7u);
        m->sized_kind = (uint8_t)value;
    }
    {
        uint64_t value = ((packed_get(at + 0, 2u) >> 3) & 4095u);
        m->sized_size = (uint16_t)value;
    }
    return true;
}

packed_PLAIN uint32_t packed_parse_0(const uint8_t *at, uint32_t len, struct packed_msg_flagged *m) {
    return packed_shape_0_0(at, len, m) ? 2u : UINT32_MAX;
}

packed_PLAIN void packed_out_above_up_deliver(struct packed_step *step, struct packed_msg m) {
    struct nacre_output *output = packed_output(step, 1, 3);
    if (packed_UNLIKELY(output == NULL)) {
        packed_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    packed_segments(step, output, m.bytes);
}

packed_PLAIN uint32_t packed_head_0_send(struct packed_msg_flagged m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.flagged + 4u * m.sized) {
        case 7: /* Flag Size */
            packed_put(to + 0, (uint64_t)m.flagged_odd << 15 | (uint64_t)m.sized_kind | (uint64_t)m.sized_size << 3, 2u);
            return 2u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

packed_PLAIN void packed_out_below_down_send(struct packed_step *step, struct packed_msg_flagged m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = packed_can_make(step, 2u) ? packed_head_0_send(m, head) : UINT32_MAX;
    if (packed_UNLIKELY(size == UINT32_MAX)) {
        packed_drop(step->pool, m.bytes);
        step->counters[packed_BROKEN]++;
        return;
    }
    struct nacre_output *output = packed_output(step, 0, 1);
    if (packed_UNLIKELY(output == NULL)) {
        packed_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (packed_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[packed_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    packed_segments(step, output, m.bytes);
}

/* flagged takes deliver */
packed_PLAIN void packed_flagged_up_deliver(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_on_flagged_up_deliver_Flag(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size}, m.flagged_odd);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* flagged takes send */
packed_PLAIN void packed_flagged_down_send(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_on_flagged_down_send(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size});
            break;

    }
}

/* flagged.down.send */
packed_PLAIN void packed_on_flagged_down_send(struct packed_step *step, struct packed_msg_sized m) {
#line 22 "tests/golden/packed/source.nacre"
    (void)step;
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size};
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged = 1;
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged_odd = step->s->flagged.odd;
#line 23 "tests/golden/packed/source.nacre"
    packed_out_below_down_send(step, carried);
    step->s->flagged.odd = !step->s->flagged.odd;
}

/* flagged.up.deliver.Flag */
packed_PLAIN void packed_on_flagged_up_deliver_Flag(struct packed_step *step, struct packed_msg_sized m, bool odd) {
#line 26 "tests/golden/packed/source.nacre"
    (void)odd;
#line 26 "tests/golden/packed/source.nacre"
    (void)step;
#line 26 "tests/golden/packed/source.nacre"
    packed_queue_sized_up_deliver(step, m);
}

/* sized takes deliver */
packed_PLAIN void packed_sized_up_deliver(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_on_sized_up_deliver_Size(step, (struct packed_msg){.bytes = m.bytes, .data = m.data}, m.sized_kind, m.sized_size);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* sized takes send */
packed_PLAIN void packed_sized_down_send(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_on_sized_down_send(step, (struct packed_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* sized.down.send */
packed_PLAIN void packed_on_sized_down_send(struct packed_step *step, struct packed_msg m) {
#line 7 "tests/golden/packed/source.nacre"
    (void)step;
    uint16_t size = (uint16_t)(m.bytes.len & 4095u);
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data};
#line 9 "tests/golden/packed/source.nacre"
    carried.sized = 1;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_kind = 5u;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_size = size;
#line 9 "tests/golden/packed/source.nacre"
    packed_queue_flagged_down_send(step, carried);
}

/* sized.up.deliver.Size */
packed_PLAIN void packed_on_sized_up_deliver_Size(struct packed_step *step, struct packed_msg m, uint8_t kind, uint16_t size) {
#line 12 "tests/golden/packed/source.nacre"
    (void)kind;
#line 12 "tests/golden/packed/source.nacre"
    (void)step;
    if ((uint32_t)size == (m.bytes.len & 4095u)) {
#line 13 "tests/golden/packed/source.nacre"
        packed_out_above_up_deliver(step, m);
#line 13 "tests/golden/packed/source.nacre"
    } else {
#line 13 "tests/golden/packed/source.nacre"
        packed_drop(step->pool, m.bytes);
    }
}

packed_PLAIN void packed_queue_flagged_down_send(struct packed_step *step, struct packed_msg_flagged m) {
    if (packed_UNLIKELY(step->len == packed_QUEUE)) {
        packed_drop(step->pool, m.bytes);
        step->counters[packed_BROKEN]++;
        return;
    }
    struct packed_event *e = &step->more->queue[(step->first + step->len) % packed_QUEUE]; step->len++;
    e->what = 0; /* flagged_down_send */
    e->with.flagged_down_send.m = m;
}

packed_PLAIN void packed_queue_sized_up_deliver(struct packed_step *step, struct packed_msg_sized m) {
    if (packed_UNLIKELY(step->len == packed_QUEUE)) {
        packed_drop(step->pool, m.bytes);
        step->counters[packed_BROKEN]++;
        return;
    }
    struct packed_event *e = &step->more->queue[(step->first + step->len) % packed_QUEUE]; step->len++;
    e->what = 1; /* sized_up_deliver */
    e->with.sized_up_deliver.m = m;
}

/* The scheduler: hands the events in the queue to the layers, first come, first served. */
packed_PLAIN void packed_run_queue(struct packed_step *step) {
    while (step->len > 0) {
        struct packed_event e = step->more->queue[step->first];
        step->first = (step->first + 1u) % packed_QUEUE;
        step->len--;
        switch (e.what) {
            case 0: packed_flagged_down_send(step, e.with.flagged_down_send.m); break;
            case 1: packed_sized_up_deliver(step, e.with.sized_up_deliver.m); break;
            default: break;
        }
    }
}

