
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct container_bytes { uint32_t block, offset, len; };
struct container_msg { /* a message without headers */
    struct container_bytes bytes;
    bool data;
};
struct container_list2_msg {
    uint32_t len;
    struct container_msg at[2];
};
struct container_maybe_msg {
    bool some;
    struct container_msg value;
};

struct container_state {
    struct { /* pairs */
        struct container_list2_msg kept;
    } pairs;
    uint8_t nacre_nothing;
};

struct container_config {
    uint8_t nothing;
};

/* : 0 bytes, then 0 to 65507 of data */
container_INLINE bool container_shape_0_0(const uint8_t *at, uint32_t len, struct container_msg *m) {
    if (!(len - 0u <= 65507u)) { return false; }
    m->data = true;
    (void)at;
    return true;
}

container_PLAIN uint32_t container_parse_0(const uint8_t *at, uint32_t len, struct container_msg *m) {
    return container_shape_0_0(at, len, m) ? 0u : UINT32_MAX;
}

container_PLAIN void container_drop_list2_msg(struct container_pool *pool, struct container_list2_msg *value) {
    for (uint32_t i = 0; i < value->len; i++) { container_drop_at(pool, &value->at[i].bytes); }
}

container_PLAIN void container_out_above_up_deliver(struct container_step *step, struct container_msg m) {
    struct nacre_output *output = container_output(step, 1, 3);
    if (container_UNLIKELY(output == NULL)) {
        container_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    container_segments(step, output, m.bytes);
}

container_INLINE struct container_msg *container_push_list2_msg(struct container_list2_msg *row) {
    if (container_UNLIKELY(row->len >= 2u)) { return NULL; }
    row->len++;
    return &row->at[row->len - 1u];
}

container_PLAIN struct container_msg *container_pop_list2_msg(struct container_list2_msg *row) {
    if (row->len == 0) { return NULL; }
    row->len--;
    return &row->at[row->len];
}

container_PLAIN uint32_t container_head_0_send(struct container_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

container_PLAIN void container_out_below_down_send(struct container_step *step, struct container_msg m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = container_can_make(step, 0u) ? container_head_0_send(m, head) : UINT32_MAX;
    if (container_UNLIKELY(size == UINT32_MAX)) {
        container_drop(step->pool, m.bytes);
        step->counters[container_BROKEN]++;
        return;
    }
    struct nacre_output *output = container_output(step, 0, 1);
    if (container_UNLIKELY(output == NULL)) {
        container_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (container_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[container_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    container_segments(step, output, m.bytes);
}

container_PLAIN void container_drop_maybe_msg(struct container_pool *pool, struct container_maybe_msg *value) {
    if (value->some) { container_drop_at(pool, &value->value.bytes); }
}

static void container_tell_msg(struct container_teller *t, const struct container_msg *v) {
    container_tell_message(t, v->bytes, v->data);
    container_tell(t, 0, 4);
}

static void container_tell_list2_msg(struct container_teller *t, const struct container_list2_msg *v) {
    container_tell(t, v->len, 4);
    for (uint32_t i = 0; i < v->len; i++) { container_tell_msg(t, &v->at[i]); }
}

/* pairs takes deliver */
container_PLAIN void container_pairs_up_deliver(struct container_step *step, struct container_msg m) {
    container_on_pairs_up_deliver(step, m);
}

/* pairs takes send */
container_PLAIN void container_pairs_down_send(struct container_step *step, struct container_msg m) {
    container_on_pairs_down_send(step, m);
}

/* pairs.down.send */
container_PLAIN void container_on_pairs_down_send(struct container_step *step, struct container_msg m) {
#line 7 "tests/golden/container/source.nacre"
    (void)step;
    struct container_msg * entry = container_push_list2_msg(&step->s->pairs.kept);
#line 8 "tests/golden/container/source.nacre"
    if (container_LIKELY(entry != NULL)) {
#line 8 "tests/golden/container/source.nacre"
        struct container_msg kept = m;
#line 8 "tests/golden/container/source.nacre"
        kept.bytes = container_keep(step, kept.bytes);
#line 8 "tests/golden/container/source.nacre"
        *entry = kept;
#line 8 "tests/golden/container/source.nacre"
    } else {
#line 8 "tests/golden/container/source.nacre"
        (void)m;
    }
#line 8 "tests/golden/container/source.nacre"
    bool t1 = entry != NULL;
#line 8 "tests/golden/container/source.nacre"
    if (container_UNLIKELY(!t1)) {
#line 8 "tests/golden/container/source.nacre"
        step->counters[container_BROKEN]++;
#line 8 "tests/golden/container/source.nacre"
        container_drop(step->pool, m.bytes);
#line 8 "tests/golden/container/source.nacre"
        return;
    }
#line 9 "tests/golden/container/source.nacre"
    if (step->s->pairs.kept.len >= 2u) {
        for (uint32_t turn = 0;; turn++) {
#line 10 "tests/golden/container/source.nacre"
            if (container_UNLIKELY(turn == 3u)) {
#line 10 "tests/golden/container/source.nacre"
                step->counters[container_BOUND]++;
#line 10 "tests/golden/container/source.nacre"
                break;
            }
#line 10 "tests/golden/container/source.nacre"
            struct container_msg * entry_2 = container_pop_list2_msg(&step->s->pairs.kept);
#line 10 "tests/golden/container/source.nacre"
            struct container_maybe_msg given = {.some = false};
#line 10 "tests/golden/container/source.nacre"
            if (entry_2 != NULL) {
#line 10 "tests/golden/container/source.nacre"
                given.some = true;
#line 10 "tests/golden/container/source.nacre"
                given.value = *entry_2;
            }
#line 10 "tests/golden/container/source.nacre"
            struct container_maybe_msg t2 = given;
#line 10 "tests/golden/container/source.nacre"
            struct container_maybe_msg t3 = t2;
#line 10 "tests/golden/container/source.nacre"
            if (t3.some) {
#line 10 "tests/golden/container/source.nacre"
                struct container_msg m_2 = t3.value;
#line 10 "tests/golden/container/source.nacre"
                container_out_below_down_send(step, m_2);
#line 10 "tests/golden/container/source.nacre"
            } else {
#line 10 "tests/golden/container/source.nacre"
                container_drop_maybe_msg(step->pool, &t3);
#line 10 "tests/golden/container/source.nacre"
                break;
            }
        }
    }
}

/* pairs.up.deliver */
container_PLAIN void container_on_pairs_up_deliver(struct container_step *step, struct container_msg m) {
#line 4 "tests/golden/container/source.nacre"
    (void)step;
#line 4 "tests/golden/container/source.nacre"
    container_out_above_up_deliver(step, m);
}

void container_discard(struct container_state *s, struct container_pool *pool) {
    (void)pool;
    container_drop_list2_msg(pool, &s->pairs.kept);
    memset(s, 0, sizeof *s);
}

uint32_t container_canonical(const struct container_state *s, const struct container_pool *pool, uint8_t *to, uint32_t max) {
    struct container_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct container_pool *)(uintptr_t)pool;
    struct container_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    (void)s;
    container_tell_list2_msg(t, &s->pairs.kept);
    container_tell(t, 0, 4);
    return teller.len;
}

