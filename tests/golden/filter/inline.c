/* checked takes deliver */
filter_PLAIN void filter_slow_checked_up_deliver(struct filter_step *step, struct filter_msg_checked m) {
    switch (m.checked) {
        case 1: /* Parity */
            filter_slow_on_checked_up_deliver_Parity(step, (struct filter_msg){.bytes = m.bytes, .data = m.data}, m.checked_sum);
            break;

        default:
            filter_drop(step->pool, m.bytes);
            step->counters[filter_BROKEN]++;
            break;

    }
}

/* checked takes deliver, along the likely way */
filter_INLINE void filter_checked_up_deliver(struct filter_step *step, struct filter_msg_checked m) {
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

/* checked takes send, along the likely way */
filter_INLINE void filter_checked_down_send(struct filter_step *step, struct filter_msg_checked m) {
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

/* checked.down.send, along the likely way */
filter_INLINE void filter_on_checked_down_send(struct filter_step *step, struct filter_msg m) {
#line 15 "tests/golden/filter/source.nacre"
    (void)step;
    const struct filter_bytes pieces[] = {m.bytes};
#line 16 "tests/golden/filter/source.nacre"
    bool accepted = true;
#line 16 "tests/golden/filter/source.nacre"
    uint8_t through = filter_filter_0_parity_aside(step, pieces, 1u, &accepted);
#line 16 "tests/golden/filter/source.nacre"
    uint8_t sum = through;
    struct filter_msg_checked carried = {.bytes = m.bytes, .data = m.data};
#line 17 "tests/golden/filter/source.nacre"
    carried.checked = 1;
#line 17 "tests/golden/filter/source.nacre"
    carried.checked_sum = sum;
#line 17 "tests/golden/filter/source.nacre"
    filter_quick_out_below_down_send(step, carried);
}

/* checked.up.deliver.Parity */
filter_PLAIN void filter_slow_on_checked_up_deliver_Parity(struct filter_step *step, struct filter_msg m, uint8_t sum) {
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

/* checked.up.deliver.Parity, along the likely way */
filter_INLINE void filter_on_checked_up_deliver_Parity(struct filter_step *step, struct filter_msg m, uint8_t sum) {
#line 20 "tests/golden/filter/source.nacre"
    (void)step;
    const struct filter_bytes pieces[] = {m.bytes};
#line 21 "tests/golden/filter/source.nacre"
    bool accepted = true;
#line 21 "tests/golden/filter/source.nacre"
    uint8_t through = filter_filter_0_parity_aside(step, pieces, 1u, &accepted);
#line 21 "tests/golden/filter/source.nacre"
    if (filter_LIKELY((sum == through))) {
        filter_quick_out_above_up_deliver(step, m);
#line 22 "tests/golden/filter/source.nacre"
    } else {
#line 24 "tests/golden/filter/source.nacre"
        filter_drop(step->pool, m.bytes);
        step->counters[filter_COUNT_checked_damaged]++;
    }
}

