/* `delay<10 ms, 4> / floor`, as Nacre's C back end writes it at level inline. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#include "held.h"

#include <string.h>

enum { held_MALFORMED, held_IMPOSSIBLE, held_NO_SPACE, held_REFUSED, held_BOUND, held_BROKEN, held_COUNT_floor_unknown, held_COUNT_delay_early };
#define held_BLOCK 1536u
#define held_NODES 1u
#define held_OUTPUTS 2u
#define held_SEGMENTS 44u
#define held_BYTES 48u
#define held_QUEUE 4u
#define held_WAITING 16u

/* What a step seldom needs. */
struct held_more {
    uint8_t nothing;
    uint8_t temp[32]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct held_step {
    struct held_state *s;
    struct held_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    struct held_more *more;
};

/* ... text that all stacks share ... */

held_INLINE void held_floor_down_close(struct held_step *step);
held_PLAIN void held_slow_floor_up_deliver(struct held_step *step, struct nacre_addr from, struct held_msg_floor m);
held_INLINE void held_floor_up_deliver(struct held_step *step, struct nacre_addr from, struct held_msg_floor m);
held_INLINE void held_floor_down_grant_delivers(struct held_step *step, uint16_t n);
held_PLAIN void held_slow_floor_up_init(struct held_step *step);
held_PLAIN void held_slow_floor_down_send(struct held_step *step, struct held_msg_floor m);
held_INLINE void held_floor_down_send(struct held_step *step, struct held_msg_floor m);
held_INLINE void held_floor_up_unknown(struct held_step *step);
held_PLAIN void held_slow_floor_confirm(struct held_step *step);
held_INLINE void held_slow_floor_confirm_aside(struct held_step *step) {
    struct held_step aside = *step;
    held_slow_floor_confirm(&aside);
    held_back(step, &aside);
}
held_INLINE void held_floor_confirm(struct held_step *step);
held_INLINE void held_on_floor_down_close(struct held_step *step);
held_INLINE void held_on_floor_down_grant_delivers(struct held_step *step, uint16_t n);
held_PLAIN void held_slow_on_floor_down_send(struct held_step *step, struct held_msg m);
held_INLINE void held_on_floor_down_send(struct held_step *step, struct held_msg m);
held_PLAIN void held_slow_on_floor_up_deliver_Identified(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
held_INLINE void held_on_floor_up_deliver_Identified(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
held_PLAIN void held_slow_on_floor_up_deliver_Short(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to);
held_INLINE void held_on_floor_up_deliver_Short(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to);
held_PLAIN void held_slow_on_floor_up_init(struct held_step *step);
held_INLINE void held_on_floor_up_unknown(struct held_step *step);
held_INLINE void held_delay_down_close(struct held_step *step);
held_INLINE void held_delay_up_closed(struct held_step *step, uint8_t why);
held_PLAIN void held_slow_delay_up_deliver(struct held_step *step, struct held_msg m);
held_INLINE void held_delay_up_deliver(struct held_step *step, struct held_msg m);
held_INLINE void held_delay_down_grant_delivers(struct held_step *step, uint16_t n);
held_PLAIN void held_slow_delay_up_init(struct held_step *step);
held_PLAIN void held_slow_delay_up_open(struct held_step *step, struct nacre_addr from);
held_INLINE void held_delay_up_open(struct held_step *step, struct nacre_addr from);
held_INLINE void held_delay_down_send(struct held_step *step, struct held_msg m);
held_INLINE void held_on_delay_down_close(struct held_step *step);
held_INLINE void held_on_delay_down_grant_delivers(struct held_step *step, uint16_t n);
held_INLINE void held_on_delay_down_send(struct held_step *step, struct held_msg m);
held_PLAIN void held_slow_on_delay_on_leave(struct held_step *step);
held_PLAIN void held_slow_delay_send_oldest(struct held_step *step);
held_INLINE void held_delay_send_oldest(struct held_step *step);
held_INLINE void held_on_delay_up_closed(struct held_step *step, uint8_t why);
held_PLAIN void held_slow_on_delay_up_deliver(struct held_step *step, struct held_msg m);
held_INLINE void held_on_delay_up_deliver(struct held_step *step, struct held_msg m);
held_PLAIN void held_slow_on_delay_up_init(struct held_step *step);
held_PLAIN void held_slow_on_delay_up_open(struct held_step *step, struct nacre_addr from);
held_INLINE void held_on_delay_up_open(struct held_step *step, struct nacre_addr from);

/* Short: 4 bytes, then 0 to 65463 of data */
held_INLINE bool held_shape_0_0(const uint8_t *at, uint32_t len, struct held_msg_floor *m) {
    if (!(len - 4u <= 65463u)) { return false; }
    m->data = true;
    m->floor = 1;
    {
        uint64_t value = held_get(at + 1, 3u);
        m->floor_to = (uint32_t)value;
    }
    return true;
}

/* Identified: 44 bytes, then 0 to 65463 of data */
held_INLINE bool held_shape_0_1(const uint8_t *at, uint32_t len, struct held_msg_floor *m) {
    if (!(len - 44u <= 65463u)) { return false; }
    m->data = true;
    m->floor = 2;
    {
        uint64_t value = (held_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = held_get(at + 4, 8u);
        m->floor_stack = value;
    }
    {
        uint64_t value = held_get(at + 12, 4u);
        m->floor_from = (uint32_t)value;
    }
    {
        uint64_t value = held_get(at + 16, 8u);
        m->floor_identity = value;
    }
    {
        uint64_t value = held_get(at + 24, 8u);
        m->floor_peer_identity = value;
    }
    {
        uint64_t value = held_get(at + 32, 8u);
        m->floor_incarnation = value;
    }
    {
        uint64_t value = held_get(at + 40, 4u);
        m->floor_check = (uint32_t)value;
    }
    return true;
}

held_PLAIN uint32_t held_parse_0(const uint8_t *at, uint32_t len, struct held_msg_floor *m) {
    if (len == 0) { return UINT32_MAX; }
    uint32_t shape = at[0];
    switch (shape) {
        case 0: return held_shape_0_0(at, len, m) ? 4u : UINT32_MAX;
        case 1: return held_shape_0_1(at, len, m) ? 44u : UINT32_MAX;
        default: return UINT32_MAX;
    }
}

held_PLAIN void held_drop_tuple2_msg_instant(struct held_pool *pool, struct held_tuple2_msg_instant *value) {
    held_drop(pool, value->_0.bytes);
}

held_PLAIN void held_drop_ring4_tuple2_msg_instant(struct held_pool *pool, struct held_ring4_tuple2_msg_instant *value) {
    for (uint32_t i = 0; i < value->len; i++) { held_drop_tuple2_msg_instant(pool, &value->at[(value->head + i) % 4u]); }
}

held_PLAIN struct held_tuple2_msg_instant *held_pop_ring4_tuple2_msg_instant(struct held_ring4_tuple2_msg_instant *row) {
    if (row->len == 0) { return NULL; }
    uint32_t oldest = row->head;
    row->head = row->head + 1u == 4u ? 0 : row->head + 1u;
    row->len--;
    return &row->at[oldest];
}

held_INLINE uint32_t held_head_0_send(struct held_msg_floor m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.floor) {
        case 3: /* Short */
            held_put(to + 0, (uint64_t)m.floor_to << 8, 4u);
            return 4u;

        case 5: /* Identified */
            held_put(to + 0, 1u | (uint64_t)m.floor_to << 8 | (uint64_t)m.floor_stack << 32, 8u);
            held_put(to + 8, (uint64_t)m.floor_stack >> 32 | (uint64_t)m.floor_from << 32, 8u);
            held_put(to + 16, (uint64_t)m.floor_identity, 8u);
            held_put(to + 24, (uint64_t)m.floor_peer_identity, 8u);
            held_put(to + 32, (uint64_t)m.floor_incarnation, 8u);
            held_put(to + 40, (uint64_t)m.floor_check, 4u);
            return 44u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

held_PLAIN void held_out_below_down_send(struct held_step *step, struct nacre_addr to, struct held_msg_floor m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = held_can_make(step, 44u) ? held_head_0_send(m, head) : UINT32_MAX;
    if (held_UNLIKELY(size == UINT32_MAX)) {
        held_drop(step->pool, m.bytes);
        step->counters[held_BROKEN]++;
        return;
    }
    struct nacre_output *output = held_output(step, 0, 3);
    if (held_UNLIKELY(output == NULL)) {
        held_drop(step->pool, m.bytes);
        return;
    }
    output->address = to;
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (held_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[held_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    held_segments(step, output, m.bytes);
}

/* Where reading is in a row of pieces. */
struct held_reader { const struct held_bytes *piece, *end; uint32_t at; };
held_PLAIN const uint8_t *held_next_run(const struct held_step *step, struct held_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = held_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

held_PLAIN uint32_t held_filter_0_castagnoli(struct held_step *step, const struct held_bytes *pieces, uint32_t count, bool *accepted_2) {
    uint32_t crc = 0xffffffffu;
    (void)crc;
    const uint32_t made_from_2 = step->bytes;
    *accepted_2 = true;
    struct held_reader reader = {pieces, pieces + count, 0};
    const uint8_t *bytes_2 = NULL;
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = held_next_run(step, &reader, &run_2)) != NULL;) {
        uint64_t unit_2 = *bytes_2++;
        run_2--;
        uint8_t b = (uint8_t)(unit_2);
        (void)b;
        crc = (crc ^ (uint32_t)b);
        const uint64_t from = 0u;
        const uint64_t to = 2u;
        const uint64_t left = to > from ? to - from : 0;
        for (uint64_t turn = 0; turn < left; turn++) {
            if (held_UNLIKELY(turn == 2u)) {
                step->counters[held_BOUND]++;
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
held_INLINE uint32_t held_filter_0_castagnoli_aside(struct held_step *step, const struct held_bytes *pieces, uint32_t count, bool *accepted_2) {
    struct held_step aside = *step;
    uint32_t result = held_filter_0_castagnoli(&aside, pieces, count, accepted_2);
    held_back(step, &aside);
    return result;
}

held_INLINE uint32_t held_head_1(struct held_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

held_PLAIN void held_view_packed_1(struct held_step *step, struct held_msg m, uint32_t temp, struct held_bytes pieces[2]) {
    const uint32_t size = held_head_1(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[held_BROKEN]++; }
    pieces[0] = fits && size ? (struct held_bytes){.block = held_TEMP, .offset = temp, .len = size} : (struct held_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct held_bytes){.block = 0};
}
held_INLINE void held_view_packed_1_aside(struct held_step *step, struct held_msg m, uint32_t temp, struct held_bytes pieces[2]) {
    struct held_step aside = *step;
    held_view_packed_1(&aside, m, temp, pieces);
    held_back(step, &aside);
}

held_INLINE void held_quick_out_above_up_deliver(struct held_step *step, struct held_msg m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->port = 1;
    output->event = 7;
    output->session = 0;
    held_quick_segments(step, output, NULL, 0, m.bytes);
    step->outputs++;
}

held_INLINE void held_quick_out_above_up_open(struct held_step *step, struct nacre_addr from) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->address = from;
    output->port = 1;
    output->event = 9;
    output->session = 0;
    output->len = output->segments_len = 0;
    output->segments = NULL;
    step->outputs++;
}

held_PLAIN void held_out_above_up_open(struct held_step *step, struct nacre_addr from) {
    struct nacre_output *output = held_output(step, 1, 9);
    if (held_UNLIKELY(output == NULL)) {
        return;
    }
    output->address = from;
}

held_PLAIN void held_out_above_up_deliver(struct held_step *step, struct held_msg m) {
    struct nacre_output *output = held_output(step, 1, 7);
    if (held_UNLIKELY(output == NULL)) {
        held_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    held_segments(step, output, m.bytes);
}

held_INLINE void held_quick_out_above_up_closed(struct held_step *step, uint8_t why) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->arguments[0] = (uint64_t)why;
    output->port = 1;
    output->event = 10;
    output->session = 0;
    output->len = output->segments_len = 0;
    output->segments = NULL;
    step->outputs++;
}

held_INLINE struct held_tuple2_msg_instant *held_push_ring4_tuple2_msg_instant(struct held_ring4_tuple2_msg_instant *row) {
    if (held_UNLIKELY(row->len >= 4u)) { return NULL; }
    row->len++;
    return &row->at[(row->head + row->len - 1u) % 4u];
}

held_PLAIN void held_keep_tuple2_msg_instant(struct held_step *step, struct held_tuple2_msg_instant *value) {
    value->_0.bytes = held_keep(step, value->_0.bytes);
}
held_INLINE void held_keep_tuple2_msg_instant_aside(struct held_step *step, struct held_tuple2_msg_instant *value) {
    struct held_step aside = *step;
    held_keep_tuple2_msg_instant(&aside, value);
    held_back(step, &aside);
}

held_INLINE void held_quick_out_below_down_send(struct held_step *step, struct nacre_addr to, struct held_msg_floor m) {
    struct nacre_output *output = &step->out->outputs[step->outputs];
    output->address = to;
    output->port = 0;
    output->event = 3;
    output->session = 0;
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = held_head_0_send(m, head);
    if (held_UNLIKELY(size == UINT32_MAX)) {
        held_drop(step->pool, m.bytes);
        step->counters[held_BROKEN]++;
        return;
    }
    step->bytes += size;
    held_quick_segments(step, output, head, size, m.bytes);
    step->outputs++;
}

held_PLAIN void held_out_above_up_init(struct held_step *step) {
    struct nacre_output *output = held_output(step, 1, 8);
    if (held_UNLIKELY(output == NULL)) {
        return;
    }
}

static void held_tell_msg(struct held_teller *t, const struct held_msg *v) {
    held_tell_message(t, v->bytes, v->data);
    held_tell(t, 0, 4);
    held_tell(t, 0, 4);
}

static void held_tell_tuple2_msg_instant(struct held_teller *t, const struct held_tuple2_msg_instant *v) {
    held_tell_msg(t, &v->_0);
    held_tell(t, v->_1, 8);
}

static void held_tell_ring4_tuple2_msg_instant(struct held_teller *t, const struct held_ring4_tuple2_msg_instant *v) {
    held_tell(t, v->len, 4);
    for (uint32_t i = 0; i < v->len; i++) { held_tell_tuple2_msg_instant(t, &(*v).at[((*v).head + (uint32_t)i) % 4u]); }
}

/* floor takes close, along the likely way */
held_INLINE void held_floor_down_close(struct held_step *step) {
    held_on_floor_down_close(step);
}

/* floor takes deliver */
held_PLAIN void held_slow_floor_up_deliver(struct held_step *step, struct nacre_addr from, struct held_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            held_slow_on_floor_up_deliver_Short(step, from, (struct held_msg){.bytes = m.bytes, .data = m.data}, m.floor_to);
            break;

        case 2: /* Identified */
            held_slow_on_floor_up_deliver_Identified(step, from, (struct held_msg){.bytes = m.bytes, .data = m.data}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

    }
}

/* floor takes deliver, along the likely way */
held_INLINE void held_floor_up_deliver(struct held_step *step, struct nacre_addr from, struct held_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            held_on_floor_up_deliver_Short(step, from, (struct held_msg){.bytes = m.bytes, .data = m.data}, m.floor_to);
            break;

        case 2: /* Identified */
            held_on_floor_up_deliver_Identified(step, from, (struct held_msg){.bytes = m.bytes, .data = m.data}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

    }
}

/* floor takes grant_delivers, along the likely way */
held_INLINE void held_floor_down_grant_delivers(struct held_step *step, uint16_t n) {
    held_on_floor_down_grant_delivers(step, n);
}

/* floor takes init */
held_PLAIN void held_slow_floor_up_init(struct held_step *step) {
    held_slow_on_floor_up_init(step);
}

/* floor takes send */
held_PLAIN void held_slow_floor_down_send(struct held_step *step, struct held_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

        case 2: /* Identified */
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

        default:
            held_slow_on_floor_down_send(step, (struct held_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* floor takes send, along the likely way */
held_INLINE void held_floor_down_send(struct held_step *step, struct held_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

        case 2: /* Identified */
            held_drop(step->pool, m.bytes);
            step->counters[held_BROKEN]++;
            break;

        default:
            held_on_floor_down_send(step, (struct held_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* floor takes unknown, along the likely way */
held_INLINE void held_floor_up_unknown(struct held_step *step) {
    held_on_floor_up_unknown(step);
}

/* floor.confirm */
held_PLAIN void held_slow_floor_confirm(struct held_step *step) {
#line 112 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/held/../../../layers/floor/floor.nacre"
        held_slow_delay_up_open(step, step->s->floor.peer);
    }
}

/* floor.confirm, along the likely way */
held_INLINE void held_floor_confirm(struct held_step *step) {
#line 112 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/held/../../../layers/floor/floor.nacre"
        held_delay_up_open(step, step->s->floor.peer);
    }
}

/* floor.down.close, along the likely way */
held_INLINE void held_on_floor_down_close(struct held_step *step) {
#line 72 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
#line 72 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_delay_up_closed(step, 0u);
}

/* floor.down.grant_delivers, along the likely way */
held_INLINE void held_on_floor_down_grant_delivers(struct held_step *step, uint16_t n) {
#line 70 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
}

/* floor.down.send */
held_PLAIN void held_slow_on_floor_down_send(struct held_step *step, struct held_msg m) {
#line 46 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
    if (held_LIKELY(step->s->floor.confirmed)) {
        struct held_msg_floor carried = {.bytes = m.bytes, .data = m.data};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 48 "tests/golden/held/../../../layers/floor/floor.nacre"
        held_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct held_bytes packed[2];
    held_view_packed_1(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct held_bytes view_2 = {.block = 3u ? held_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct held_bytes view_3 = {.block = 4u ? held_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct held_bytes view_4 = {.block = 8u ? held_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct held_bytes view_5 = {.block = 8u ? held_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct held_bytes view_6 = {.block = 8u ? held_TEMP : 0, .offset = 24u, .len = 8u};
    const struct held_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = held_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct held_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0xa521fbbcbc70d305);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 59 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_out_below_down_send(step, step->s->floor.peer, carried_2);
}

/* floor.down.send, along the likely way */
held_INLINE void held_on_floor_down_send(struct held_step *step, struct held_msg m) {
#line 46 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
    if (held_LIKELY(step->s->floor.confirmed)) {
        struct held_msg_floor carried = {.bytes = m.bytes, .data = m.data};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 48 "tests/golden/held/../../../layers/floor/floor.nacre"
        held_quick_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct held_bytes packed[2];
    held_view_packed_1_aside(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct held_bytes view_2 = {.block = 3u ? held_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct held_bytes view_3 = {.block = 4u ? held_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct held_bytes view_4 = {.block = 8u ? held_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct held_bytes view_5 = {.block = 8u ? held_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct held_bytes view_6 = {.block = 8u ? held_TEMP : 0, .offset = 24u, .len = 8u};
    const struct held_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = held_filter_0_castagnoli_aside(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct held_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0xa521fbbcbc70d305);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 59 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_quick_out_below_down_send(step, step->s->floor.peer, carried_2);
}

/* floor.up.deliver.Identified */
held_PLAIN void held_slow_on_floor_up_deliver_Identified(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct held_bytes packed[2];
    held_view_packed_1(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct held_bytes view_2 = {.block = 3u ? held_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct held_bytes view_3 = {.block = 4u ? held_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct held_bytes view_4 = {.block = 8u ? held_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct held_bytes view_5 = {.block = 8u ? held_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct held_bytes view_6 = {.block = 8u ? held_TEMP : 0, .offset = 24u, .len = 8u};
    const struct held_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = held_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0xa521fbbcbc70d305)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        held_drop(step->pool, m.bytes);
        step->counters[held_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        held_slow_floor_confirm(step);
    }
#line 104 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_slow_delay_up_deliver(step, m);
}

/* floor.up.deliver.Identified, along the likely way */
held_INLINE void held_on_floor_up_deliver_Identified(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct held_bytes packed[2];
    held_view_packed_1_aside(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct held_bytes view_2 = {.block = 3u ? held_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct held_bytes view_3 = {.block = 4u ? held_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct held_bytes view_4 = {.block = 8u ? held_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct held_bytes view_5 = {.block = 8u ? held_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct held_bytes view_6 = {.block = 8u ? held_TEMP : 0, .offset = 24u, .len = 8u};
    const struct held_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = held_filter_0_castagnoli_aside(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0xa521fbbcbc70d305)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        held_drop(step->pool, m.bytes);
        step->counters[held_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        held_floor_confirm(step);
    }
#line 104 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_delay_up_deliver(step, m);
}

/* floor.up.deliver.Short */
held_PLAIN void held_slow_on_floor_up_deliver_Short(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to) {
#line 74 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (held_UNLIKELY((to != step->s->floor.cookie))) {
        held_drop(step->pool, m.bytes);
        step->counters[held_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (held_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            held_drop(step->pool, m.bytes);
            step->counters[held_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        held_slow_floor_confirm(step);
    }
#line 80 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_slow_delay_up_deliver(step, m);
}

/* floor.up.deliver.Short, along the likely way */
held_INLINE void held_on_floor_up_deliver_Short(struct held_step *step, struct nacre_addr from, struct held_msg m, uint32_t to) {
#line 74 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (held_UNLIKELY((to != step->s->floor.cookie))) {
        held_drop(step->pool, m.bytes);
        step->counters[held_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (held_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            held_drop(step->pool, m.bytes);
            step->counters[held_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        held_slow_floor_confirm_aside(step);
    }
#line 80 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_delay_up_deliver(step, m);
}

/* floor.up.init */
held_PLAIN void held_slow_on_floor_up_init(struct held_step *step) {
#line 7 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
#line 7 "tests/golden/held/../../../layers/floor/floor.nacre"
    held_slow_delay_up_init(step);
}

/* floor.up.unknown, along the likely way */
held_INLINE void held_on_floor_up_unknown(struct held_step *step) {
#line 107 "tests/golden/held/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = false;
    step->counters[held_COUNT_floor_unknown]++;
}

/* delay takes close, along the likely way */
held_INLINE void held_delay_down_close(struct held_step *step) {
    held_on_delay_down_close(step);
}

/* delay takes closed, along the likely way */
held_INLINE void held_delay_up_closed(struct held_step *step, uint8_t why) {
    held_on_delay_up_closed(step, why);
}

/* delay takes deliver */
held_PLAIN void held_slow_delay_up_deliver(struct held_step *step, struct held_msg m) {
    held_slow_on_delay_up_deliver(step, m);
}

/* delay takes deliver, along the likely way */
held_INLINE void held_delay_up_deliver(struct held_step *step, struct held_msg m) {
    held_on_delay_up_deliver(step, m);
}

/* delay takes grant_delivers, along the likely way */
held_INLINE void held_delay_down_grant_delivers(struct held_step *step, uint16_t n) {
    held_on_delay_down_grant_delivers(step, n);
}

/* delay takes init */
held_PLAIN void held_slow_delay_up_init(struct held_step *step) {
    held_slow_on_delay_up_init(step);
}

/* delay takes open */
held_PLAIN void held_slow_delay_up_open(struct held_step *step, struct nacre_addr from) {
    held_slow_on_delay_up_open(step, from);
}

/* delay takes open, along the likely way */
held_INLINE void held_delay_up_open(struct held_step *step, struct nacre_addr from) {
    held_on_delay_up_open(step, from);
}

/* delay takes send, along the likely way */
held_INLINE void held_delay_down_send(struct held_step *step, struct held_msg m) {
    held_on_delay_down_send(step, m);
}

/* delay.down.close, along the likely way */
held_INLINE void held_on_delay_down_close(struct held_step *step) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_floor_down_close(step);
}

/* delay.down.grant_delivers, along the likely way */
held_INLINE void held_on_delay_down_grant_delivers(struct held_step *step, uint16_t n) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_floor_down_grant_delivers(step, n);
}

/* delay.down.send, along the likely way */
held_INLINE void held_on_delay_down_send(struct held_step *step, struct held_msg m) {
#line 15 "tests/golden/held/source.nacre"
    (void)step;
    if (step->s->delay.held.len >= 4u) {
        step->counters[held_COUNT_delay_early]++;
        held_delay_send_oldest(step);
    }
    struct held_tuple2_msg_instant t1 = {._0 = {.data = false}};
    struct held_tuple2_msg_instant made = {._0 = m, ._1 = (step->now + 0x989680u)};
    struct held_tuple2_msg_instant * entry = held_push_ring4_tuple2_msg_instant(&step->s->delay.held);
    if (held_LIKELY(entry != NULL)) {
        struct held_tuple2_msg_instant kept = made;
        held_keep_tuple2_msg_instant_aside(step, &kept);
        *entry = kept;
    } else {
        t1 = made;
    }
    bool t2 = entry != NULL;
    if (held_UNLIKELY(!t2)) {
        m = t1._0;
        step->counters[held_BROKEN]++;
        held_drop(step->pool, m.bytes);
        return;
    }
    if (step->s->delay.leave == 0) { step->s->delay.leave = held_after(step->now, 0x989680u); }
}

/* delay.on.leave */
held_PLAIN void held_slow_on_delay_on_leave(struct held_step *step) {
#line 24 "tests/golden/held/source.nacre"
    (void)step;
    held_slow_delay_send_oldest(step);
    uint32_t count = 0;
    for (uint32_t i_2 = 0; i_2 < step->s->delay.held.len; i_2++) {
        if (held_UNLIKELY(count++ == 4u)) {
            step->counters[held_BOUND]++;
            break;
        }
        uint8_t t0 = (uint8_t)(i_2);
        struct held_tuple2_msg_instant nowhere, *entry;
        if (held_LIKELY(t0 < step->s->delay.held.len)) {
            entry = &step->s->delay.held.at[(step->s->delay.held.head + (uint32_t)t0) % 4u];
        } else {
            memset(&nowhere, 0, sizeof nowhere);
            entry = &nowhere;
        }
        const uint64_t left = (*entry)._1;
        const uint64_t right = step->now;
        step->s->delay.leave = held_after(step->now, (((left < right) ? right : left) - step->now));
        break;
    }
    (void)count;
}

/* delay.send_oldest */
held_PLAIN void held_slow_delay_send_oldest(struct held_step *step) {
#line 32 "tests/golden/held/source.nacre"
    (void)step;
    struct held_tuple2_msg_instant * entry = held_pop_ring4_tuple2_msg_instant(&step->s->delay.held);
    struct held_maybe_tuple2_msg_instant given = {.some = false};
    if (entry != NULL) {
        given.some = true;
        given.value = *entry;
    }
    struct held_maybe_tuple2_msg_instant t0 = given;
    struct held_maybe_tuple2_msg_instant t1 = t0;
    if (held_UNLIKELY(!t1.some)) {
        step->counters[held_BROKEN]++;
        return;
    }
    struct held_tuple2_msg_instant t2 = t1.value;
    struct held_msg m = t2._0;
    struct held_msg_floor carried = {.bytes = m.bytes, .data = m.data};
#line 34 "tests/golden/held/source.nacre"
    held_slow_floor_down_send(step, carried);
}

/* delay.send_oldest, along the likely way */
held_INLINE void held_delay_send_oldest(struct held_step *step) {
#line 32 "tests/golden/held/source.nacre"
    (void)step;
    struct held_tuple2_msg_instant * entry = held_pop_ring4_tuple2_msg_instant(&step->s->delay.held);
    struct held_maybe_tuple2_msg_instant given = {.some = false};
    if (entry != NULL) {
        given.some = true;
        given.value = *entry;
    }
    struct held_maybe_tuple2_msg_instant t0 = given;
    struct held_maybe_tuple2_msg_instant t1 = t0;
    if (held_UNLIKELY(!t1.some)) {
        step->counters[held_BROKEN]++;
        return;
    }
    struct held_tuple2_msg_instant t2 = t1.value;
    struct held_msg m = t2._0;
    struct held_msg_floor carried = {.bytes = m.bytes, .data = m.data};
#line 34 "tests/golden/held/source.nacre"
    held_floor_down_send(step, carried);
}

/* delay.up.closed, along the likely way */
held_INLINE void held_on_delay_up_closed(struct held_step *step, uint8_t why) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_quick_out_above_up_closed(step, why);
}

/* delay.up.deliver */
held_PLAIN void held_slow_on_delay_up_deliver(struct held_step *step, struct held_msg m) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_out_above_up_deliver(step, m);
}

/* delay.up.deliver, along the likely way */
held_INLINE void held_on_delay_up_deliver(struct held_step *step, struct held_msg m) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_quick_out_above_up_deliver(step, m);
}

/* delay.up.init */
held_PLAIN void held_slow_on_delay_up_init(struct held_step *step) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_out_above_up_init(step);
}

/* delay.up.open */
held_PLAIN void held_slow_on_delay_up_open(struct held_step *step, struct nacre_addr from) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_out_above_up_open(step, from);
}

/* delay.up.open, along the likely way */
held_INLINE void held_on_delay_up_open(struct held_step *step, struct nacre_addr from) {
#line 5 "tests/golden/held/source.nacre"
    (void)step;
#line 5 "tests/golden/held/source.nacre"
    held_quick_out_above_up_open(step, from);
}

held_INLINE void held_finish(struct held_step *step) {
    if (held_UNLIKELY(step->held)) {
        held_drop_long(step->pool, (struct held_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

void held_config_default(struct held_config *config) {
    memset(config, 0, sizeof *config);
    config->floor_identity = 0u;
    config->floor_peer_identity = 0u;
}

int held_open(struct held_state *s, struct held_pool *pool, uint64_t *counters, const struct held_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!(config->floor_cookie <= 0xffffffu)) { return held_nothing(out, NACRE_INVALID); }
    if (!held_room(out)) { return held_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct held_step *const step = &this_step;
    s->floor.peer = config->floor_peer;
    s->floor.cookie = config->floor_cookie;
    s->floor.identity = config->floor_identity;
    s->floor.peer_identity = config->floor_peer_identity;
    s->floor.incarnation = config->floor_incarnation;
    (void)seed;
    (void)config;
    held_slow_floor_up_init(step);
    held_finish(step);
    return NACRE_OK;
}

held_INLINE bool held_admits_below_unknown(const struct held_step *step) {
    (void)step;
    return true;
}

int held_below_unknown(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (held_UNLIKELY(!held_room(out))) { return held_nothing(out, NACRE_INVALID); }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct held_step *const step = &this_step;
    held_floor_up_unknown(step);
    held_finish(step);
    return NACRE_OK;
}

held_INLINE bool held_admits_above_send(const struct held_step *step, struct held_msg m) {
    (void)step;
    (void)m;
    if (held_UNLIKELY(!(m.bytes.len <= 65463u))) { return false; }
    return true;
}

int held_above_send(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (held_UNLIKELY(!held_room(out))) { return held_nothing(out, NACRE_INVALID); }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len, .more = &more};
    struct held_step *const step = &this_step;
    struct held_msg m = {.bytes = {.block = held_IN, .offset = 0, .len = len}, .data = true};
    if (held_UNLIKELY(!held_admits_above_send(step, m))) {
        counters[held_REFUSED]++;
        return held_nothing(out, NACRE_REFUSED);
    }
    if (held_UNLIKELY(!held_space(pool, 1u, 0u, len))) {
        counters[held_NO_SPACE]++;
        return held_nothing(out, NACRE_NO_SPACE);
    }
    held_delay_down_send(step, m);
    held_finish(step);
    return NACRE_OK;
}

held_INLINE bool held_admits_above_grant_delivers(const struct held_step *step, uint16_t n) {
    (void)step;
    (void)n;
    return true;
}

int held_above_grant_delivers(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out) {
    if (held_UNLIKELY(!held_room(out))) { return held_nothing(out, NACRE_INVALID); }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct held_step *const step = &this_step;
    held_delay_down_grant_delivers(step, n);
    held_finish(step);
    return NACRE_OK;
}

held_INLINE bool held_admits_above_close(const struct held_step *step) {
    (void)step;
    return true;
}

int held_above_close(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (held_UNLIKELY(!held_room(out))) { return held_nothing(out, NACRE_INVALID); }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct held_step *const step = &this_step;
    held_delay_down_close(step);
    held_finish(step);
    return NACRE_OK;
}

held_APART int held_any_frame(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    struct held_msg_floor whole = {.data = false};
    uint32_t size = held_parse_0(frame, len, &whole);
    if (held_UNLIKELY(size == UINT32_MAX)) {
        counters[held_MALFORMED]++;
        return held_nothing(out, NACRE_DROPPED);
    }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size, .more = &more};
    struct held_step *const step = &this_step;
    whole.bytes = (struct held_bytes){.block = held_IN, .offset = 0, .len = len - size};
    held_slow_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
    held_finish(step);
    return held_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

/* The common shapes of frames, each with code of its own. */
int held_input(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (held_UNLIKELY(!held_room(out))) { return held_nothing(out, NACRE_INVALID); }
    struct held_msg_floor whole = {.data = false};
    if (held_LIKELY(len - 4u <= 65463u && frame[0] == 0u && held_shape_0_0(frame, len, &whole))) {
        struct held_more more;
        struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + 4u, .in_len = len - 4u, .more = &more};
        struct held_step *const step = &this_step;
        whole.bytes = (struct held_bytes){.block = held_IN, .offset = 0, .len = len - 4u};
        held_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
        held_finish(step);
        return held_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
    }
    return held_any_frame(s, pool, counters, now, from, frame, len, out);
}

struct held_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
held_PLAIN void held_soonest(const struct held_state *s, struct held_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
    /* delay.leave */
    if (s->delay.leave - 1u < due->deadline) {
        due->deadline = s->delay.leave - 1u;
        due->timer = 0;
    }
}

int held_tick(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct held_due due = {.timer = 0};
    if (!held_room(out)) { return held_nothing(out, NACRE_INVALID); }
    held_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return held_nothing(out, NACRE_IDLE); }
    struct held_more more;
    struct held_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct held_step *const step = &this_step;
    switch (due.timer) {
        case 0: /* delay.leave */
            s->delay.leave = 0;
            held_slow_on_delay_on_leave(step);
            break;

        default: break;
    }
    held_finish(step);
    return NACRE_OK;
}

uint64_t held_deadline(const struct held_state *s) {
    struct held_due due = {.timer = 0};
    held_soonest(s, &due);
    return due.deadline;
}

int held_call(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* below_unknown */
            if (len != 0) { return held_nothing(out, NACRE_INVALID); }
            return held_below_unknown(s, pool, counters, now, out);
        }
        case 4: { /* above_send */
            return held_above_send(s, pool, counters, now, data, len, out);
        }
        case 5: { /* above_grant_delivers */
            if (arguments == NULL) { return held_nothing(out, NACRE_INVALID); }
            if (arguments[0] > 65535u) { return held_nothing(out, NACRE_INVALID); }
            if (len != 0) { return held_nothing(out, NACRE_INVALID); }
            return held_above_grant_delivers(s, pool, counters, now, (uint16_t)arguments[0], out);
        }
        case 6: { /* above_close */
            if (len != 0) { return held_nothing(out, NACRE_INVALID); }
            return held_above_close(s, pool, counters, now, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return held_nothing(out, NACRE_INVALID);

    }
}

bool held_accepts(const struct held_state *s, const struct held_pool *pool, uint32_t event, uint32_t len) {
    struct held_step this_step = {.s = (struct held_state *)(uintptr_t)s, .pool = (struct held_pool *)(uintptr_t)pool, .in_len = len};
    struct held_step *const step = &this_step;
    switch (event) {
        case 2: return held_admits_below_unknown(step) && held_space(pool, 0u, 0u, len);
        case 4: return held_admits_above_send(step, (struct held_msg){.bytes = {.len = len}, .data = true}) && held_space(pool, 1u, 0u, len);
        case 5: return held_admits_above_grant_delivers(step, 0) && held_space(pool, 0u, 0u, len);
        case 6: return held_admits_above_close(step) && held_space(pool, 0u, 0u, len);
        default: return false;
    }
}

void held_discard(struct held_state *s, struct held_pool *pool) {
    (void)pool;
    held_drop_ring4_tuple2_msg_instant(pool, &s->delay.held);
    memset(s, 0, sizeof *s);
}

void held_pool_init(struct held_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->free = pool->last = blocks;
    pool->first = 1;
    for (uint32_t i = 0; i < blocks; i++) {
        memset(&pool->block[i], 0, sizeof pool->block[i]);
        pool->block[i].after = (uint16_t)(i + 2u);
    }
}

uint32_t held_pool_free(const struct held_pool *pool) { return pool->free; }

void held_settle(struct held_state *s, struct held_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

uint32_t held_canonical(const struct held_state *s, const struct held_pool *pool, uint8_t *to, uint32_t max) {
    struct held_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct held_pool *)(uintptr_t)pool;
    struct held_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    held_tell(t, (uint64_t)s->floor.theirs, 8);
    held_tell(t, s->floor.life, 8);
    held_tell(t, (uint64_t)s->floor.confirmed, 8);
    held_tell(t, (uint64_t)s->floor.opened, 8);
    held_tell_ring4_tuple2_msg_instant(t, &s->delay.held);
    held_tell(t, s->delay.leave - 1u, 8);
    held_tell(t, 0, 4);
    return teller.len;
}

/* ---- for drivers of any stack ---- */

static void held_any_config_default(void *config) { held_config_default(config); }
static void held_any_pool_init(void *pool, uint32_t blocks) { held_pool_init(pool, blocks); }
static uint32_t held_any_pool_free(const void *pool) { return held_pool_free(pool); }
static int held_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return held_open(s, pool, counters, config, seed, now, out); }
static int held_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return held_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int held_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return held_input(s, pool, counters, now, from, frame, len, out); }
static int held_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return held_tick(s, pool, counters, now, out); }
static uint64_t held_any_deadline(const void *s) { return held_deadline(s); }
static bool held_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return held_accepts(s, pool, event, len); }
static void held_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { held_settle(s, pool, counters, out); }
static void held_any_discard(void *s, void *pool) { held_discard(s, pool); }
static uint32_t held_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return held_canonical(s, pool, to, max); }

static const char *const held_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
    "floor.unknown",
    "delay.early",
};
static const struct nacre_event held_events[] = {
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
static const struct nacre_given held_givens[] = {
    {.name = "floor.peer", .offset = offsetof(struct held_config, floor_peer), .size = sizeof(((struct held_config *)0)->floor_peer), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.cookie", .offset = offsetof(struct held_config, floor_cookie), .size = sizeof(((struct held_config *)0)->floor_cookie), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.identity", .offset = offsetof(struct held_config, floor_identity), .size = sizeof(((struct held_config *)0)->floor_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.peer_identity", .offset = offsetof(struct held_config, floor_peer_identity), .size = sizeof(((struct held_config *)0)->floor_peer_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.incarnation", .offset = offsetof(struct held_config, floor_incarnation), .size = sizeof(((struct held_config *)0)->floor_incarnation), .required = 1, .secret = 0, .reserved = 0},
};

const struct nacre_stack held_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "held",
    .description = "delay<10 ms, 4> / floor",
    .level = "inline",
    .fingerprint = UINT64_C(0xa521fbbcbc70d305),
    .has_preamble = 1,
    .state_size = sizeof(struct held_state),
    .state_align = _Alignof(struct held_state),
    .config_size = sizeof(struct held_config),
    .pool_align = _Alignof(struct held_pool),
    .pool_base = sizeof(struct held_pool),
    .pool_per_block = sizeof(struct held_block),
    .blocks_for_one = 172,
    .block_bytes = 1536,
    .outputs_max = 2,
    .segments_max = 44,
    .bytes_max = 48,
    .frame_head_max = 44,
    .frame_data_max = 65463,
    .counters_len = 8,
    .counters = held_counter_names,
    .events_len = 11,
    .givens_len = 5,
    .events = held_events,
    .givens = held_givens,
    .config_default = held_any_config_default,
    .pool_init = held_any_pool_init,
    .pool_free = held_any_pool_free,
    .open = held_any_open,
    .call = held_any_call,
    .input = held_any_input,
    .tick = held_any_tick,
    .deadline = held_any_deadline,
    .accepts = held_any_accepts,
    .settle = held_any_settle,
    .discard = held_any_discard,
    .canonical = held_any_canonical,
};
