/* bypass 00: deliver Parity, along the likely way */
filter_INLINE bool filter_bypass_0(struct filter_step *step, struct filter_msg m, uint8_t sum) {
    (void)step;
    bool holds = false;
    {
        const struct filter_bytes pieces[] = {m.bytes};
        bool accepted = true;
        uint8_t through = filter_filter_0_parity_aside(step, pieces, 1u, &accepted);
        holds = (sum == through);
    }
    if (filter_UNLIKELY(!(holds))) { return false; }
#line 22 "tests/golden/filter/source.nacre"
    struct filter_msg m_2 = m;
#line 22 "tests/golden/filter/source.nacre"
    filter_quick_out_above_up_deliver(step, m_2);
#line 22 "tests/golden/filter/source.nacre"
    return true;
}

/* bypass 01: deliver Parity, along the likely way */
filter_INLINE bool filter_bypass_1(struct filter_step *step, struct filter_msg m, uint8_t sum) {
    (void)step;
    bool holds = false;
    {
        const struct filter_bytes pieces[] = {m.bytes};
        bool accepted = true;
        uint8_t through = filter_filter_0_parity_aside(step, pieces, 1u, &accepted);
        holds = !(sum == through);
    }
    if (filter_UNLIKELY(!(holds))) { return false; }
#line 24 "tests/golden/filter/source.nacre"
    filter_drop(step->pool, m.bytes);
    step->counters[filter_COUNT_checked_damaged]++;
#line 25 "tests/golden/filter/source.nacre"
    return true;
}

/* bypass 02: send, along the likely way */
filter_INLINE bool filter_bypass_2(struct filter_step *step, struct filter_msg m) {
    (void)step;
    if (filter_UNLIKELY(!(true))) { return false; }
#line 16 "tests/golden/filter/source.nacre"
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
    struct filter_msg_checked m_2 = carried;
#line 17 "tests/golden/filter/source.nacre"
    filter_quick_out_below_down_send(step, m_2);
#line 17 "tests/golden/filter/source.nacre"
    return true;
}

/* checked takes send */
filter_PLAIN void filter_slow_checked_down_send(struct filter_step *step, struct filter_msg_checked m) {
    switch (m.checked) {
        case 1: /* Parity */
            filter_drop(step->pool, m.bytes);
            step->counters[filter_BROKEN]++;
            break;

        default:
            filter_slow_on_checked_down_send(step, (struct filter_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* checked.down.send */
filter_PLAIN void filter_slow_on_checked_down_send(struct filter_step *step, struct filter_msg m) {
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

