
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct variants_bytes { uint32_t block, offset, len; };
struct variants_msg_answered { /* a message with the headers of answered and what is above; a tag names the header, 0: none */
    struct variants_bytes bytes;
    bool data;
    uint8_t answered;
    uint8_t answered_number;
};
struct variants_msg { /* a message without headers */
    struct variants_bytes bytes;
    bool data;
};

struct variants_state {
    struct { /* answered */
        uint8_t next;
        uint8_t answered;
    } answered;
    uint8_t nacre_nothing;
};

struct variants_config {
    uint8_t nothing;
};

/* answered takes deliver */
variants_PLAIN void variants_answered_up_deliver(struct variants_step *step, struct variants_msg_answered m) {
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

/* answered takes send */
variants_PLAIN void variants_answered_down_send(struct variants_step *step, struct variants_msg_answered m) {
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

/* answered.down.send */
variants_PLAIN void variants_on_answered_down_send(struct variants_step *step, struct variants_msg m) {
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

/* answered.up.deliver.Answer */
variants_PLAIN void variants_on_answered_up_deliver_Answer(struct variants_step *step, struct variants_msg m, uint8_t number) {
#line 20 "tests/golden/variants/source.nacre"
    (void)step;
#line 20 "tests/golden/variants/source.nacre"
    variants_drop(step->pool, m.bytes);
#line 20 "tests/golden/variants/source.nacre"
    step->s->answered.answered = (uint8_t)((uint32_t)number + 1u);
}

/* answered.up.deliver.Data */
variants_PLAIN void variants_on_answered_up_deliver_Data(struct variants_step *step, struct variants_msg m, uint8_t number) {
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

