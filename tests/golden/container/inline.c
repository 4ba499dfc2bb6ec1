/* pairs takes deliver */
container_PLAIN void container_slow_pairs_up_deliver(struct container_step *step, struct container_msg m) {
    container_slow_on_pairs_up_deliver(step, m);
}

/* pairs takes deliver, along the likely way */
container_INLINE void container_pairs_up_deliver(struct container_step *step, struct container_msg m) {
    container_on_pairs_up_deliver(step, m);
}

/* pairs takes send */
container_PLAIN void container_slow_pairs_down_send(struct container_step *step, struct container_msg m) {
    container_slow_on_pairs_down_send(step, m);
}

/* pairs takes send, along the likely way */
container_INLINE void container_pairs_down_send(struct container_step *step, struct container_msg m) {
    container_on_pairs_down_send(step, m);
}

/* pairs.down.send */
container_PLAIN void container_slow_on_pairs_down_send(struct container_step *step, struct container_msg m) {
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

/* pairs.down.send, along the likely way */
container_INLINE void container_on_pairs_down_send(struct container_step *step, struct container_msg m) {
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
                container_out_below_down_send_aside(step, (struct container_msg){.bytes = {.block = m_2.bytes.block, .offset = m_2.bytes.offset, .len = m_2.bytes.len}, .data = m_2.data});
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
container_PLAIN void container_slow_on_pairs_up_deliver(struct container_step *step, struct container_msg m) {
#line 4 "tests/golden/container/source.nacre"
    (void)step;
#line 4 "tests/golden/container/source.nacre"
    container_out_above_up_deliver(step, m);
}

/* pairs.up.deliver, along the likely way */
container_INLINE void container_on_pairs_up_deliver(struct container_step *step, struct container_msg m) {
#line 4 "tests/golden/container/source.nacre"
    (void)step;
#line 4 "tests/golden/container/source.nacre"
    container_quick_out_above_up_deliver(step, m);
}

