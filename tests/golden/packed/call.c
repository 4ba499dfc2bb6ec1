/* flagged.up.deliver.Flag */
packed_PLAIN void packed_on_flagged_up_deliver_Flag(struct packed_step *step, struct packed_msg_sized m, bool odd) {
#line 26 "tests/golden/packed/source.nacre"
    (void)odd;
#line 26 "tests/golden/packed/source.nacre"
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
#line 9 "tests/golden/packed/source.nacre"
    carried.sized = 1;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_kind = 5u;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_size = size;
#line 9 "tests/golden/packed/source.nacre"
    packed_flagged_down_send(step, carried);
}

