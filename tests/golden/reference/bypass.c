/* sums takes send */
reference_PLAIN void reference_slow_sums_down_send(struct reference_step *step, struct reference_msg m) {
    reference_slow_on_sums_down_send(step, m);
}

/* sums.down.send */
reference_PLAIN void reference_slow_on_sums_down_send(struct reference_step *step, struct reference_msg m) {
#line 9 "tests/golden/reference/source.nacre"
    (void)step;
    reference_slow_sums_note(step, &step->s->sums.sent, m.bytes.len);
    reference_out_below_down_send(step, m);
}

