/* flagged takes deliver */
packed_PLAIN void packed_slow_flagged_up_deliver(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_slow_on_flagged_up_deliver_Flag(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size}, m.flagged_odd);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* flagged takes deliver, along the likely way */
packed_INLINE void packed_flagged_up_deliver(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_on_flagged_up_deliver_Flag(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size}, m.flagged_odd);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* flagged takes send, along the likely way */
packed_INLINE void packed_flagged_down_send(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_on_flagged_down_send(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size});
            break;

    }
}

/* flagged.down.send, along the likely way */
packed_INLINE void packed_on_flagged_down_send(struct packed_step *step, struct packed_msg_sized m) {
#line 22 "tests/golden/packed/source.nacre"
    (void)step;
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size};
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged = 1;
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged_odd = step->s->flagged.odd;
#line 23 "tests/golden/packed/source.nacre"
    packed_quick_out_below_down_send(step, carried);
    step->s->flagged.odd = !step->s->flagged.odd;
}

/* flagged.up.deliver.Flag */
packed_PLAIN void packed_slow_on_flagged_up_deliver_Flag(struct packed_step *step, struct packed_msg_sized m, bool odd) {
#line 26 "tests/golden/packed/source.nacre"
    (void)odd;
#line 26 "tests/golden/packed/source.nacre"
    (void)step;
#line 26 "tests/golden/packed/source.nacre"
    packed_slow_sized_up_deliver(step, m);
}

/* flagged.up.deliver.Flag, along the likely way */
packed_INLINE void packed_on_flagged_up_deliver_Flag(struct packed_step *step, struct packed_msg_sized m, bool odd) {
#line 26 "tests/golden/packed/source.nacre"
    (void)odd;
#line 26 "tests/golden/packed/source.nacre"
    (void)step;
#line 26 "tests/golden/packed/source.nacre"
    packed_sized_up_deliver(step, m);
}

/* sized takes deliver */
packed_PLAIN void packed_slow_sized_up_deliver(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_slow_on_sized_up_deliver_Size(step, (struct packed_msg){.bytes = m.bytes, .data = m.data}, m.sized_kind, m.sized_size);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* sized takes deliver, along the likely way */
packed_INLINE void packed_sized_up_deliver(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_on_sized_up_deliver_Size(step, (struct packed_msg){.bytes = m.bytes, .data = m.data}, m.sized_kind, m.sized_size);
            break;

        default:
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

    }
}

/* sized takes send, along the likely way */
packed_INLINE void packed_sized_down_send(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_on_sized_down_send(step, (struct packed_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* sized.down.send, along the likely way */
packed_INLINE void packed_on_sized_down_send(struct packed_step *step, struct packed_msg m) {
#line 7 "tests/golden/packed/source.nacre"
    (void)step;
    uint16_t size = (uint16_t)(m.bytes.len & 4095u);
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data};
#line 9 "tests/golden/packed/source.nacre"
    carried.sized = 1;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_kind = 5u;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_size = size;
#line 9 "tests/golden/packed/source.nacre"
    packed_flagged_down_send(step, carried);
}

/* sized.up.deliver.Size */
packed_PLAIN void packed_slow_on_sized_up_deliver_Size(struct packed_step *step, struct packed_msg m, uint8_t kind, uint16_t size) {
#line 12 "tests/golden/packed/source.nacre"
    (void)kind;
#line 12 "tests/golden/packed/source.nacre"
    (void)step;
    if ((uint32_t)size == (m.bytes.len & 4095u)) {
#line 13 "tests/golden/packed/source.nacre"
        packed_out_above_up_deliver(step, m);
#line 13 "tests/golden/packed/source.nacre"
    } else {
#line 13 "tests/golden/packed/source.nacre"
        packed_drop(step->pool, m.bytes);
    }
}

/* sized.up.deliver.Size, along the likely way */
packed_INLINE void packed_on_sized_up_deliver_Size(struct packed_step *step, struct packed_msg m, uint8_t kind, uint16_t size) {
#line 12 "tests/golden/packed/source.nacre"
    (void)kind;
#line 12 "tests/golden/packed/source.nacre"
    (void)step;
    if ((uint32_t)size == (m.bytes.len & 4095u)) {
#line 13 "tests/golden/packed/source.nacre"
        packed_quick_out_above_up_deliver(step, m);
#line 13 "tests/golden/packed/source.nacre"
    } else {
#line 13 "tests/golden/packed/source.nacre"
        packed_drop(step->pool, m.bytes);
    }
}

