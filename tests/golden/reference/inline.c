/* sums takes deliver */
reference_PLAIN void reference_slow_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
    reference_slow_on_sums_up_deliver(step, m);
}

/* sums takes deliver, along the likely way */
reference_INLINE void reference_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
    reference_on_sums_up_deliver(step, m);
}

/* sums takes send, along the likely way */
reference_INLINE void reference_sums_down_send(struct reference_step *step, struct reference_msg m) {
    reference_on_sums_down_send(step, m);
}

/* sums.down.send, along the likely way */
reference_INLINE void reference_on_sums_down_send(struct reference_step *step, struct reference_msg m) {
#line 9 "tests/golden/reference/source.nacre"
    (void)step;
    reference_sums_note(step, &step->s->sums.sent, m.bytes.len);
    reference_quick_out_below_down_send(step, m);
}

/* sums.note */
reference_PLAIN void reference_slow_sums_note(struct reference_step *step, struct reference_Side *side, uint32_t size) {
#line 19 "tests/golden/reference/source.nacre"
    (void)step;
    side->messages = (side->messages + 1u);
    side->bytes_in_all = (side->bytes_in_all + (uint64_t)size);
}

/* sums.note, along the likely way */
reference_INLINE void reference_sums_note(struct reference_step *step, struct reference_Side *side, uint32_t size) {
#line 19 "tests/golden/reference/source.nacre"
    (void)step;
    side->messages = (side->messages + 1u);
    side->bytes_in_all = (side->bytes_in_all + (uint64_t)size);
}

/* sums.up.deliver */
reference_PLAIN void reference_slow_on_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
#line 14 "tests/golden/reference/source.nacre"
    (void)step;
    reference_slow_sums_note(step, &step->s->sums.came, m.bytes.len);
    reference_out_above_up_deliver(step, m);
}

/* sums.up.deliver, along the likely way */
reference_INLINE void reference_on_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
#line 14 "tests/golden/reference/source.nacre"
    (void)step;
    reference_sums_note(step, &step->s->sums.came, m.bytes.len);
    reference_quick_out_above_up_deliver(step, m);
}

