/* answered takes send */
variants_PLAIN void variants_slow_answered_down_send(struct variants_step *step, struct variants_msg_answered m) {
    switch (m.answered) {
        case 1: /* Data */
            variants_drop(step->pool, m.bytes);
            step->counters[variants_BROKEN]++;
            break;

        case 2: /* Answer */
            variants_drop(step->pool, m.bytes);
            step->counters[variants_BROKEN]++;
            break;

        default:
            variants_slow_on_answered_down_send(step, (struct variants_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* answered.down.send */
variants_PLAIN void variants_slow_on_answered_down_send(struct variants_step *step, struct variants_msg m) {
#line 10 "tests/golden/variants/source.nacre"
    (void)step;
    struct variants_msg_answered carried = {.bytes = m.bytes, .data = m.data};
#line 11 "tests/golden/variants/source.nacre"
    carried.answered = 1;
#line 11 "tests/golden/variants/source.nacre"
    carried.answered_number = step->s->answered.next;
#line 11 "tests/golden/variants/source.nacre"
    variants_out_below_down_send(step, carried);
    step->s->answered.next = (uint8_t)((uint32_t)step->s->answered.next + 1u);
}

/* bypass 00: deliver Data, along the likely way */
variants_INLINE bool variants_bypass_0(struct variants_step *step, struct variants_msg m, uint8_t number) {
    (void)step;
    if (variants_UNLIKELY(!(true))) { return false; }
#line 16 "tests/golden/variants/source.nacre"
    struct variants_msg_answered empty = {.data = false};
#line 16 "tests/golden/variants/source.nacre"
    empty.answered = 2;
#line 16 "tests/golden/variants/source.nacre"
    empty.answered_number = number;
#line 16 "tests/golden/variants/source.nacre"
    struct variants_msg_answered m_2 = empty;
    struct variants_msg m_3 = m;
#line 17 "tests/golden/variants/source.nacre"
    variants_quick_out_below_down_send(step, m_2);
#line 17 "tests/golden/variants/source.nacre"
    variants_quick_out_above_up_deliver(step, m_3);
#line 17 "tests/golden/variants/source.nacre"
    return true;
}

/* bypass 01: deliver Answer, along the likely way */
variants_INLINE void variants_bypass_1(struct variants_step *step, struct variants_msg m, uint8_t number) {
    (void)step;
#line 20 "tests/golden/variants/source.nacre"
    variants_drop(step->pool, m.bytes);
#line 20 "tests/golden/variants/source.nacre"
    step->s->answered.answered = (uint8_t)((uint32_t)number + 1u);
}

/* bypass 02: send, along the likely way */
variants_INLINE bool variants_bypass_2(struct variants_step *step, struct variants_msg m) {
    (void)step;
    if (variants_UNLIKELY(!(true))) { return false; }
#line 11 "tests/golden/variants/source.nacre"
    struct variants_msg_answered carried = {.bytes = m.bytes, .data = m.data};
#line 11 "tests/golden/variants/source.nacre"
    carried.answered = 1;
#line 11 "tests/golden/variants/source.nacre"
    carried.answered_number = step->s->answered.next;
#line 11 "tests/golden/variants/source.nacre"
    struct variants_msg_answered m_2 = carried;
    step->s->answered.next = (uint8_t)((uint32_t)step->s->answered.next + 1u);
#line 12 "tests/golden/variants/source.nacre"
    variants_quick_out_below_down_send(step, m_2);
#line 12 "tests/golden/variants/source.nacre"
    return true;
}

