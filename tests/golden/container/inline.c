/* pairs takes deliver */
container_PLAIN void container_slow_pairs_up_deliver(struct container_step *step, struct container_msg m) {
    container_slow_on_pairs_up_deliver(step, m);
}

/* pairs takes deliver, along the likely way */
container_INLINE void container_pairs_up_deliver(struct container_step *step, struct container_msg m) {
    container_on_pairs_up_deliver(step, m);
}

/* pairs takes send, along the likely way */
container_INLINE void container_pairs_down_send(struct container_step *step, struct container_msg m) {
    container_on_pairs_down_send(step, m);
}

/* pairs.down.send, along the likely way */
container_INLINE void container_on_pairs_down_send(struct container_step *step, struct container_msg m) {
#line 7 "tests/golden/container/source.nacre"
    (void)step;
    struct container_msg * entry = container_push_list2_msg(&step->s->pairs.kept);
    if (container_LIKELY(entry != NULL)) {
        struct container_msg kept = m;
        kept.bytes = container_keep(step, kept.bytes);
        *entry = kept;
    } else {
    }
    bool t1 = entry != NULL;
    if (container_UNLIKELY(!t1)) {
        step->counters[container_BROKEN]++;
        container_drop(step->pool, m.bytes);
        return;
    }
    if (step->s->pairs.kept.len >= 2u) {
        for (uint32_t turn = 0;; turn++) {
            if (container_UNLIKELY(turn == 3u)) {
                step->counters[container_BOUND]++;
                break;
            }
            struct container_msg * entry_2 = container_pop_list2_msg(&step->s->pairs.kept);
            struct container_maybe_msg given = {.some = false};
            if (entry_2 != NULL) {
                given.some = true;
                given.value = *entry_2;
            }
            struct container_maybe_msg t2 = given;
            struct container_maybe_msg t3 = t2;
            if (t3.some) {
                struct container_msg m_2 = t3.value;
#line 10 "tests/golden/container/source.nacre"
                container_out_below_down_send_aside(step, (struct container_msg){.bytes = {.block = m_2.bytes.block, .offset = m_2.bytes.offset, .len = m_2.bytes.len}, .data = m_2.data});
            } else {
                container_drop_maybe_msg(step->pool, &t3);
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

