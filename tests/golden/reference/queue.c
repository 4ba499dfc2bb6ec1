
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct reference_bytes { uint32_t block, offset, len; };
struct reference_msg { /* a message without headers */
    struct reference_bytes bytes;
    bool data;
};
struct reference_Side {
    uint32_t messages;
    uint64_t bytes_in_all;
};

struct reference_state {
    struct { /* sums */
        struct reference_Side sent;
        struct reference_Side came;
    } sums;
    uint8_t nacre_nothing;
};

struct reference_config {
    uint8_t nothing;
};

/* sums takes deliver */
reference_PLAIN void reference_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
    reference_on_sums_up_deliver(step, m);
}

/* sums takes send */
reference_PLAIN void reference_sums_down_send(struct reference_step *step, struct reference_msg m) {
    reference_on_sums_down_send(step, m);
}

/* sums.down.send */
reference_PLAIN void reference_on_sums_down_send(struct reference_step *step, struct reference_msg m) {
#line 9 "tests/golden/reference/source.nacre"
    (void)step;
    reference_sums_note(step, &step->s->sums.sent, m.bytes.len);
    reference_out_below_down_send(step, m);
}

/* sums.note */
reference_PLAIN void reference_sums_note(struct reference_step *step, struct reference_Side *side, uint32_t size) {
#line 19 "tests/golden/reference/source.nacre"
    (void)step;
    side->messages = (side->messages + 1u);
    side->bytes_in_all = (side->bytes_in_all + (uint64_t)size);
}

/* sums.up.deliver */
reference_PLAIN void reference_on_sums_up_deliver(struct reference_step *step, struct reference_msg m) {
#line 14 "tests/golden/reference/source.nacre"
    (void)step;
    reference_sums_note(step, &step->s->sums.came, m.bytes.len);
    reference_out_above_up_deliver(step, m);
}

