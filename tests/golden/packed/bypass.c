
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct packed_bytes { uint32_t block, offset, len; };
struct packed_msg_sized { /* a message with the headers of sized and what is above; a tag names the header, 0: none */
    struct packed_bytes bytes;
    bool data;
    uint8_t sized;
    uint8_t sized_kind;
    uint16_t sized_size;
};
struct packed_msg { /* a message without headers */
    struct packed_bytes bytes;
    bool data;
};
struct packed_msg_flagged { /* a message with the headers of flagged and what is above; a tag names the header, 0: none */
    struct packed_bytes bytes;
    bool data;
    uint8_t flagged;
    uint8_t sized;
    bool flagged_odd;
    uint8_t sized_kind;
    uint16_t sized_size;
};

struct packed_state {
    struct { /* flagged */
        bool odd;
    } flagged;
    uint8_t nacre_nothing;
};

/* bypass 00: deliver Flag Size, along the likely way */
packed_INLINE void packed_bypass_0(struct packed_step *step, struct packed_msg_sized m, bool odd, uint8_t kind, uint16_t size) {
    (void)odd;
    (void)kind;
    (void)size;
    (void)step;
#line 26 "tests/golden/packed/source.nacre"
    struct packed_msg carried = {.bytes = m.bytes, .data = m.data};
#line 26 "tests/golden/packed/source.nacre"
    struct packed_msg m_2 = carried;
#line 13 "tests/golden/packed/source.nacre"
    struct packed_msg m_3 = m_2;
#line 13 "tests/golden/packed/source.nacre"
    packed_quick_out_above_up_deliver(step, m_3);
}

/* bypass 01: send, along the likely way */
packed_INLINE bool packed_bypass_1(struct packed_step *step, struct packed_msg m) {
    (void)step;
    if (packed_UNLIKELY(!(true))) { return false; }
#line 8 "tests/golden/packed/source.nacre"
    uint16_t size = (uint16_t)(m.bytes.len & 4095u);
    struct packed_msg_sized carried = {.bytes = m.bytes, .data = m.data};
#line 9 "tests/golden/packed/source.nacre"
    carried.sized = 1;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_kind = 5u;
#line 9 "tests/golden/packed/source.nacre"
    carried.sized_size = size;
#line 9 "tests/golden/packed/source.nacre"
    struct packed_msg_sized m_2 = carried;
#line 23 "tests/golden/packed/source.nacre"
    struct packed_msg_flagged carried_2 = {.bytes = m_2.bytes, .data = m_2.data, .sized = m_2.sized, .sized_kind = m_2.sized_kind, .sized_size = m_2.sized_size};
#line 23 "tests/golden/packed/source.nacre"
    carried_2.flagged = 1;
#line 23 "tests/golden/packed/source.nacre"
    carried_2.flagged_odd = step->s->flagged.odd;
#line 23 "tests/golden/packed/source.nacre"
    struct packed_msg_flagged m_3 = carried_2;
    step->s->flagged.odd = !step->s->flagged.odd;
#line 24 "tests/golden/packed/source.nacre"
    packed_quick_out_below_down_send(step, m_3);
#line 24 "tests/golden/packed/source.nacre"
    return true;
}

/* flagged takes send */
packed_PLAIN void packed_slow_flagged_down_send(struct packed_step *step, struct packed_msg_flagged m) {
    switch (m.flagged) {
        case 1: /* Flag */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_slow_on_flagged_down_send(step, (struct packed_msg_sized){.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size});
            break;

    }
}

/* flagged.down.send */
packed_PLAIN void packed_slow_on_flagged_down_send(struct packed_step *step, struct packed_msg_sized m) {
#line 22 "tests/golden/packed/source.nacre"
    (void)step;
    struct packed_msg_flagged carried = {.bytes = m.bytes, .data = m.data, .sized = m.sized, .sized_kind = m.sized_kind, .sized_size = m.sized_size};
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged = 1;
#line 23 "tests/golden/packed/source.nacre"
    carried.flagged_odd = step->s->flagged.odd;
#line 23 "tests/golden/packed/source.nacre"
    packed_out_below_down_send(step, carried);
    step->s->flagged.odd = !step->s->flagged.odd;
}

/* sized takes send */
packed_PLAIN void packed_slow_sized_down_send(struct packed_step *step, struct packed_msg_sized m) {
    switch (m.sized) {
        case 1: /* Size */
            packed_drop(step->pool, m.bytes);
            step->counters[packed_BROKEN]++;
            break;

        default:
            packed_slow_on_sized_down_send(step, (struct packed_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* sized.down.send */
packed_PLAIN void packed_slow_on_sized_down_send(struct packed_step *step, struct packed_msg m) {
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
    packed_slow_flagged_down_send(step, carried);
}

