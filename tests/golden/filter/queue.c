
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct filter_bytes { uint32_t block, offset, len; };
struct filter_msg_checked { /* a message with the headers of checked and what is above; a tag names the header, 0: none */
    struct filter_bytes bytes;
    bool data;
    uint8_t checked;
    uint8_t checked_sum;
};
struct filter_msg { /* a message without headers */
    struct filter_bytes bytes;
    bool data;
};

struct filter_state {
    uint8_t nacre_nothing;
};

struct filter_config {
    uint8_t nothing;
};

/* Parity: 1 bytes, then 0 to 65506 of data */
filter_INLINE bool filter_shape_0_0(const uint8_t *at, uint32_t len, struct filter_msg_checked *m) {
    if (!(len - 1u <= 65506u)) { return false; }
    m->data = true;
    m->checked = 1;
    {
        uint64_t value = filter_get(at + 0, 1u);
        m->checked_sum = (uint8_t)value;
    }
    return true;
}

filter_PLAIN uint32_t filter_parse_0(const uint8_t *at, uint32_t len, struct filter_msg_checked *m) {
    return filter_shape_0_0(at, len, m) ? 1u : UINT32_MAX;
}

/* Where reading is in a row of pieces. */
struct filter_reader { const struct filter_bytes *piece, *end; uint32_t at; };

filter_PLAIN const uint8_t *filter_next_run(const struct filter_step *step, struct filter_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = filter_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

/* filter parity */
filter_PLAIN uint8_t filter_filter_0_parity(struct filter_step *step, const struct filter_bytes *pieces, uint32_t count, bool *accepted_2) {
#line 4 "tests/golden/filter/source.nacre"
    uint8_t sum = 0u;
#line 4 "tests/golden/filter/source.nacre"
    (void)sum;
#line 4 "tests/golden/filter/source.nacre"
    const uint32_t made_from_2 = step->bytes;
#line 4 "tests/golden/filter/source.nacre"
    *accepted_2 = true;
#line 4 "tests/golden/filter/source.nacre"
    struct filter_reader reader = {pieces, pieces + count, 0};
#line 4 "tests/golden/filter/source.nacre"
    const uint8_t *bytes_2 = NULL;
#line 4 "tests/golden/filter/source.nacre"
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = filter_next_run(step, &reader, &run_2)) != NULL;) {
#line 4 "tests/golden/filter/source.nacre"
        uint64_t unit_2 = *bytes_2++;
#line 4 "tests/golden/filter/source.nacre"
        run_2--;
#line 4 "tests/golden/filter/source.nacre"
        uint8_t b = (uint8_t)(unit_2);
#line 4 "tests/golden/filter/source.nacre"
        (void)b;
#line 6 "tests/golden/filter/source.nacre"
        sum = (uint8_t)((uint32_t)sum ^ (uint32_t)b);
    }
#line 4 "tests/golden/filter/source.nacre"
    (void)made_from_2;
#line 7 "tests/golden/filter/source.nacre"
    return sum;
}

filter_PLAIN void filter_out_above_up_deliver(struct filter_step *step, struct filter_msg m) {
    struct nacre_output *output = filter_output(step, 1, 3);
    if (filter_UNLIKELY(output == NULL)) {
        filter_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    filter_segments(step, output, m.bytes);
}

filter_PLAIN uint32_t filter_head_0_send(struct filter_msg_checked m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.checked) {
        case 3: /* Parity */
            filter_put(to + 0, (uint64_t)m.checked_sum, 1u);
            return 1u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

filter_PLAIN void filter_out_below_down_send(struct filter_step *step, struct filter_msg_checked m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = filter_can_make(step, 1u) ? filter_head_0_send(m, head) : UINT32_MAX;
    if (filter_UNLIKELY(size == UINT32_MAX)) {
        filter_drop(step->pool, m.bytes);
        step->counters[filter_BROKEN]++;
        return;
    }
    struct nacre_output *output = filter_output(step, 0, 1);
    if (filter_UNLIKELY(output == NULL)) {
        filter_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (filter_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[filter_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    filter_segments(step, output, m.bytes);
}

/* checked takes deliver */
filter_PLAIN void filter_checked_up_deliver(struct filter_step *step, struct filter_msg_checked m) {
    switch (m.checked) {
        case 1: /* Parity */
            filter_on_checked_up_deliver_Parity(step, (struct filter_msg){.bytes = m.bytes, .data = m.data}, m.checked_sum);
            break;

        default:
            filter_drop(step->pool, m.bytes);
            step->counters[filter_BROKEN]++;
            break;

    }
}

/* checked takes send */
filter_PLAIN void filter_checked_down_send(struct filter_step *step, struct filter_msg_checked m) {
    switch (m.checked) {
        case 1: /* Parity */
            filter_drop(step->pool, m.bytes);
            step->counters[filter_BROKEN]++;
            break;

        default:
            filter_on_checked_down_send(step, (struct filter_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* checked.down.send */
filter_PLAIN void filter_on_checked_down_send(struct filter_step *step, struct filter_msg m) {
#line 15 "tests/golden/filter/source.nacre"
    (void)step;
    const struct filter_bytes pieces[] = {m.bytes};
#line 16 "tests/golden/filter/source.nacre"
    bool accepted = true;
#line 16 "tests/golden/filter/source.nacre"
    uint8_t through = filter_filter_0_parity(step, pieces, 1u, &accepted);
#line 16 "tests/golden/filter/source.nacre"
    uint8_t sum = through;
    struct filter_msg_checked carried = {.bytes = m.bytes, .data = m.data};
#line 17 "tests/golden/filter/source.nacre"
    carried.checked = 1;
#line 17 "tests/golden/filter/source.nacre"
    carried.checked_sum = sum;
#line 17 "tests/golden/filter/source.nacre"
    filter_out_below_down_send(step, carried);
}

/* checked.up.deliver.Parity */
filter_PLAIN void filter_on_checked_up_deliver_Parity(struct filter_step *step, struct filter_msg m, uint8_t sum) {
#line 20 "tests/golden/filter/source.nacre"
    (void)step;
    const struct filter_bytes pieces[] = {m.bytes};
#line 21 "tests/golden/filter/source.nacre"
    bool accepted = true;
#line 21 "tests/golden/filter/source.nacre"
    uint8_t through = filter_filter_0_parity(step, pieces, 1u, &accepted);
#line 21 "tests/golden/filter/source.nacre"
    if (filter_LIKELY((sum == through))) {
        filter_out_above_up_deliver(step, m);
#line 22 "tests/golden/filter/source.nacre"
    } else {
#line 24 "tests/golden/filter/source.nacre"
        filter_drop(step->pool, m.bytes);
        step->counters[filter_COUNT_checked_damaged]++;
    }
}

