/* flagged.up.deliver.Flag */
packed_PLAIN void packed_on_flagged_up_deliver_Flag(struct packed_step *step, struct packed_msg_sized m, bool odd) {
#line 26 "tests/golden/packed/source.nacre"
    (void)odd;
    (void)step;
#line 26 "tests/golden/packed/source.nacre"
    packed_sized_up_deliver(step, m);
}

/* sized.down.send */
packed_PLAIN void packed_on_sized_down_send(struct packed_step *step, struct packed_msg m) {
#line 7 "tests/golden/packed/source.nacre"
    (void)step;
    uint16_t size = (uint16_t)(m.bytes.len & 4095u);
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data};
    carried.sized = 1;
    carried.sized_kind = 5u;
    carried.sized_size = size;
#line 9 "tests/golden/packed/source.nacre"
    packed_flagged_down_send(step, carried);
}

