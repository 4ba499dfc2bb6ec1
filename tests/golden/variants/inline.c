/* answered takes deliver */
variants_PLAIN void variants_slow_answered_up_deliver(struct variants_step *step, struct variants_msg_answered m) {
    switch (m.answered) {
        case 1: /* Data */
            variants_slow_on_answered_up_deliver_Data(step, (struct variants_msg){.bytes = m.bytes, .data = m.data}, m.answered_number);
            break;

        case 2: /* Answer */
            variants_slow_on_answered_up_deliver_Answer(step, (struct variants_msg){.bytes = m.bytes, .data = m.data}, m.answered_number);
            break;

        default:
            variants_drop(step->pool, m.bytes);
            step->counters[variants_BROKEN]++;
            break;

    }
}

/* answered takes deliver, along the likely way */
variants_INLINE void variants_answered_up_deliver(struct variants_step *step, struct variants_msg_answered m) {
    switch (m.answered) {
        case 1: /* Data */
            variants_on_answered_up_deliver_Data(step, (struct variants_msg){.bytes = m.bytes, .data = m.data}, m.answered_number);
            break;

        case 2: /* Answer */
            variants_on_answered_up_deliver_Answer(step, (struct variants_msg){.bytes = m.bytes, .data = m.data}, m.answered_number);
            break;

        default:
            variants_drop(step->pool, m.bytes);
            step->counters[variants_BROKEN]++;
            break;

    }
}

/* answered takes send, along the likely way */
variants_INLINE void variants_answered_down_send(struct variants_step *step, struct variants_msg_answered m) {
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
            variants_on_answered_down_send(step, (struct variants_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* answered.down.send, along the likely way */
variants_INLINE void variants_on_answered_down_send(struct variants_step *step, struct variants_msg m) {
#line 10 "tests/golden/variants/source.nacre"
    (void)step;
    struct variants_msg_answered carried = {.bytes = m.bytes, .data = m.data};
#line 11 "tests/golden/variants/source.nacre"
    carried.answered = 1;
#line 11 "tests/golden/variants/source.nacre"
    carried.answered_number = step->s->answered.next;
#line 11 "tests/golden/variants/source.nacre"
    variants_quick_out_below_down_send(step, carried);
    step->s->answered.next = (uint8_t)((uint32_t)step->s->answered.next + 1u);
}

/* answered.up.deliver.Answer */
variants_PLAIN void variants_slow_on_answered_up_deliver_Answer(struct variants_step *step, struct variants_msg m, uint8_t number) {
#line 20 "tests/golden/variants/source.nacre"
    (void)step;
#line 20 "tests/golden/variants/source.nacre"
    variants_drop(step->pool, m.bytes);
#line 20 "tests/golden/variants/source.nacre"
    step->s->answered.answered = (uint8_t)((uint32_t)number + 1u);
}

/* answered.up.deliver.Answer, along the likely way */
variants_INLINE void variants_on_answered_up_deliver_Answer(struct variants_step *step, struct variants_msg m, uint8_t number) {
#line 20 "tests/golden/variants/source.nacre"
    (void)step;
#line 20 "tests/golden/variants/source.nacre"
    variants_drop(step->pool, m.bytes);
#line 20 "tests/golden/variants/source.nacre"
    step->s->answered.answered = (uint8_t)((uint32_t)number + 1u);
}

/* answered.up.deliver.Data */
variants_PLAIN void variants_slow_on_answered_up_deliver_Data(struct variants_step *step, struct variants_msg m, uint8_t number) {
#line 15 "tests/golden/variants/source.nacre"
    (void)step;
    struct variants_msg_answered empty = {.data = false};
#line 16 "tests/golden/variants/source.nacre"
    empty.answered = 2;
#line 16 "tests/golden/variants/source.nacre"
    empty.answered_number = number;
#line 16 "tests/golden/variants/source.nacre"
    variants_out_below_down_send(step, empty);
    variants_out_above_up_deliver(step, m);
}

/* answered.up.deliver.Data, along the likely way */
variants_INLINE void variants_on_answered_up_deliver_Data(struct variants_step *step, struct variants_msg m, uint8_t number) {
#line 15 "tests/golden/variants/source.nacre"
    (void)step;
    struct variants_msg_answered empty = {.data = false};
#line 16 "tests/golden/variants/source.nacre"
    empty.answered = 2;
#line 16 "tests/golden/variants/source.nacre"
    empty.answered_number = number;
#line 16 "tests/golden/variants/source.nacre"
    variants_quick_out_below_down_send(step, empty);
    variants_quick_out_above_up_deliver(step, m);
}

