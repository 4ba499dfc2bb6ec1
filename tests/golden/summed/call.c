/* `crc32c / floor`, as Nacre's C back end writes it at level call. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#include "summed.h"

#include <string.h>

enum { summed_MALFORMED, summed_IMPOSSIBLE, summed_NO_SPACE, summed_REFUSED, summed_BOUND, summed_BROKEN, summed_COUNT_floor_unknown, summed_COUNT_crc32c_damaged };
#define summed_BLOCK 64u
#define summed_NODES 1u
#define summed_OUTPUTS 2u
#define summed_SEGMENTS 2u
#define summed_BYTES 48u
#define summed_QUEUE 4u
#define summed_WAITING 16u

/* What a step seldom needs. */
struct summed_more {
    uint8_t nothing;
    uint8_t temp[35]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct summed_step {
    struct summed_state *s;
    struct summed_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    struct summed_more *more;
};

/* ... text that all stacks share ... */

summed_PLAIN void summed_floor_down_close(struct summed_step *step);
summed_PLAIN void summed_floor_up_deliver(struct summed_step *step, struct nacre_addr from, struct summed_msg_floor m);
summed_PLAIN void summed_floor_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_floor_up_init(struct summed_step *step);
summed_PLAIN void summed_floor_down_send(struct summed_step *step, struct summed_msg_floor m);
summed_PLAIN void summed_floor_up_unknown(struct summed_step *step);
summed_PLAIN void summed_floor_confirm(struct summed_step *step);
summed_PLAIN void summed_on_floor_down_close(struct summed_step *step);
summed_PLAIN void summed_on_floor_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_on_floor_down_send(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_on_floor_up_deliver_Identified(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
summed_PLAIN void summed_on_floor_up_deliver_Short(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to);
summed_PLAIN void summed_on_floor_up_init(struct summed_step *step);
summed_PLAIN void summed_on_floor_up_unknown(struct summed_step *step);
summed_PLAIN void summed_crc32c_down_close(struct summed_step *step);
summed_PLAIN void summed_crc32c_up_closed(struct summed_step *step, uint8_t why);
summed_PLAIN void summed_crc32c_up_deliver(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_crc32c_up_init(struct summed_step *step);
summed_PLAIN void summed_crc32c_up_open(struct summed_step *step, struct nacre_addr from);
summed_PLAIN void summed_crc32c_down_send(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_on_crc32c_down_close(struct summed_step *step);
summed_PLAIN void summed_on_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_on_crc32c_down_send(struct summed_step *step, struct summed_msg m);
summed_PLAIN void summed_on_crc32c_up_closed(struct summed_step *step, uint8_t why);
summed_PLAIN void summed_on_crc32c_up_deliver_Sum(struct summed_step *step, struct summed_msg m, uint32_t sum);
summed_PLAIN void summed_on_crc32c_up_init(struct summed_step *step);
summed_PLAIN void summed_on_crc32c_up_open(struct summed_step *step, struct nacre_addr from);

/* Short Sum: 8 bytes, then 0 to 65459 of data */
summed_INLINE bool summed_shape_0_0(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (!(len - 8u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 1;
    m->crc32c = 1;
    {
        uint64_t value = (summed_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 4, 4u);
        m->crc32c_sum = (uint32_t)value;
    }
    return true;
}

/* Identified Sum: 48 bytes, then 0 to 65459 of data */
summed_INLINE bool summed_shape_0_1(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (!(len - 48u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 2;
    m->crc32c = 1;
    {
        uint64_t value = (summed_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 4, 8u);
        m->floor_stack = value;
    }
    {
        uint64_t value = summed_get(at + 12, 4u);
        m->floor_from = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 16, 8u);
        m->floor_identity = value;
    }
    {
        uint64_t value = summed_get(at + 24, 8u);
        m->floor_peer_identity = value;
    }
    {
        uint64_t value = summed_get(at + 32, 8u);
        m->floor_incarnation = value;
    }
    {
        uint64_t value = summed_get(at + 40, 4u);
        m->floor_check = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 44, 4u);
        m->crc32c_sum = (uint32_t)value;
    }
    return true;
}

summed_PLAIN uint32_t summed_parse_0(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (len == 0) { return UINT32_MAX; }
    uint32_t shape = at[0];
    switch (shape) {
        case 0: return summed_shape_0_0(at, len, m) ? 8u : UINT32_MAX;
        case 1: return summed_shape_0_1(at, len, m) ? 48u : UINT32_MAX;
        default: return UINT32_MAX;
    }
}

/* Where reading is in a row of pieces. */
struct summed_reader { const struct summed_bytes *piece, *end; uint32_t at; };
summed_PLAIN const uint8_t *summed_next_run(const struct summed_step *step, struct summed_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = summed_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

summed_PLAIN uint32_t summed_filter_0_castagnoli(struct summed_step *step, const struct summed_bytes *pieces, uint32_t count, bool *accepted_2) {
    uint32_t crc = 0xffffffffu;
    (void)crc;
    const uint32_t made_from_2 = step->bytes;
    *accepted_2 = true;
    struct summed_reader reader = {pieces, pieces + count, 0};
    const uint8_t *bytes_2 = NULL;
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = summed_next_run(step, &reader, &run_2)) != NULL;) {
        uint64_t unit_2 = *bytes_2++;
        run_2--;
        uint8_t b = (uint8_t)(unit_2);
        (void)b;
        crc = (crc ^ (uint32_t)b);
        const uint64_t from = 0u;
        const uint64_t to = 2u;
        const uint64_t left = to > from ? to - from : 0;
        for (uint64_t turn = 0; turn < left; turn++) {
            if (summed_UNLIKELY(turn == 2u)) {
                step->counters[summed_BOUND]++;
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

summed_PLAIN uint32_t summed_head_1(struct summed_msg_crc32c m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.crc32c) {
        case 3: /* Sum */
            summed_put(to + 0, (uint64_t)m.crc32c_sum, 4u);
            return 4u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_view_packed_1(struct summed_step *step, struct summed_msg_crc32c m, uint32_t temp, struct summed_bytes pieces[2]) {
    const uint32_t size = summed_head_1(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[summed_BROKEN]++; }
    pieces[0] = fits && size ? (struct summed_bytes){.block = summed_TEMP, .offset = temp, .len = size} : (struct summed_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct summed_bytes){.block = 0};
}

summed_PLAIN uint32_t summed_head_2(struct summed_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_view_packed_2(struct summed_step *step, struct summed_msg m, uint32_t temp, struct summed_bytes pieces[2]) {
    const uint32_t size = summed_head_2(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[summed_BROKEN]++; }
    pieces[0] = fits && size ? (struct summed_bytes){.block = summed_TEMP, .offset = temp, .len = size} : (struct summed_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct summed_bytes){.block = 0};
}

summed_PLAIN void summed_out_above_up_deliver(struct summed_step *step, struct summed_msg m) {
    struct nacre_output *output = summed_output(step, 1, 7);
    if (summed_UNLIKELY(output == NULL)) {
        summed_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    summed_segments(step, output, m.bytes);
}

summed_PLAIN void summed_out_above_up_open(struct summed_step *step, struct nacre_addr from) {
    struct nacre_output *output = summed_output(step, 1, 9);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
    output->address = from;
}

summed_PLAIN void summed_out_above_up_closed(struct summed_step *step, uint8_t why) {
    struct nacre_output *output = summed_output(step, 1, 10);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
    output->arguments[0] = (uint64_t)why;
}

summed_PLAIN uint32_t summed_head_0_send(struct summed_msg_floor m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.floor + 6u * m.crc32c) {
        case 9: /* Short Sum */
            summed_put(to + 0, (uint64_t)m.floor_to << 8 | (uint64_t)m.crc32c_sum << 32, 8u);
            return 8u;

        case 11: /* Identified Sum */
            summed_put(to + 0, 1u | (uint64_t)m.floor_to << 8 | (uint64_t)m.floor_stack << 32, 8u);
            summed_put(to + 8, (uint64_t)m.floor_stack >> 32 | (uint64_t)m.floor_from << 32, 8u);
            summed_put(to + 16, (uint64_t)m.floor_identity, 8u);
            summed_put(to + 24, (uint64_t)m.floor_peer_identity, 8u);
            summed_put(to + 32, (uint64_t)m.floor_incarnation, 8u);
            summed_put(to + 40, (uint64_t)m.floor_check | (uint64_t)m.crc32c_sum << 32, 8u);
            return 48u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_out_below_down_send(struct summed_step *step, struct nacre_addr to, struct summed_msg_floor m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = summed_can_make(step, 48u) ? summed_head_0_send(m, head) : UINT32_MAX;
    if (summed_UNLIKELY(size == UINT32_MAX)) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_BROKEN]++;
        return;
    }
    struct nacre_output *output = summed_output(step, 0, 3);
    if (summed_UNLIKELY(output == NULL)) {
        summed_drop(step->pool, m.bytes);
        return;
    }
    output->address = to;
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (summed_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[summed_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    summed_segments(step, output, m.bytes);
}

summed_PLAIN void summed_out_above_up_init(struct summed_step *step) {
    struct nacre_output *output = summed_output(step, 1, 8);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
}

/* floor takes close */
summed_PLAIN void summed_floor_down_close(struct summed_step *step) {
    summed_on_floor_down_close(step);
}

/* floor takes deliver */
summed_PLAIN void summed_floor_up_deliver(struct summed_step *step, struct nacre_addr from, struct summed_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            summed_on_floor_up_deliver_Short(step, from, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum}, m.floor_to);
            break;

        case 2: /* Identified */
            summed_on_floor_up_deliver_Identified(step, from, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

    }
}

/* floor takes grant_delivers */
summed_PLAIN void summed_floor_down_grant_delivers(struct summed_step *step, uint16_t n) {
    summed_on_floor_down_grant_delivers(step, n);
}

/* floor takes init */
summed_PLAIN void summed_floor_up_init(struct summed_step *step) {
    summed_on_floor_up_init(step);
}

/* floor takes send */
summed_PLAIN void summed_floor_down_send(struct summed_step *step, struct summed_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        case 2: /* Identified */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        default:
            summed_on_floor_down_send(step, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum});
            break;

    }
}

/* floor takes unknown */
summed_PLAIN void summed_floor_up_unknown(struct summed_step *step) {
    summed_on_floor_up_unknown(step);
}

/* floor.confirm */
summed_PLAIN void summed_floor_confirm(struct summed_step *step) {
#line 112 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/summed/../../../layers/floor/floor.nacre"
        summed_crc32c_up_open(step, step->s->floor.peer);
    }
}

/* floor.down.close */
summed_PLAIN void summed_on_floor_down_close(struct summed_step *step) {
#line 72 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
#line 72 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_closed(step, 0u);
}

/* floor.down.grant_delivers */
summed_PLAIN void summed_on_floor_down_grant_delivers(struct summed_step *step, uint16_t n) {
#line 70 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
}

/* floor.down.send */
summed_PLAIN void summed_on_floor_down_send(struct summed_step *step, struct summed_msg_crc32c m) {
#line 46 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    if (summed_LIKELY(step->s->floor.confirmed)) {
        struct summed_msg_floor carried = {.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 48 "tests/golden/summed/../../../layers/floor/floor.nacre"
        summed_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct summed_bytes packed[2];
    summed_view_packed_1(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct summed_bytes view_2 = {.block = 3u ? summed_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct summed_bytes view_3 = {.block = 4u ? summed_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct summed_bytes view_4 = {.block = 8u ? summed_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct summed_bytes view_5 = {.block = 8u ? summed_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct summed_bytes view_6 = {.block = 8u ? summed_TEMP : 0, .offset = 27u, .len = 8u};
    const struct summed_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct summed_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0x2e919c3dae12aa6b);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 59 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_out_below_down_send(step, step->s->floor.peer, carried_2);
}

/* floor.up.deliver.Identified */
summed_PLAIN void summed_on_floor_up_deliver_Identified(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_1(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct summed_bytes view_2 = {.block = 3u ? summed_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct summed_bytes view_3 = {.block = 4u ? summed_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct summed_bytes view_4 = {.block = 8u ? summed_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct summed_bytes view_5 = {.block = 8u ? summed_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct summed_bytes view_6 = {.block = 8u ? summed_TEMP : 0, .offset = 27u, .len = 8u};
    const struct summed_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0x2e919c3dae12aa6b)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        summed_floor_confirm(step);
    }
#line 104 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_deliver(step, m);
}

/* floor.up.deliver.Short */
summed_PLAIN void summed_on_floor_up_deliver_Short(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to) {
#line 74 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (summed_UNLIKELY((to != step->s->floor.cookie))) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (summed_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            summed_drop(step->pool, m.bytes);
            step->counters[summed_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        summed_floor_confirm(step);
    }
#line 80 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_deliver(step, m);
}

/* floor.up.init */
summed_PLAIN void summed_on_floor_up_init(struct summed_step *step) {
#line 7 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
#line 7 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_init(step);
}

/* floor.up.unknown */
summed_PLAIN void summed_on_floor_up_unknown(struct summed_step *step) {
#line 107 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = false;
    step->counters[summed_COUNT_floor_unknown]++;
}

/* crc32c takes close */
summed_PLAIN void summed_crc32c_down_close(struct summed_step *step) {
    summed_on_crc32c_down_close(step);
}

/* crc32c takes closed */
summed_PLAIN void summed_crc32c_up_closed(struct summed_step *step, uint8_t why) {
    summed_on_crc32c_up_closed(step, why);
}

/* crc32c takes deliver */
summed_PLAIN void summed_crc32c_up_deliver(struct summed_step *step, struct summed_msg_crc32c m) {
    switch (m.crc32c) {
        case 1: /* Sum */
            summed_on_crc32c_up_deliver_Sum(step, (struct summed_msg){.bytes = m.bytes, .data = m.data}, m.crc32c_sum);
            break;

        default:
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

    }
}

/* crc32c takes grant_delivers */
summed_PLAIN void summed_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n) {
    summed_on_crc32c_down_grant_delivers(step, n);
}

/* crc32c takes init */
summed_PLAIN void summed_crc32c_up_init(struct summed_step *step) {
    summed_on_crc32c_up_init(step);
}

/* crc32c takes open */
summed_PLAIN void summed_crc32c_up_open(struct summed_step *step, struct nacre_addr from) {
    summed_on_crc32c_up_open(step, from);
}

/* crc32c takes send */
summed_PLAIN void summed_crc32c_down_send(struct summed_step *step, struct summed_msg_crc32c m) {
    switch (m.crc32c) {
        case 1: /* Sum */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        default:
            summed_on_crc32c_down_send(step, (struct summed_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* crc32c.down.close */
summed_PLAIN void summed_on_crc32c_down_close(struct summed_step *step) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_floor_down_close(step);
}

/* crc32c.down.grant_delivers */
summed_PLAIN void summed_on_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_floor_down_grant_delivers(step, n);
}

/* crc32c.down.send */
summed_PLAIN void summed_on_crc32c_down_send(struct summed_step *step, struct summed_msg m) {
#line 14 "tests/golden/summed/source.nacre"
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_2(step, m, 0u, packed);
    const struct summed_bytes pieces[] = {packed[0], packed[1]};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 2u, &accepted);
    uint32_t sum = through;
    struct summed_msg_floor carried = {.bytes = m.bytes, .data = m.data};
    carried.crc32c = 1;
    carried.crc32c_sum = sum;
#line 16 "tests/golden/summed/source.nacre"
    summed_floor_down_send(step, carried);
}

/* crc32c.up.closed */
summed_PLAIN void summed_on_crc32c_up_closed(struct summed_step *step, uint8_t why) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_closed(step, why);
}

/* crc32c.up.deliver.Sum */
summed_PLAIN void summed_on_crc32c_up_deliver_Sum(struct summed_step *step, struct summed_msg m, uint32_t sum) {
#line 19 "tests/golden/summed/source.nacre"
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_2(step, m, 0u, packed);
    const struct summed_bytes pieces[] = {packed[0], packed[1]};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 2u, &accepted);
    if (summed_LIKELY((sum == through))) {
#line 20 "tests/golden/summed/source.nacre"
        summed_out_above_up_deliver(step, m);
    } else {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_COUNT_crc32c_damaged]++;
    }
}

/* crc32c.up.init */
summed_PLAIN void summed_on_crc32c_up_init(struct summed_step *step) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_init(step);
}

/* crc32c.up.open */
summed_PLAIN void summed_on_crc32c_up_open(struct summed_step *step, struct nacre_addr from) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_open(step, from);
}

summed_INLINE void summed_finish(struct summed_step *step) {
    if (summed_UNLIKELY(step->held)) {
        summed_drop_long(step->pool, (struct summed_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

void summed_config_default(struct summed_config *config) {
    memset(config, 0, sizeof *config);
    config->floor_identity = 0u;
    config->floor_peer_identity = 0u;
}

int summed_open(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, const struct summed_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!(config->floor_cookie <= 0xffffffu)) { return summed_nothing(out, NACRE_INVALID); }
    if (!summed_room(out)) { return summed_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    s->floor.peer = config->floor_peer;
    s->floor.cookie = config->floor_cookie;
    s->floor.identity = config->floor_identity;
    s->floor.peer_identity = config->floor_peer_identity;
    s->floor.incarnation = config->floor_incarnation;
    (void)seed;
    (void)config;
    summed_floor_up_init(step);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_below_unknown(const struct summed_step *step) {
    (void)step;
    return true;
}

int summed_below_unknown(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_floor_up_unknown(step);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_send(const struct summed_step *step, struct summed_msg_crc32c m) {
    (void)step;
    (void)m;
    if (summed_UNLIKELY(!(m.bytes.len <= 65459u))) { return false; }
    return true;
}

int summed_above_send(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len, .more = &more};
    struct summed_step *const step = &this_step;
    struct summed_msg_crc32c m = {.bytes = {.block = summed_IN, .offset = 0, .len = len}, .data = true};
    if (summed_UNLIKELY(!summed_admits_above_send(step, m))) {
        counters[summed_REFUSED]++;
        return summed_nothing(out, NACRE_REFUSED);
    }
    summed_crc32c_down_send(step, m);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_grant_delivers(const struct summed_step *step, uint16_t n) {
    (void)step;
    (void)n;
    return true;
}

int summed_above_grant_delivers(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_crc32c_down_grant_delivers(step, n);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_close(const struct summed_step *step) {
    (void)step;
    return true;
}

int summed_above_close(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_crc32c_down_close(step);
    summed_finish(step);
    return NACRE_OK;
}

int summed_input(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_msg_floor whole = {.data = false};
    uint32_t size = summed_parse_0(frame, len, &whole);
    if (summed_UNLIKELY(size == UINT32_MAX)) {
        counters[summed_MALFORMED]++;
        return summed_nothing(out, NACRE_DROPPED);
    }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size, .more = &more};
    struct summed_step *const step = &this_step;
    whole.bytes = (struct summed_bytes){.block = summed_IN, .offset = 0, .len = len - size};
    summed_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
    summed_finish(step);
    return summed_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

struct summed_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
summed_PLAIN void summed_soonest(const struct summed_state *s, struct summed_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
}

int summed_tick(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct summed_due due = {.timer = 0};
    if (!summed_room(out)) { return summed_nothing(out, NACRE_INVALID); }
    summed_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return summed_nothing(out, NACRE_IDLE); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    switch (due.timer) {
        default: break;
    }
    summed_finish(step);
    return NACRE_OK;
}

uint64_t summed_deadline(const struct summed_state *s) {
    struct summed_due due = {.timer = 0};
    summed_soonest(s, &due);
    return due.deadline;
}

int summed_call(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* below_unknown */
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_below_unknown(s, pool, counters, now, out);
        }
        case 4: { /* above_send */
            return summed_above_send(s, pool, counters, now, data, len, out);
        }
        case 5: { /* above_grant_delivers */
            if (arguments == NULL) { return summed_nothing(out, NACRE_INVALID); }
            if (arguments[0] > 65535u) { return summed_nothing(out, NACRE_INVALID); }
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_above_grant_delivers(s, pool, counters, now, (uint16_t)arguments[0], out);
        }
        case 6: { /* above_close */
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_above_close(s, pool, counters, now, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return summed_nothing(out, NACRE_INVALID);

    }
}

bool summed_accepts(const struct summed_state *s, const struct summed_pool *pool, uint32_t event, uint32_t len) {
    struct summed_step this_step = {.s = (struct summed_state *)(uintptr_t)s, .pool = (struct summed_pool *)(uintptr_t)pool, .in_len = len};
    struct summed_step *const step = &this_step;
    switch (event) {
        case 2: return summed_admits_below_unknown(step) && summed_space(pool, 0u, 0u, len);
        case 4: return summed_admits_above_send(step, (struct summed_msg_crc32c){.bytes = {.len = len}, .data = true}) && summed_space(pool, 0u, 0u, len);
        case 5: return summed_admits_above_grant_delivers(step, 0) && summed_space(pool, 0u, 0u, len);
        case 6: return summed_admits_above_close(step) && summed_space(pool, 0u, 0u, len);
        default: return false;
    }
}

void summed_discard(struct summed_state *s, struct summed_pool *pool) {
    (void)pool;
    memset(s, 0, sizeof *s);
}

void summed_pool_init(struct summed_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->free = pool->last = blocks;
    pool->first = 1;
    for (uint32_t i = 0; i < blocks; i++) {
        memset(&pool->block[i], 0, sizeof pool->block[i]);
        pool->block[i].after = (uint16_t)(i + 2u);
    }
}

uint32_t summed_pool_free(const struct summed_pool *pool) { return pool->free; }

void summed_settle(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

uint32_t summed_canonical(const struct summed_state *s, const struct summed_pool *pool, uint8_t *to, uint32_t max) {
    struct summed_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct summed_pool *)(uintptr_t)pool;
    struct summed_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    summed_tell(t, (uint64_t)s->floor.theirs, 8);
    summed_tell(t, s->floor.life, 8);
    summed_tell(t, (uint64_t)s->floor.confirmed, 8);
    summed_tell(t, (uint64_t)s->floor.opened, 8);
    summed_tell(t, 0, 4);
    return teller.len;
}

/* ---- for drivers of any stack ---- */

static void summed_any_config_default(void *config) { summed_config_default(config); }
static void summed_any_pool_init(void *pool, uint32_t blocks) { summed_pool_init(pool, blocks); }
static uint32_t summed_any_pool_free(const void *pool) { return summed_pool_free(pool); }
static int summed_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return summed_open(s, pool, counters, config, seed, now, out); }
static int summed_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return summed_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int summed_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return summed_input(s, pool, counters, now, from, frame, len, out); }
static int summed_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return summed_tick(s, pool, counters, now, out); }
static uint64_t summed_any_deadline(const void *s) { return summed_deadline(s); }
static bool summed_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return summed_accepts(s, pool, event, len); }
static void summed_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { summed_settle(s, pool, counters, out); }
static void summed_any_discard(void *s, void *pool) { summed_discard(s, pool); }
static uint32_t summed_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return summed_canonical(s, pool, to, max); }

static const char *const summed_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
    "floor.unknown",
    "crc32c.damaged",
};
static const struct nacre_event summed_events[] = {
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
static const struct nacre_given summed_givens[] = {
    {.name = "floor.peer", .offset = offsetof(struct summed_config, floor_peer), .size = sizeof(((struct summed_config *)0)->floor_peer), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.cookie", .offset = offsetof(struct summed_config, floor_cookie), .size = sizeof(((struct summed_config *)0)->floor_cookie), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.identity", .offset = offsetof(struct summed_config, floor_identity), .size = sizeof(((struct summed_config *)0)->floor_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.peer_identity", .offset = offsetof(struct summed_config, floor_peer_identity), .size = sizeof(((struct summed_config *)0)->floor_peer_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.incarnation", .offset = offsetof(struct summed_config, floor_incarnation), .size = sizeof(((struct summed_config *)0)->floor_incarnation), .required = 1, .secret = 0, .reserved = 0},
};

const struct nacre_stack summed_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "summed",
    .description = "crc32c / floor",
    .level = "call",
    .fingerprint = UINT64_C(0x2e919c3dae12aa6b),
    .has_preamble = 1,
    .state_size = sizeof(struct summed_state),
    .state_align = _Alignof(struct summed_state),
    .config_size = sizeof(struct summed_config),
    .pool_align = _Alignof(struct summed_pool),
    .pool_base = sizeof(struct summed_pool),
    .pool_per_block = sizeof(struct summed_block),
    .blocks_for_one = 0,
    .block_bytes = 64,
    .outputs_max = 2,
    .segments_max = 2,
    .bytes_max = 48,
    .frame_head_max = 48,
    .frame_data_max = 65459,
    .counters_len = 8,
    .counters = summed_counter_names,
    .events_len = 11,
    .givens_len = 5,
    .events = summed_events,
    .givens = summed_givens,
    .config_default = summed_any_config_default,
    .pool_init = summed_any_pool_init,
    .pool_free = summed_any_pool_free,
    .open = summed_any_open,
    .call = summed_any_call,
    .input = summed_any_input,
    .tick = summed_any_tick,
    .deadline = summed_any_deadline,
    .accepts = summed_any_accepts,
    .settle = summed_any_settle,
    .discard = summed_any_discard,
    .canonical = summed_any_canonical,
};
