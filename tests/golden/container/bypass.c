/* bypass 00: deliver, along the likely way */
container_INLINE void container_bypass_0(struct container_step *step, struct container_msg m) {
    (void)step;
#line 4 "tests/golden/container/source.nacre"
    struct container_msg m_2 = m;
#line 4 "tests/golden/container/source.nacre"
    container_quick_out_above_up_deliver(step, m_2);
}

/* bypass 01: send, along the likely way */
container_INLINE bool container_bypass_1(struct container_step *step, struct container_msg m) {
    (void)step;
    if (container_UNLIKELY(!(!(step->s->pairs.kept.len == 2u) && (2u == (step->s->pairs.kept.len + 1u))))) { return false; }
#line 8 "tests/golden/container/source.nacre"
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
    (void)t1;
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
    struct container_msg m_2 = t3.value;
#line 10 "tests/golden/container/source.nacre"
    struct container_msg m_3 = m_2;
#line 10 "tests/golden/container/source.nacre"
    struct container_msg * entry_3 = container_pop_list2_msg(&step->s->pairs.kept);
#line 10 "tests/golden/container/source.nacre"
    struct container_maybe_msg given_2 = {.some = false};
#line 10 "tests/golden/container/source.nacre"
    if (entry_3 != NULL) {
#line 10 "tests/golden/container/source.nacre"
        given_2.some = true;
#line 10 "tests/golden/container/source.nacre"
        given_2.value = *entry_3;
    }
#line 10 "tests/golden/container/source.nacre"
    t2 = given_2;
#line 10 "tests/golden/container/source.nacre"
    t3 = t2;
#line 10 "tests/golden/container/source.nacre"
    m_2 = t3.value;
#line 10 "tests/golden/container/source.nacre"
    struct container_msg m_4 = m_2;
#line 10 "tests/golden/container/source.nacre"
    struct container_msg * entry_4 = container_pop_list2_msg(&step->s->pairs.kept);
#line 10 "tests/golden/container/source.nacre"
    struct container_maybe_msg given_3 = {.some = false};
#line 10 "tests/golden/container/source.nacre"
    if (entry_4 != NULL) {
#line 10 "tests/golden/container/source.nacre"
        given_3.some = true;
#line 10 "tests/golden/container/source.nacre"
        given_3.value = *entry_4;
    }
#line 10 "tests/golden/container/source.nacre"
    t2 = given_3;
#line 10 "tests/golden/container/source.nacre"
    t3 = t2;
#line 10 "tests/golden/container/source.nacre"
    container_drop_maybe_msg(step->pool, &t3);
#line 10 "tests/golden/container/source.nacre"
    container_quick_out_below_down_send(step, m_3);
#line 10 "tests/golden/container/source.nacre"
    container_quick_out_below_down_send(step, m_4);
#line 10 "tests/golden/container/source.nacre"
    return true;
}

/* bypass 02: send, along the likely way */
container_INLINE bool container_bypass_2(struct container_step *step, struct container_msg m) {
    (void)step;
    if (container_UNLIKELY(!(!(step->s->pairs.kept.len == 2u) && !(2u == (step->s->pairs.kept.len + 1u))))) { return false; }
#line 8 "tests/golden/container/source.nacre"
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
    (void)t1;
#line 8 "tests/golden/container/source.nacre"
    return true;
}

