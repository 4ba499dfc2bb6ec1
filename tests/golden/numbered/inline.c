/* `sequencer / floor`, as Nacre's C back end writes it at level inline. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#include "numbered.h"

#include <string.h>

enum { numbered_MALFORMED, numbered_IMPOSSIBLE, numbered_NO_SPACE, numbered_REFUSED, numbered_BOUND, numbered_BROKEN, numbered_COUNT_floor_unknown, numbered_COUNT_sequencer_late };
#define numbered_BLOCK 64u
#define numbered_NODES 1u
#define numbered_OUTPUTS 2u
#define numbered_SEGMENTS 2u
#define numbered_BYTES 48u
#define numbered_QUEUE 4u
#define numbered_WAITING 16u

/* What a step seldom needs. */
struct numbered_more {
    uint8_t nothing;
    uint8_t temp[35]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct numbered_step {
    struct numbered_state *s;
    struct numbered_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    struct numbered_more *more;
};

/* ... text that all stacks share ... */

numbered_INLINE void numbered_floor_down_close(struct numbered_step *step);
numbered_PLAIN void numbered_slow_floor_up_deliver(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_floor m);
numbered_INLINE void numbered_floor_up_deliver(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_floor m);
numbered_PLAIN void numbered_slow_floor_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_INLINE void numbered_slow_floor_down_grant_delivers_aside(struct numbered_step *step, uint16_t n) {
    struct numbered_step aside = *step;
    numbered_slow_floor_down_grant_delivers(&aside, n);
    numbered_back(step, &aside);
}
numbered_INLINE void numbered_floor_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_PLAIN void numbered_slow_floor_up_init(struct numbered_step *step);
numbered_INLINE void numbered_floor_down_send(struct numbered_step *step, struct numbered_msg_floor m);
numbered_INLINE void numbered_floor_up_unknown(struct numbered_step *step);
numbered_PLAIN void numbered_slow_floor_confirm(struct numbered_step *step);
numbered_INLINE void numbered_slow_floor_confirm_aside(struct numbered_step *step) {
    struct numbered_step aside = *step;
    numbered_slow_floor_confirm(&aside);
    numbered_back(step, &aside);
}
numbered_INLINE void numbered_floor_confirm(struct numbered_step *step);
numbered_INLINE void numbered_on_floor_down_close(struct numbered_step *step);
numbered_PLAIN void numbered_slow_on_floor_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_INLINE void numbered_on_floor_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_INLINE void numbered_on_floor_down_send(struct numbered_step *step, struct numbered_msg_sequencer m);
numbered_PLAIN void numbered_slow_on_floor_up_deliver_Identified(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
numbered_INLINE void numbered_on_floor_up_deliver_Identified(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
numbered_PLAIN void numbered_slow_on_floor_up_deliver_Short(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to);
numbered_INLINE void numbered_on_floor_up_deliver_Short(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to);
numbered_PLAIN void numbered_slow_on_floor_up_init(struct numbered_step *step);
numbered_INLINE void numbered_on_floor_up_unknown(struct numbered_step *step);
numbered_INLINE void numbered_sequencer_down_close(struct numbered_step *step);
numbered_INLINE void numbered_sequencer_up_closed(struct numbered_step *step, uint8_t why);
numbered_PLAIN void numbered_slow_sequencer_up_deliver(struct numbered_step *step, struct numbered_msg_sequencer m);
numbered_INLINE void numbered_sequencer_up_deliver(struct numbered_step *step, struct numbered_msg_sequencer m);
numbered_INLINE void numbered_sequencer_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_PLAIN void numbered_slow_sequencer_up_init(struct numbered_step *step);
numbered_PLAIN void numbered_slow_sequencer_up_open(struct numbered_step *step, struct nacre_addr from);
numbered_INLINE void numbered_sequencer_up_open(struct numbered_step *step, struct nacre_addr from);
numbered_INLINE void numbered_sequencer_down_send(struct numbered_step *step, struct numbered_msg_sequencer m);
numbered_INLINE void numbered_on_sequencer_down_close(struct numbered_step *step);
numbered_INLINE void numbered_on_sequencer_down_grant_delivers(struct numbered_step *step, uint16_t n);
numbered_INLINE void numbered_on_sequencer_down_send(struct numbered_step *step, struct numbered_msg m);
numbered_INLINE void numbered_on_sequencer_up_closed(struct numbered_step *step, uint8_t why);
numbered_PLAIN void numbered_slow_on_sequencer_up_deliver_Seq(struct numbered_step *step, struct numbered_msg m, uint32_t number);
numbered_INLINE void numbered_on_sequencer_up_deliver_Seq(struct numbered_step *step, struct numbered_msg m, uint32_t number);
numbered_PLAIN void numbered_slow_on_sequencer_up_init(struct numbered_step *step);
numbered_PLAIN void numbered_slow_on_sequencer_up_open(struct numbered_step *step, struct nacre_addr from);
numbered_INLINE void numbered_on_sequencer_up_open(struct numbered_step *step, struct nacre_addr from);

/* Short Seq: 8 bytes, then 0 to 65459 of data */
numbered_INLINE bool numbered_shape_0_0(const uint8_t *at, uint32_t len, struct numbered_msg_floor *m) {
    if (!(len - 8u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 1;
    m->sequencer = 1;
    {
        uint64_t value = (numbered_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = numbered_get(at + 4, 4u);
        m->sequencer_number = (uint32_t)value;
    }
    return true;
}

/* Identified Seq: 48 bytes, then 0 to 65459 of data */
numbered_INLINE bool numbered_shape_0_1(const uint8_t *at, uint32_t len, struct numbered_msg_floor *m) {
    if (!(len - 48u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 2;
    m->sequencer = 1;
    {
        uint64_t value = (numbered_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = numbered_get(at + 4, 8u);
        m->floor_stack = value;
    }
    {
        uint64_t value = numbered_get(at + 12, 4u);
        m->floor_from = (uint32_t)value;
    }
    {
        uint64_t value = numbered_get(at + 16, 8u);
        m->floor_identity = value;
    }
    {
        uint64_t value = numbered_get(at + 24, 8u);
        m->floor_peer_identity = value;
    }
    {
        uint64_t value = numbered_get(at + 32, 8u);
        m->floor_incarnation = value;
    }
    {
        uint64_t value = numbered_get(at + 40, 4u);
        m->floor_check = (uint32_t)value;
    }
    {
        uint64_t value = numbered_get(at + 44, 4u);
        m->sequencer_number = (uint32_t)value;
    }
    return true;
}

numbered_PLAIN uint32_t numbered_parse_0(const uint8_t *at, uint32_t len, struct numbered_msg_floor *m) {
    if (len == 0) { return UINT32_MAX; }
    uint32_t shape = at[0];
    switch (shape) {
        case 0: return numbered_shape_0_0(at, len, m) ? 8u : UINT32_MAX;
        case 1: return numbered_shape_0_1(at, len, m) ? 48u : UINT32_MAX;
        default: return UINT32_MAX;
    }
}

/* Where reading is in a row of pieces. */
struct numbered_reader { const struct numbered_bytes *piece, *end; uint32_t at; };
numbered_PLAIN const uint8_t *numbered_next_run(const struct numbered_step *step, struct numbered_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = numbered_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

numbered_PLAIN uint32_t numbered_filter_0_castagnoli(struct numbered_step *step, const struct numbered_bytes *pieces, uint32_t count, bool *accepted_2) {
    uint32_t crc = 0xffffffffu;
    (void)crc;
    const uint32_t made_from_2 = step->bytes;
    *accepted_2 = true;
    struct numbered_reader reader = {pieces, pieces + count, 0};
    const uint8_t *bytes_2 = NULL;
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = numbered_next_run(step, &reader, &run_2)) != NULL;) {
        uint64_t unit_2 = *bytes_2++;
        run_2--;
        uint8_t b = (uint8_t)(unit_2);
        (void)b;
        crc = (crc ^ (uint32_t)b);
        const uint64_t from = 0u;
        const uint64_t to = 2u;
        const uint64_t left = to > from ? to - from : 0;
        for (uint64_t turn = 0; turn < left; turn++) {
            if (numbered_UNLIKELY(turn == 2u)) {
                step->counters[numbered_BOUND]++;
                break;
            }
            uint8_t t2 = (uint8_t)((from + turn));
            (void)t2;
            uint32_t remainder = 0u;
            uint32_t t4 = (crc & 15u);
            if (t4 == 0u) {
                remainder = 0u;
            } else {
                if (t4 == 1u) {
                    remainder = 0x105ec76fu;
                } else {
                    if (t4 == 2u) {
                        remainder = 0x20bd8edeu;
                    } else {
                        if (t4 == 3u) {
                            remainder = 0x30e349b1u;
                        } else {
                            if (t4 == 4u) {
                                remainder = 0x417b1dbcu;
                            } else {
                                if (t4 == 5u) {
                                    remainder = 0x5125dad3u;
                                } else {
                                    if (t4 == 6u) {
                                        remainder = 0x61c69362u;
                                    } else {
                                        if (t4 == 7u) {
                                            remainder = 0x7198540du;
                                        } else {
                                            if (t4 == 8u) {
                                                remainder = 0x82f63b78u;
                                            } else {
                                                if (t4 == 9u) {
                                                    remainder = 0x92a8fc17u;
                                                } else {
                                                    if (t4 == 10u) {
                                                        remainder = 0xa24bb5a6u;
                                                    } else {
                                                        if (t4 == 11u) {
                                                            remainder = 0xb21572c9u;
                                                        } else {
                                                            if (t4 == 12u) {
                                                                remainder = 0xc38d26c4u;
                                                            } else {
                                                                if (t4 == 13u) {
                                                                    remainder = 0xd3d3e1abu;
                                                                } else {
                                                                    if (t4 == 14u) {
                                                                        remainder = 0xe330a81au;
                                                                    } else {
                                                                        remainder = 0xf36e6f75u;
                                                                    }
                                                                }
                                                            }
                                                        }
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            crc = ((crc >> 4u) ^ remainder);
        }
    }
    (void)made_from_2;
    return (crc ^ 0xffffffffu);
}
numbered_INLINE uint32_t numbered_filter_0_castagnoli_aside(struct numbered_step *step, const struct numbered_bytes *pieces, uint32_t count, bool *accepted_2) {
    struct numbered_step aside = *step;
    uint32_t result = numbered_filter_0_castagnoli(&aside, pieces, count, accepted_2);
    numbered_back(step, &aside);
    return result;
}

numbered_INLINE uint32_t numbered_head_1(struct numbered_msg_sequencer m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.sequencer) {
        case 3: /* Seq */
            numbered_put(to + 0, (uint64_t)m.sequencer_number, 4u);
            return 4u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

numbered_PLAIN void numbered_view_packed_1(struct numbered_step *step, struct numbered_msg_sequencer m, uint32_t temp, struct numbered_bytes pieces[2]) {
    const uint32_t size = numbered_head_1(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[numbered_BROKEN]++; }
    pieces[0] = fits && size ? (struct numbered_bytes){.block = numbered_TEMP, .offset = temp, .len = size} : (struct numbered_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct numbered_bytes){.block = 0};
}
numbered_INLINE void numbered_view_packed_1_aside(struct numbered_step *step, struct numbered_msg_sequencer m, uint32_t temp, struct numbered_bytes pieces[2]) {
    struct numbered_step aside = *step;
    numbered_view_packed_1(&aside, m, temp, pieces);
    numbered_back(step, &aside);
}

numbered_INLINE void numbered_quick_out_above_up_deliver(struct numbered_step *step, struct numbered_msg m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->port = 1;
    output->event = 7;
    output->session = 0;
    numbered_quick_segments(step, output, NULL, 0, m.bytes);
    step->outputs++;
}

numbered_INLINE void numbered_quick_out_above_up_open(struct numbered_step *step, struct nacre_addr from) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->address = from;
    output->port = 1;
    output->event = 9;
    output->session = 0;
    output->len = output->segments_len = 0;
    output->segments = NULL;
    step->outputs++;
}

numbered_PLAIN void numbered_out_above_up_open(struct numbered_step *step, struct nacre_addr from) {
    struct nacre_output *output = numbered_output(step, 1, 9);
    if (numbered_UNLIKELY(output == NULL)) {
        return;
    }
    output->address = from;
}

numbered_PLAIN void numbered_out_above_up_deliver(struct numbered_step *step, struct numbered_msg m) {
    struct nacre_output *output = numbered_output(step, 1, 7);
    if (numbered_UNLIKELY(output == NULL)) {
        numbered_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    numbered_segments(step, output, m.bytes);
}

numbered_INLINE void numbered_quick_out_above_up_closed(struct numbered_step *step, uint8_t why) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->arguments[0] = (uint64_t)why;
    output->port = 1;
    output->event = 10;
    output->session = 0;
    output->len = output->segments_len = 0;
    output->segments = NULL;
    step->outputs++;
}

numbered_INLINE uint32_t numbered_head_0_send(struct numbered_msg_floor m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.floor + 6u * m.sequencer) {
        case 9: /* Short Seq */
            numbered_put(to + 0, (uint64_t)m.floor_to << 8 | (uint64_t)m.sequencer_number << 32, 8u);
            return 8u;

        case 11: /* Identified Seq */
            numbered_put(to + 0, 1u | (uint64_t)m.floor_to << 8 | (uint64_t)m.floor_stack << 32, 8u);
            numbered_put(to + 8, (uint64_t)m.floor_stack >> 32 | (uint64_t)m.floor_from << 32, 8u);
            numbered_put(to + 16, (uint64_t)m.floor_identity, 8u);
            numbered_put(to + 24, (uint64_t)m.floor_peer_identity, 8u);
            numbered_put(to + 32, (uint64_t)m.floor_incarnation, 8u);
            numbered_put(to + 40, (uint64_t)m.floor_check | (uint64_t)m.sequencer_number << 32, 8u);
            return 48u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

numbered_INLINE void numbered_quick_out_below_down_send(struct numbered_step *step, struct nacre_addr to, struct numbered_msg_floor m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->address = to;
    output->port = 0;
    output->event = 3;
    output->session = 0;
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = numbered_head_0_send(m, head);
    if (numbered_UNLIKELY(size == UINT32_MAX)) {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_BROKEN]++;
        return;
    }
    step->bytes += size;
    numbered_quick_segments(step, output, head, size, m.bytes);
    step->outputs++;
}

numbered_PLAIN void numbered_out_above_up_init(struct numbered_step *step) {
    struct nacre_output *output = numbered_output(step, 1, 8);
    if (numbered_UNLIKELY(output == NULL)) {
        return;
    }
}

/* floor takes close, along the likely way */
numbered_INLINE void numbered_floor_down_close(struct numbered_step *step) {
    numbered_on_floor_down_close(step);
}

/* floor takes deliver */
numbered_PLAIN void numbered_slow_floor_up_deliver(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            numbered_slow_on_floor_up_deliver_Short(step, from, (struct numbered_msg_sequencer){.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number}, m.floor_to);
            break;

        case 2: /* Identified */
            numbered_slow_on_floor_up_deliver_Identified(step, from, (struct numbered_msg_sequencer){.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

    }
}

/* floor takes deliver, along the likely way */
numbered_INLINE void numbered_floor_up_deliver(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            numbered_on_floor_up_deliver_Short(step, from, (struct numbered_msg_sequencer){.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number}, m.floor_to);
            break;

        case 2: /* Identified */
            numbered_on_floor_up_deliver_Identified(step, from, (struct numbered_msg_sequencer){.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

    }
}

/* floor takes grant_delivers */
numbered_PLAIN void numbered_slow_floor_down_grant_delivers(struct numbered_step *step, uint16_t n) {
    numbered_slow_on_floor_down_grant_delivers(step, n);
}

/* floor takes grant_delivers, along the likely way */
numbered_INLINE void numbered_floor_down_grant_delivers(struct numbered_step *step, uint16_t n) {
    numbered_on_floor_down_grant_delivers(step, n);
}

/* floor takes init */
numbered_PLAIN void numbered_slow_floor_up_init(struct numbered_step *step) {
    numbered_slow_on_floor_up_init(step);
}

/* floor takes send, along the likely way */
numbered_INLINE void numbered_floor_down_send(struct numbered_step *step, struct numbered_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

        case 2: /* Identified */
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

        default:
            numbered_on_floor_down_send(step, (struct numbered_msg_sequencer){.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number});
            break;

    }
}

/* floor takes unknown, along the likely way */
numbered_INLINE void numbered_floor_up_unknown(struct numbered_step *step) {
    numbered_on_floor_up_unknown(step);
}

/* floor.confirm */
numbered_PLAIN void numbered_slow_floor_confirm(struct numbered_step *step) {
#line 112 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/numbered/../../../layers/floor/floor.nacre"
        numbered_slow_sequencer_up_open(step, step->s->floor.peer);
    }
}

/* floor.confirm, along the likely way */
numbered_INLINE void numbered_floor_confirm(struct numbered_step *step) {
#line 112 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/numbered/../../../layers/floor/floor.nacre"
        numbered_sequencer_up_open(step, step->s->floor.peer);
    }
}

/* floor.down.close, along the likely way */
numbered_INLINE void numbered_on_floor_down_close(struct numbered_step *step) {
#line 72 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
#line 72 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_sequencer_up_closed(step, 0u);
}

/* floor.down.grant_delivers */
numbered_PLAIN void numbered_slow_on_floor_down_grant_delivers(struct numbered_step *step, uint16_t n) {
#line 70 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
}

/* floor.down.grant_delivers, along the likely way */
numbered_INLINE void numbered_on_floor_down_grant_delivers(struct numbered_step *step, uint16_t n) {
#line 70 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
}

/* floor.down.send, along the likely way */
numbered_INLINE void numbered_on_floor_down_send(struct numbered_step *step, struct numbered_msg_sequencer m) {
#line 46 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
    if (numbered_LIKELY(step->s->floor.confirmed)) {
        struct numbered_msg_floor carried = {.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 48 "tests/golden/numbered/../../../layers/floor/floor.nacre"
        numbered_quick_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct numbered_bytes packed[2];
    numbered_view_packed_1_aside(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct numbered_bytes view_2 = {.block = 3u ? numbered_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct numbered_bytes view_3 = {.block = 4u ? numbered_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct numbered_bytes view_4 = {.block = 8u ? numbered_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct numbered_bytes view_5 = {.block = 8u ? numbered_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct numbered_bytes view_6 = {.block = 8u ? numbered_TEMP : 0, .offset = 27u, .len = 8u};
    const struct numbered_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = numbered_filter_0_castagnoli_aside(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct numbered_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data, .sequencer = m.sequencer, .sequencer_number = m.sequencer_number};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0x98d990977a93a9ec);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 59 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_quick_out_below_down_send(step, step->s->floor.peer, carried_2);
}

/* floor.up.deliver.Identified */
numbered_PLAIN void numbered_slow_on_floor_up_deliver_Identified(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct numbered_bytes packed[2];
    numbered_view_packed_1(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct numbered_bytes view_2 = {.block = 3u ? numbered_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct numbered_bytes view_3 = {.block = 4u ? numbered_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct numbered_bytes view_4 = {.block = 8u ? numbered_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct numbered_bytes view_5 = {.block = 8u ? numbered_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct numbered_bytes view_6 = {.block = 8u ? numbered_TEMP : 0, .offset = 27u, .len = 8u};
    const struct numbered_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = numbered_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0x98d990977a93a9ec)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        numbered_slow_floor_confirm(step);
    }
#line 104 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_slow_sequencer_up_deliver(step, m);
}

/* floor.up.deliver.Identified, along the likely way */
numbered_INLINE void numbered_on_floor_up_deliver_Identified(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct numbered_bytes packed[2];
    numbered_view_packed_1_aside(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct numbered_bytes view_2 = {.block = 3u ? numbered_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct numbered_bytes view_3 = {.block = 4u ? numbered_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct numbered_bytes view_4 = {.block = 8u ? numbered_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct numbered_bytes view_5 = {.block = 8u ? numbered_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct numbered_bytes view_6 = {.block = 8u ? numbered_TEMP : 0, .offset = 27u, .len = 8u};
    const struct numbered_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = numbered_filter_0_castagnoli_aside(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0x98d990977a93a9ec)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        numbered_floor_confirm(step);
    }
#line 104 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_sequencer_up_deliver(step, m);
}

/* floor.up.deliver.Short */
numbered_PLAIN void numbered_slow_on_floor_up_deliver_Short(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to) {
#line 74 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (numbered_UNLIKELY((to != step->s->floor.cookie))) {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (numbered_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        numbered_slow_floor_confirm(step);
    }
#line 80 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_slow_sequencer_up_deliver(step, m);
}

/* floor.up.deliver.Short, along the likely way */
numbered_INLINE void numbered_on_floor_up_deliver_Short(struct numbered_step *step, struct nacre_addr from, struct numbered_msg_sequencer m, uint32_t to) {
#line 74 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (numbered_UNLIKELY((to != step->s->floor.cookie))) {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (numbered_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        numbered_slow_floor_confirm_aside(step);
    }
#line 80 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_sequencer_up_deliver(step, m);
}

/* floor.up.init */
numbered_PLAIN void numbered_slow_on_floor_up_init(struct numbered_step *step) {
#line 7 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
#line 7 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    numbered_slow_sequencer_up_init(step);
}

/* floor.up.unknown, along the likely way */
numbered_INLINE void numbered_on_floor_up_unknown(struct numbered_step *step) {
#line 107 "tests/golden/numbered/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = false;
    step->counters[numbered_COUNT_floor_unknown]++;
}

/* sequencer takes close, along the likely way */
numbered_INLINE void numbered_sequencer_down_close(struct numbered_step *step) {
    numbered_on_sequencer_down_close(step);
}

/* sequencer takes closed, along the likely way */
numbered_INLINE void numbered_sequencer_up_closed(struct numbered_step *step, uint8_t why) {
    numbered_on_sequencer_up_closed(step, why);
}

/* sequencer takes deliver */
numbered_PLAIN void numbered_slow_sequencer_up_deliver(struct numbered_step *step, struct numbered_msg_sequencer m) {
    switch (m.sequencer) {
        case 1: /* Seq */
            numbered_slow_on_sequencer_up_deliver_Seq(step, (struct numbered_msg){.bytes = m.bytes, .data = m.data}, m.sequencer_number);
            break;

        default:
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

    }
}

/* sequencer takes deliver, along the likely way */
numbered_INLINE void numbered_sequencer_up_deliver(struct numbered_step *step, struct numbered_msg_sequencer m) {
    switch (m.sequencer) {
        case 1: /* Seq */
            numbered_on_sequencer_up_deliver_Seq(step, (struct numbered_msg){.bytes = m.bytes, .data = m.data}, m.sequencer_number);
            break;

        default:
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

    }
}

/* sequencer takes grant_delivers, along the likely way */
numbered_INLINE void numbered_sequencer_down_grant_delivers(struct numbered_step *step, uint16_t n) {
    numbered_on_sequencer_down_grant_delivers(step, n);
}

/* sequencer takes init */
numbered_PLAIN void numbered_slow_sequencer_up_init(struct numbered_step *step) {
    numbered_slow_on_sequencer_up_init(step);
}

/* sequencer takes open */
numbered_PLAIN void numbered_slow_sequencer_up_open(struct numbered_step *step, struct nacre_addr from) {
    numbered_slow_on_sequencer_up_open(step, from);
}

/* sequencer takes open, along the likely way */
numbered_INLINE void numbered_sequencer_up_open(struct numbered_step *step, struct nacre_addr from) {
    numbered_on_sequencer_up_open(step, from);
}

/* sequencer takes send, along the likely way */
numbered_INLINE void numbered_sequencer_down_send(struct numbered_step *step, struct numbered_msg_sequencer m) {
    switch (m.sequencer) {
        case 1: /* Seq */
            numbered_drop(step->pool, m.bytes);
            step->counters[numbered_BROKEN]++;
            break;

        default:
            numbered_on_sequencer_down_send(step, (struct numbered_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* sequencer.down.close, along the likely way */
numbered_INLINE void numbered_on_sequencer_down_close(struct numbered_step *step) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_floor_down_close(step);
}

/* sequencer.down.grant_delivers, along the likely way */
numbered_INLINE void numbered_on_sequencer_down_grant_delivers(struct numbered_step *step, uint16_t n) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_floor_down_grant_delivers(step, n);
}

/* sequencer.down.send, along the likely way */
numbered_INLINE void numbered_on_sequencer_down_send(struct numbered_step *step, struct numbered_msg m) {
#line 18 "tests/golden/numbered/source.nacre"
    (void)step;
    struct numbered_msg_floor carried = {.bytes = m.bytes, .data = m.data};
    carried.sequencer = 1;
    carried.sequencer_number = step->s->sequencer.next;
#line 19 "tests/golden/numbered/source.nacre"
    numbered_floor_down_send(step, carried);
    step->s->sequencer.next = (step->s->sequencer.next + 1u);
}

/* sequencer.up.closed, along the likely way */
numbered_INLINE void numbered_on_sequencer_up_closed(struct numbered_step *step, uint8_t why) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_quick_out_above_up_closed(step, why);
}

/* sequencer.up.deliver.Seq */
numbered_PLAIN void numbered_slow_on_sequencer_up_deliver_Seq(struct numbered_step *step, struct numbered_msg m, uint32_t number) {
#line 23 "tests/golden/numbered/source.nacre"
    (void)step;
    if (numbered_LIKELY(((int32_t)(step->s->sequencer.last - number) < 0))) {
        step->s->sequencer.last = number;
#line 26 "tests/golden/numbered/source.nacre"
        numbered_out_above_up_deliver(step, m);
    } else {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_COUNT_sequencer_late]++;
#line 30 "tests/golden/numbered/source.nacre"
        numbered_slow_floor_down_grant_delivers(step, 1u);
    }
}

/* sequencer.up.deliver.Seq, along the likely way */
numbered_INLINE void numbered_on_sequencer_up_deliver_Seq(struct numbered_step *step, struct numbered_msg m, uint32_t number) {
#line 23 "tests/golden/numbered/source.nacre"
    (void)step;
    if (numbered_LIKELY(((int32_t)(step->s->sequencer.last - number) < 0))) {
        step->s->sequencer.last = number;
#line 26 "tests/golden/numbered/source.nacre"
        numbered_quick_out_above_up_deliver(step, m);
    } else {
        numbered_drop(step->pool, m.bytes);
        step->counters[numbered_COUNT_sequencer_late]++;
#line 30 "tests/golden/numbered/source.nacre"
        numbered_slow_floor_down_grant_delivers_aside(step, 1u);
    }
}

/* sequencer.up.init */
numbered_PLAIN void numbered_slow_on_sequencer_up_init(struct numbered_step *step) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_out_above_up_init(step);
}

/* sequencer.up.open */
numbered_PLAIN void numbered_slow_on_sequencer_up_open(struct numbered_step *step, struct nacre_addr from) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_out_above_up_open(step, from);
}

/* sequencer.up.open, along the likely way */
numbered_INLINE void numbered_on_sequencer_up_open(struct numbered_step *step, struct nacre_addr from) {
#line 5 "tests/golden/numbered/source.nacre"
    (void)step;
#line 5 "tests/golden/numbered/source.nacre"
    numbered_quick_out_above_up_open(step, from);
}

numbered_INLINE void numbered_finish(struct numbered_step *step) {
    if (numbered_UNLIKELY(step->held)) {
        numbered_drop_long(step->pool, (struct numbered_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

void numbered_config_default(struct numbered_config *config) {
    memset(config, 0, sizeof *config);
    config->floor_identity = 0u;
    config->floor_peer_identity = 0u;
}

int numbered_open(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, const struct numbered_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!(config->floor_cookie <= 0xffffffu)) { return numbered_nothing(out, NACRE_INVALID); }
    if (!numbered_room(out)) { return numbered_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct numbered_step *const step = &this_step;
    s->floor.peer = config->floor_peer;
    s->floor.cookie = config->floor_cookie;
    s->floor.identity = config->floor_identity;
    s->floor.peer_identity = config->floor_peer_identity;
    s->floor.incarnation = config->floor_incarnation;
    (void)seed;
    (void)config;
    {
        s->sequencer.next = 1u;
    }
    {
        s->sequencer.last = 0u;
    }
    numbered_slow_floor_up_init(step);
    numbered_finish(step);
    return NACRE_OK;
}

numbered_INLINE bool numbered_admits_below_unknown(const struct numbered_step *step) {
    (void)step;
    return true;
}

int numbered_below_unknown(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (numbered_UNLIKELY(!numbered_room(out))) { return numbered_nothing(out, NACRE_INVALID); }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct numbered_step *const step = &this_step;
    numbered_floor_up_unknown(step);
    numbered_finish(step);
    return NACRE_OK;
}

numbered_INLINE bool numbered_admits_above_send(const struct numbered_step *step, struct numbered_msg_sequencer m) {
    (void)step;
    (void)m;
    if (numbered_UNLIKELY(!(m.bytes.len <= 65459u))) { return false; }
    return true;
}

int numbered_above_send(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (numbered_UNLIKELY(!numbered_room(out))) { return numbered_nothing(out, NACRE_INVALID); }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len, .more = &more};
    struct numbered_step *const step = &this_step;
    struct numbered_msg_sequencer m = {.bytes = {.block = numbered_IN, .offset = 0, .len = len}, .data = true};
    if (numbered_UNLIKELY(!numbered_admits_above_send(step, m))) {
        counters[numbered_REFUSED]++;
        return numbered_nothing(out, NACRE_REFUSED);
    }
    numbered_sequencer_down_send(step, m);
    numbered_finish(step);
    return NACRE_OK;
}

numbered_INLINE bool numbered_admits_above_grant_delivers(const struct numbered_step *step, uint16_t n) {
    (void)step;
    (void)n;
    return true;
}

int numbered_above_grant_delivers(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out) {
    if (numbered_UNLIKELY(!numbered_room(out))) { return numbered_nothing(out, NACRE_INVALID); }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct numbered_step *const step = &this_step;
    numbered_sequencer_down_grant_delivers(step, n);
    numbered_finish(step);
    return NACRE_OK;
}

numbered_INLINE bool numbered_admits_above_close(const struct numbered_step *step) {
    (void)step;
    return true;
}

int numbered_above_close(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (numbered_UNLIKELY(!numbered_room(out))) { return numbered_nothing(out, NACRE_INVALID); }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct numbered_step *const step = &this_step;
    numbered_sequencer_down_close(step);
    numbered_finish(step);
    return NACRE_OK;
}

numbered_APART int numbered_any_frame(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    struct numbered_msg_floor whole = {.data = false};
    uint32_t size = numbered_parse_0(frame, len, &whole);
    if (numbered_UNLIKELY(size == UINT32_MAX)) {
        counters[numbered_MALFORMED]++;
        return numbered_nothing(out, NACRE_DROPPED);
    }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size, .more = &more};
    struct numbered_step *const step = &this_step;
    whole.bytes = (struct numbered_bytes){.block = numbered_IN, .offset = 0, .len = len - size};
    numbered_slow_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
    numbered_finish(step);
    return numbered_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

/* The common shapes of frames, each with code of its own. */
int numbered_input(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (numbered_UNLIKELY(!numbered_room(out))) { return numbered_nothing(out, NACRE_INVALID); }
    struct numbered_msg_floor whole = {.data = false};
    if (numbered_LIKELY(len - 8u <= 65459u && frame[0] == 0u && numbered_shape_0_0(frame, len, &whole))) {
        struct numbered_more more;
        struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + 8u, .in_len = len - 8u, .more = &more};
        struct numbered_step *const step = &this_step;
        whole.bytes = (struct numbered_bytes){.block = numbered_IN, .offset = 0, .len = len - 8u};
        numbered_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
        numbered_finish(step);
        return numbered_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
    }
    return numbered_any_frame(s, pool, counters, now, from, frame, len, out);
}

struct numbered_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
numbered_PLAIN void numbered_soonest(const struct numbered_state *s, struct numbered_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
}

int numbered_tick(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct numbered_due due = {.timer = 0};
    if (!numbered_room(out)) { return numbered_nothing(out, NACRE_INVALID); }
    numbered_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return numbered_nothing(out, NACRE_IDLE); }
    struct numbered_more more;
    struct numbered_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct numbered_step *const step = &this_step;
    switch (due.timer) {
        default: break;
    }
    numbered_finish(step);
    return NACRE_OK;
}

uint64_t numbered_deadline(const struct numbered_state *s) {
    struct numbered_due due = {.timer = 0};
    numbered_soonest(s, &due);
    return due.deadline;
}

int numbered_call(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* below_unknown */
            if (len != 0) { return numbered_nothing(out, NACRE_INVALID); }
            return numbered_below_unknown(s, pool, counters, now, out);
        }
        case 4: { /* above_send */
            return numbered_above_send(s, pool, counters, now, data, len, out);
        }
        case 5: { /* above_grant_delivers */
            if (arguments == NULL) { return numbered_nothing(out, NACRE_INVALID); }
            if (arguments[0] > 65535u) { return numbered_nothing(out, NACRE_INVALID); }
            if (len != 0) { return numbered_nothing(out, NACRE_INVALID); }
            return numbered_above_grant_delivers(s, pool, counters, now, (uint16_t)arguments[0], out);
        }
        case 6: { /* above_close */
            if (len != 0) { return numbered_nothing(out, NACRE_INVALID); }
            return numbered_above_close(s, pool, counters, now, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return numbered_nothing(out, NACRE_INVALID);

    }
}

bool numbered_accepts(const struct numbered_state *s, const struct numbered_pool *pool, uint32_t event, uint32_t len) {
    struct numbered_step this_step = {.s = (struct numbered_state *)(uintptr_t)s, .pool = (struct numbered_pool *)(uintptr_t)pool, .in_len = len};
    struct numbered_step *const step = &this_step;
    switch (event) {
        case 2: return numbered_admits_below_unknown(step) && numbered_space(pool, 0u, 0u, len);
        case 4: return numbered_admits_above_send(step, (struct numbered_msg_sequencer){.bytes = {.len = len}, .data = true}) && numbered_space(pool, 0u, 0u, len);
        case 5: return numbered_admits_above_grant_delivers(step, 0) && numbered_space(pool, 0u, 0u, len);
        case 6: return numbered_admits_above_close(step) && numbered_space(pool, 0u, 0u, len);
        default: return false;
    }
}

void numbered_discard(struct numbered_state *s, struct numbered_pool *pool) {
    (void)pool;
    memset(s, 0, sizeof *s);
}

void numbered_pool_init(struct numbered_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->free = pool->last = blocks;
    pool->first = 1;
    for (uint32_t i = 0; i < blocks; i++) {
        memset(&pool->block[i], 0, sizeof pool->block[i]);
        pool->block[i].after = (uint16_t)(i + 2u);
    }
}

uint32_t numbered_pool_free(const struct numbered_pool *pool) { return pool->free; }

void numbered_settle(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

uint32_t numbered_canonical(const struct numbered_state *s, const struct numbered_pool *pool, uint8_t *to, uint32_t max) {
    struct numbered_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct numbered_pool *)(uintptr_t)pool;
    struct numbered_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    numbered_tell(t, (uint64_t)s->floor.theirs, 8);
    numbered_tell(t, s->floor.life, 8);
    numbered_tell(t, (uint64_t)s->floor.confirmed, 8);
    numbered_tell(t, (uint64_t)s->floor.opened, 8);
    numbered_tell(t, (uint64_t)s->sequencer.next, 8);
    numbered_tell(t, (uint64_t)s->sequencer.last, 8);
    numbered_tell(t, 0, 4);
    return teller.len;
}

/* ---- for drivers of any stack ---- */

static void numbered_any_config_default(void *config) { numbered_config_default(config); }
static void numbered_any_pool_init(void *pool, uint32_t blocks) { numbered_pool_init(pool, blocks); }
static uint32_t numbered_any_pool_free(const void *pool) { return numbered_pool_free(pool); }
static int numbered_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return numbered_open(s, pool, counters, config, seed, now, out); }
static int numbered_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return numbered_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int numbered_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return numbered_input(s, pool, counters, now, from, frame, len, out); }
static int numbered_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return numbered_tick(s, pool, counters, now, out); }
static uint64_t numbered_any_deadline(const void *s) { return numbered_deadline(s); }
static bool numbered_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return numbered_accepts(s, pool, event, len); }
static void numbered_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { numbered_settle(s, pool, counters, out); }
static void numbered_any_discard(void *s, void *pool) { numbered_discard(s, pool); }
static uint32_t numbered_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return numbered_canonical(s, pool, to, max); }

static const char *const numbered_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
    "floor.unknown",
    "sequencer.late",
};
static const struct nacre_event numbered_events[] = {
    {.name = "deliver", .port = 0, .input = 0, .has_message = 1, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "init", .port = 0, .input = 0, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "unknown", .port = 0, .input = 1, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "send", .port = 0, .input = 0, .has_message = 1, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "send", .port = 1, .input = 1, .has_message = 1, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "grant_delivers", .port = 1, .input = 1, .has_message = 0, .has_address = 0, .arguments = 1, .reserved = 0},
    {.name = "close", .port = 1, .input = 1, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "deliver", .port = 1, .input = 0, .has_message = 1, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "init", .port = 1, .input = 0, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "open", .port = 1, .input = 0, .has_message = 0, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "closed", .port = 1, .input = 0, .has_message = 0, .has_address = 0, .arguments = 1, .reserved = 0},
};
static const struct nacre_given numbered_givens[] = {
    {.name = "floor.peer", .offset = offsetof(struct numbered_config, floor_peer), .size = sizeof(((struct numbered_config *)0)->floor_peer), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.cookie", .offset = offsetof(struct numbered_config, floor_cookie), .size = sizeof(((struct numbered_config *)0)->floor_cookie), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.identity", .offset = offsetof(struct numbered_config, floor_identity), .size = sizeof(((struct numbered_config *)0)->floor_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.peer_identity", .offset = offsetof(struct numbered_config, floor_peer_identity), .size = sizeof(((struct numbered_config *)0)->floor_peer_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.incarnation", .offset = offsetof(struct numbered_config, floor_incarnation), .size = sizeof(((struct numbered_config *)0)->floor_incarnation), .required = 1, .secret = 0, .reserved = 0},
};

const struct nacre_stack numbered_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "numbered",
    .description = "sequencer / floor",
    .level = "inline",
    .fingerprint = UINT64_C(0x98d990977a93a9ec),
    .has_preamble = 1,
    .state_size = sizeof(struct numbered_state),
    .state_align = _Alignof(struct numbered_state),
    .config_size = sizeof(struct numbered_config),
    .pool_align = _Alignof(struct numbered_pool),
    .pool_base = sizeof(struct numbered_pool),
    .pool_per_block = sizeof(struct numbered_block),
    .blocks_for_one = 0,
    .block_bytes = 64,
    .outputs_max = 2,
    .segments_max = 2,
    .bytes_max = 48,
    .frame_head_max = 48,
    .frame_data_max = 65459,
    .counters_len = 8,
    .counters = numbered_counter_names,
    .events_len = 11,
    .givens_len = 5,
    .events = numbered_events,
    .givens = numbered_givens,
    .config_default = numbered_any_config_default,
    .pool_init = numbered_any_pool_init,
    .pool_free = numbered_any_pool_free,
    .open = numbered_any_open,
    .call = numbered_any_call,
    .input = numbered_any_input,
    .tick = numbered_any_tick,
    .deadline = numbered_any_deadline,
    .accepts = numbered_any_accepts,
    .settle = numbered_any_settle,
    .discard = numbered_any_discard,
    .canonical = numbered_any_canonical,
};
