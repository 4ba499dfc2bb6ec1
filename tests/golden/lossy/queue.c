/* `lose<10> / floor`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#include "lossy.h"

#include <string.h>

enum { lossy_MALFORMED, lossy_IMPOSSIBLE, lossy_NO_SPACE, lossy_REFUSED, lossy_BOUND, lossy_BROKEN, lossy_COUNT_floor_unknown, lossy_COUNT_lose_lost };
#define lossy_BLOCK 64u
#define lossy_NODES 1u
#define lossy_OUTPUTS 2u
#define lossy_SEGMENTS 2u
#define lossy_BYTES 48u
#define lossy_QUEUE 4u
#define lossy_WAITING 16u

/* An event that waits for its turn. */
struct lossy_event {
    uint32_t what;
    union {
        uint8_t nothing;
        struct {
            struct lossy_msg_floor m;
        } floor_down_send;
        struct {
            uint16_t n;
        } floor_down_grant_delivers;
        struct {
            struct lossy_msg m;
        } lose_up_deliver;
        struct {
            struct nacre_addr from;
        } lose_up_open;
        struct {
            uint8_t why;
        } lose_up_closed;
    } with;
};
/* What a step seldom needs. */
struct lossy_more {
    uint8_t nothing;
    struct lossy_event queue[lossy_QUEUE];
    uint8_t temp[32]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct lossy_step {
    struct lossy_state *s;
    struct lossy_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    uint32_t first, len; /* in the queue */
    struct lossy_more *more;
};

/* ... text that all stacks share ... */

lossy_PLAIN void lossy_floor_down_close(struct lossy_step *step);
lossy_PLAIN void lossy_floor_up_deliver(struct lossy_step *step, struct nacre_addr from, struct lossy_msg_floor m);
lossy_PLAIN void lossy_floor_down_grant_delivers(struct lossy_step *step, uint16_t n);
lossy_PLAIN void lossy_floor_up_init(struct lossy_step *step);
lossy_PLAIN void lossy_floor_down_send(struct lossy_step *step, struct lossy_msg_floor m);
lossy_PLAIN void lossy_floor_up_unknown(struct lossy_step *step);
lossy_PLAIN void lossy_floor_confirm(struct lossy_step *step);
lossy_PLAIN void lossy_on_floor_down_close(struct lossy_step *step);
lossy_PLAIN void lossy_on_floor_down_grant_delivers(struct lossy_step *step, uint16_t n);
lossy_PLAIN void lossy_on_floor_down_send(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_on_floor_up_deliver_Identified(struct lossy_step *step, struct nacre_addr from, struct lossy_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
lossy_PLAIN void lossy_on_floor_up_deliver_Short(struct lossy_step *step, struct nacre_addr from, struct lossy_msg m, uint32_t to);
lossy_PLAIN void lossy_on_floor_up_init(struct lossy_step *step);
lossy_PLAIN void lossy_on_floor_up_unknown(struct lossy_step *step);
lossy_PLAIN void lossy_lose_down_close(struct lossy_step *step);
lossy_PLAIN void lossy_lose_up_closed(struct lossy_step *step, uint8_t why);
lossy_PLAIN void lossy_lose_up_deliver(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_lose_down_grant_delivers(struct lossy_step *step, uint16_t n);
lossy_PLAIN void lossy_lose_up_init(struct lossy_step *step);
lossy_PLAIN void lossy_lose_up_open(struct lossy_step *step, struct nacre_addr from);
lossy_PLAIN void lossy_lose_down_send(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_on_lose_down_close(struct lossy_step *step);
lossy_PLAIN void lossy_on_lose_down_grant_delivers(struct lossy_step *step, uint16_t n);
lossy_PLAIN void lossy_on_lose_down_send(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_on_lose_up_closed(struct lossy_step *step, uint8_t why);
lossy_PLAIN void lossy_on_lose_up_deliver(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_on_lose_up_init(struct lossy_step *step);
lossy_PLAIN void lossy_on_lose_up_open(struct lossy_step *step, struct nacre_addr from);
lossy_PLAIN void lossy_queue_floor_down_send(struct lossy_step *step, struct lossy_msg_floor m);
lossy_PLAIN void lossy_queue_floor_down_grant_delivers(struct lossy_step *step, uint16_t n);
lossy_PLAIN void lossy_queue_floor_down_close(struct lossy_step *step);
lossy_PLAIN void lossy_queue_lose_up_deliver(struct lossy_step *step, struct lossy_msg m);
lossy_PLAIN void lossy_queue_lose_up_init(struct lossy_step *step);
lossy_PLAIN void lossy_queue_lose_up_open(struct lossy_step *step, struct nacre_addr from);
lossy_PLAIN void lossy_queue_lose_up_closed(struct lossy_step *step, uint8_t why);

/* Short: 4 bytes, then 0 to 65463 of data */
lossy_INLINE bool lossy_shape_0_0(const uint8_t *at, uint32_t len, struct lossy_msg_floor *m) {
    if (!(len - 4u <= 65463u)) { return false; }
    m->data = true;
    m->floor = 1;
    {
        uint64_t value = lossy_get(at + 1, 3u);
        m->floor_to = (uint32_t)value;
    }
    return true;
}

/* Identified: 44 bytes, then 0 to 65463 of data */
lossy_INLINE bool lossy_shape_0_1(const uint8_t *at, uint32_t len, struct lossy_msg_floor *m) {
    if (!(len - 44u <= 65463u)) { return false; }
    m->data = true;
    m->floor = 2;
    {
        uint64_t value = (lossy_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = lossy_get(at + 4, 8u);
        m->floor_stack = value;
    }
    {
        uint64_t value = lossy_get(at + 12, 4u);
        m->floor_from = (uint32_t)value;
    }
    {
        uint64_t value = lossy_get(at + 16, 8u);
        m->floor_identity = value;
    }
    {
        uint64_t value = lossy_get(at + 24, 8u);
        m->floor_peer_identity = value;
    }
    {
        uint64_t value = lossy_get(at + 32, 8u);
        m->floor_incarnation = value;
    }
    {
        uint64_t value = lossy_get(at + 40, 4u);
        m->floor_check = (uint32_t)value;
    }
    return true;
}

lossy_PLAIN uint32_t lossy_parse_0(const uint8_t *at, uint32_t len, struct lossy_msg_floor *m) {
    if (len == 0) { return UINT32_MAX; }
    uint32_t shape = at[0];
    switch (shape) {
        case 0: return lossy_shape_0_0(at, len, m) ? 4u : UINT32_MAX;
        case 1: return lossy_shape_0_1(at, len, m) ? 44u : UINT32_MAX;
        default: return UINT32_MAX;
    }
}

/* Where reading is in a row of pieces. */
struct lossy_reader { const struct lossy_bytes *piece, *end; uint32_t at; };
lossy_PLAIN const uint8_t *lossy_next_run(const struct lossy_step *step, struct lossy_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = lossy_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

lossy_PLAIN uint32_t lossy_filter_0_castagnoli(struct lossy_step *step, const struct lossy_bytes *pieces, uint32_t count, bool *accepted_2) {
    uint32_t crc = 0xffffffffu;
    (void)crc;
    const uint32_t made_from_2 = step->bytes;
    *accepted_2 = true;
    struct lossy_reader reader = {pieces, pieces + count, 0};
    const uint8_t *bytes_2 = NULL;
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = lossy_next_run(step, &reader, &run_2)) != NULL;) {
        uint64_t unit_2 = *bytes_2++;
        run_2--;
        uint8_t b = (uint8_t)(unit_2);
        (void)b;
        crc = (crc ^ (uint32_t)b);
        const uint64_t from = 0u;
        const uint64_t to = 2u;
        const uint64_t left = to > from ? to - from : 0;
        for (uint64_t turn = 0; turn < left; turn++) {
            if (lossy_UNLIKELY(turn == 2u)) {
                step->counters[lossy_BOUND]++;
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

lossy_PLAIN uint32_t lossy_head_1(struct lossy_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

lossy_PLAIN void lossy_view_packed_1(struct lossy_step *step, struct lossy_msg m, uint32_t temp, struct lossy_bytes pieces[2]) {
    const uint32_t size = lossy_head_1(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[lossy_BROKEN]++; }
    pieces[0] = fits && size ? (struct lossy_bytes){.block = lossy_TEMP, .offset = temp, .len = size} : (struct lossy_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct lossy_bytes){.block = 0};
}

lossy_PLAIN void lossy_out_above_up_open(struct lossy_step *step, struct nacre_addr from) {
    struct nacre_output *output = lossy_output(step, 1, 9);
    if (lossy_UNLIKELY(output == NULL)) {
        return;
    }
    output->address = from;
}

lossy_PLAIN void lossy_out_above_up_init(struct lossy_step *step) {
    struct nacre_output *output = lossy_output(step, 1, 8);
    if (lossy_UNLIKELY(output == NULL)) {
        return;
    }
}

lossy_PLAIN void lossy_out_above_up_deliver(struct lossy_step *step, struct lossy_msg m) {
    struct nacre_output *output = lossy_output(step, 1, 7);
    if (lossy_UNLIKELY(output == NULL)) {
        lossy_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    lossy_segments(step, output, m.bytes);
}

lossy_PLAIN uint32_t lossy_head_0_send(struct lossy_msg_floor m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.floor) {
        case 3: /* Short */
            lossy_put(to + 0, (uint64_t)m.floor_to << 8, 4u);
            return 4u;

        case 5: /* Identified */
            lossy_put(to + 0, 1u | (uint64_t)m.floor_to << 8 | (uint64_t)m.floor_stack << 32, 8u);
            lossy_put(to + 8, (uint64_t)m.floor_stack >> 32 | (uint64_t)m.floor_from << 32, 8u);
            lossy_put(to + 16, (uint64_t)m.floor_identity, 8u);
            lossy_put(to + 24, (uint64_t)m.floor_peer_identity, 8u);
            lossy_put(to + 32, (uint64_t)m.floor_incarnation, 8u);
            lossy_put(to + 40, (uint64_t)m.floor_check, 4u);
            return 44u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

lossy_PLAIN void lossy_out_below_down_send(struct lossy_step *step, struct nacre_addr to, struct lossy_msg_floor m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = lossy_can_make(step, 44u) ? lossy_head_0_send(m, head) : UINT32_MAX;
    if (lossy_UNLIKELY(size == UINT32_MAX)) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct nacre_output *output = lossy_output(step, 0, 3);
    if (lossy_UNLIKELY(output == NULL)) {
        lossy_drop(step->pool, m.bytes);
        return;
    }
    output->address = to;
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (lossy_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[lossy_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    lossy_segments(step, output, m.bytes);
}

lossy_PLAIN void lossy_out_above_up_closed(struct lossy_step *step, uint8_t why) {
    struct nacre_output *output = lossy_output(step, 1, 10);
    if (lossy_UNLIKELY(output == NULL)) {
        return;
    }
    output->arguments[0] = (uint64_t)why;
}

/* floor takes close */
lossy_PLAIN void lossy_floor_down_close(struct lossy_step *step) {
    lossy_on_floor_down_close(step);
}

/* floor takes deliver */
lossy_PLAIN void lossy_floor_up_deliver(struct lossy_step *step, struct nacre_addr from, struct lossy_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            lossy_on_floor_up_deliver_Short(step, from, (struct lossy_msg){.bytes = m.bytes, .data = m.data}, m.floor_to);
            break;

        case 2: /* Identified */
            lossy_on_floor_up_deliver_Identified(step, from, (struct lossy_msg){.bytes = m.bytes, .data = m.data}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            lossy_drop(step->pool, m.bytes);
            step->counters[lossy_BROKEN]++;
            break;

    }
}

/* floor takes grant_delivers */
lossy_PLAIN void lossy_floor_down_grant_delivers(struct lossy_step *step, uint16_t n) {
    lossy_on_floor_down_grant_delivers(step, n);
}

/* floor takes init */
lossy_PLAIN void lossy_floor_up_init(struct lossy_step *step) {
    lossy_on_floor_up_init(step);
}

/* floor takes send */
lossy_PLAIN void lossy_floor_down_send(struct lossy_step *step, struct lossy_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            lossy_drop(step->pool, m.bytes);
            step->counters[lossy_BROKEN]++;
            break;

        case 2: /* Identified */
            lossy_drop(step->pool, m.bytes);
            step->counters[lossy_BROKEN]++;
            break;

        default:
            lossy_on_floor_down_send(step, (struct lossy_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* floor takes unknown */
lossy_PLAIN void lossy_floor_up_unknown(struct lossy_step *step) {
    lossy_on_floor_up_unknown(step);
}

/* floor.confirm */
lossy_PLAIN void lossy_floor_confirm(struct lossy_step *step) {
#line 112 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 116 "tests/golden/lossy/../../../layers/floor/floor.nacre"
        lossy_queue_lose_up_open(step, step->s->floor.peer);
    }
}

/* floor.down.close */
lossy_PLAIN void lossy_on_floor_down_close(struct lossy_step *step) {
#line 72 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)step;
#line 72 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    lossy_queue_lose_up_closed(step, 0u);
}

/* floor.down.grant_delivers */
lossy_PLAIN void lossy_on_floor_down_grant_delivers(struct lossy_step *step, uint16_t n) {
#line 70 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
}

/* floor.down.send */
lossy_PLAIN void lossy_on_floor_down_send(struct lossy_step *step, struct lossy_msg m) {
#line 46 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)step;
    if (lossy_LIKELY(step->s->floor.confirmed)) {
        struct lossy_msg_floor carried = {.bytes = m.bytes, .data = m.data};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 48 "tests/golden/lossy/../../../layers/floor/floor.nacre"
        lossy_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct lossy_bytes packed[2];
    lossy_view_packed_1(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct lossy_bytes view_2 = {.block = 3u ? lossy_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct lossy_bytes view_3 = {.block = 4u ? lossy_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct lossy_bytes view_4 = {.block = 8u ? lossy_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct lossy_bytes view_5 = {.block = 8u ? lossy_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct lossy_bytes view_6 = {.block = 8u ? lossy_TEMP : 0, .offset = 24u, .len = 8u};
    const struct lossy_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = lossy_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct lossy_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0xf873363cc6360e25);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 59 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    lossy_out_below_down_send(step, step->s->floor.peer, carried_2);
}

/* floor.up.deliver.Identified */
lossy_PLAIN void lossy_on_floor_up_deliver_Identified(struct lossy_step *step, struct nacre_addr from, struct lossy_msg m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 83 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct lossy_bytes packed[2];
    lossy_view_packed_1(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[1u + i] = (uint8_t)(number >> (8u * i));
    }
    struct lossy_bytes view_2 = {.block = 3u ? lossy_TEMP : 0, .offset = 1u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct lossy_bytes view_3 = {.block = 4u ? lossy_TEMP : 0, .offset = 4u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[8u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct lossy_bytes view_4 = {.block = 8u ? lossy_TEMP : 0, .offset = 8u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[16u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct lossy_bytes view_5 = {.block = 8u ? lossy_TEMP : 0, .offset = 16u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[24u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct lossy_bytes view_6 = {.block = 8u ? lossy_TEMP : 0, .offset = 24u, .len = 8u};
    const struct lossy_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = lossy_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0xf873363cc6360e25)) || (check != sum)) || (from_2 == 0u)) || ((uint32_t)(from_2 & 0xffffffu) != from_2));
    bool stranger = (((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie))) || ((from_2 == step->s->floor.cookie) && (born == step->s->floor.incarnation)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        lossy_floor_confirm(step);
    }
#line 104 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    lossy_queue_lose_up_deliver(step, m);
}

/* floor.up.deliver.Short */
lossy_PLAIN void lossy_on_floor_up_deliver_Short(struct lossy_step *step, struct nacre_addr from, struct lossy_msg m, uint32_t to) {
#line 74 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (lossy_UNLIKELY((to != step->s->floor.cookie))) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (lossy_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            lossy_drop(step->pool, m.bytes);
            step->counters[lossy_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        lossy_floor_confirm(step);
    }
#line 80 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    lossy_queue_lose_up_deliver(step, m);
}

/* floor.up.init */
lossy_PLAIN void lossy_on_floor_up_init(struct lossy_step *step) {
#line 7 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)step;
#line 7 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    lossy_queue_lose_up_init(step);
}

/* floor.up.unknown */
lossy_PLAIN void lossy_on_floor_up_unknown(struct lossy_step *step) {
#line 107 "tests/golden/lossy/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = false;
    step->counters[lossy_COUNT_floor_unknown]++;
}

/* lose takes close */
lossy_PLAIN void lossy_lose_down_close(struct lossy_step *step) {
    lossy_on_lose_down_close(step);
}

/* lose takes closed */
lossy_PLAIN void lossy_lose_up_closed(struct lossy_step *step, uint8_t why) {
    lossy_on_lose_up_closed(step, why);
}

/* lose takes deliver */
lossy_PLAIN void lossy_lose_up_deliver(struct lossy_step *step, struct lossy_msg m) {
    lossy_on_lose_up_deliver(step, m);
}

/* lose takes grant_delivers */
lossy_PLAIN void lossy_lose_down_grant_delivers(struct lossy_step *step, uint16_t n) {
    lossy_on_lose_down_grant_delivers(step, n);
}

/* lose takes init */
lossy_PLAIN void lossy_lose_up_init(struct lossy_step *step) {
    lossy_on_lose_up_init(step);
}

/* lose takes open */
lossy_PLAIN void lossy_lose_up_open(struct lossy_step *step, struct nacre_addr from) {
    lossy_on_lose_up_open(step, from);
}

/* lose takes send */
lossy_PLAIN void lossy_lose_down_send(struct lossy_step *step, struct lossy_msg m) {
    lossy_on_lose_down_send(step, m);
}

/* lose.down.close */
lossy_PLAIN void lossy_on_lose_down_close(struct lossy_step *step) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_queue_floor_down_close(step);
}

/* lose.down.grant_delivers */
lossy_PLAIN void lossy_on_lose_down_grant_delivers(struct lossy_step *step, uint16_t n) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_queue_floor_down_grant_delivers(step, n);
}

/* lose.down.send */
lossy_PLAIN void lossy_on_lose_down_send(struct lossy_step *step, struct lossy_msg m) {
#line 10 "tests/golden/lossy/source.nacre"
    (void)step;
    uint32_t t1 = (uint32_t)(lossy_random(&step->s->lose.random, 100u));
    if (t1 < 10u) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_COUNT_lose_lost]++;
    } else {
        struct lossy_msg_floor carried = {.bytes = m.bytes, .data = m.data};
#line 11 "tests/golden/lossy/source.nacre"
        lossy_queue_floor_down_send(step, carried);
    }
}

/* lose.up.closed */
lossy_PLAIN void lossy_on_lose_up_closed(struct lossy_step *step, uint8_t why) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_out_above_up_closed(step, why);
}

/* lose.up.deliver */
lossy_PLAIN void lossy_on_lose_up_deliver(struct lossy_step *step, struct lossy_msg m) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_out_above_up_deliver(step, m);
}

/* lose.up.init */
lossy_PLAIN void lossy_on_lose_up_init(struct lossy_step *step) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_out_above_up_init(step);
}

/* lose.up.open */
lossy_PLAIN void lossy_on_lose_up_open(struct lossy_step *step, struct nacre_addr from) {
#line 5 "tests/golden/lossy/source.nacre"
    (void)step;
#line 5 "tests/golden/lossy/source.nacre"
    lossy_out_above_up_open(step, from);
}

lossy_PLAIN void lossy_queue_floor_down_send(struct lossy_step *step, struct lossy_msg_floor m) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 0; /* floor_down_send */
    e->with.floor_down_send.m = m;
}

lossy_PLAIN void lossy_queue_floor_down_grant_delivers(struct lossy_step *step, uint16_t n) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 1; /* floor_down_grant_delivers */
    e->with.floor_down_grant_delivers.n = n;
}

lossy_PLAIN void lossy_queue_floor_down_close(struct lossy_step *step) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 2; /* floor_down_close */
}

lossy_PLAIN void lossy_queue_lose_up_deliver(struct lossy_step *step, struct lossy_msg m) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        lossy_drop(step->pool, m.bytes);
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 3; /* lose_up_deliver */
    e->with.lose_up_deliver.m = m;
}

lossy_PLAIN void lossy_queue_lose_up_init(struct lossy_step *step) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 4; /* lose_up_init */
}

lossy_PLAIN void lossy_queue_lose_up_open(struct lossy_step *step, struct nacre_addr from) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 5; /* lose_up_open */
    e->with.lose_up_open.from = from;
}

lossy_PLAIN void lossy_queue_lose_up_closed(struct lossy_step *step, uint8_t why) {
    if (lossy_UNLIKELY(step->len == lossy_QUEUE)) {
        step->counters[lossy_BROKEN]++;
        return;
    }
    struct lossy_event *e = &step->more->queue[(step->first + step->len++) % lossy_QUEUE];
    e->what = 6; /* lose_up_closed */
    e->with.lose_up_closed.why = why;
}

/* The scheduler: hands the events in the queue to the layers, first come, first served. */
lossy_PLAIN void lossy_run_queue(struct lossy_step *step) {
    while (step->len > 0) {
        struct lossy_event e = step->more->queue[step->first];
        step->first = (step->first + 1u) % lossy_QUEUE;
        step->len--;
        switch (e.what) {
            case 0: lossy_floor_down_send(step, e.with.floor_down_send.m); break;
            case 1: lossy_floor_down_grant_delivers(step, e.with.floor_down_grant_delivers.n); break;
            case 2: lossy_floor_down_close(step); break;
            case 3: lossy_lose_up_deliver(step, e.with.lose_up_deliver.m); break;
            case 4: lossy_lose_up_init(step); break;
            case 5: lossy_lose_up_open(step, e.with.lose_up_open.from); break;
            case 6: lossy_lose_up_closed(step, e.with.lose_up_closed.why); break;
            default: break;
        }
    }
}

lossy_INLINE void lossy_finish(struct lossy_step *step) {
    if (lossy_UNLIKELY(step->len > 0)) { lossy_run_queue(step); }
    if (lossy_UNLIKELY(step->held)) {
        lossy_drop_long(step->pool, (struct lossy_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

void lossy_config_default(struct lossy_config *config) {
    memset(config, 0, sizeof *config);
    config->floor_identity = 0u;
    config->floor_peer_identity = 0u;
}

int lossy_open(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, const struct lossy_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!(config->floor_cookie <= 0xffffffu)) { return lossy_nothing(out, NACRE_INVALID); }
    if (!lossy_room(out)) { return lossy_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct lossy_step *const step = &this_step;
    s->floor.peer = config->floor_peer;
    s->floor.cookie = config->floor_cookie;
    s->floor.identity = config->floor_identity;
    s->floor.peer_identity = config->floor_peer_identity;
    s->floor.incarnation = config->floor_incarnation;
    s->lose.random = seed + UINT64_C(0x3c6ef372fe94f82a);
    (void)seed;
    (void)config;
    lossy_floor_up_init(step);
    lossy_finish(step);
    return NACRE_OK;
}

lossy_INLINE bool lossy_admits_below_unknown(const struct lossy_step *step) {
    (void)step;
    return true;
}

int lossy_below_unknown(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (lossy_UNLIKELY(!lossy_room(out))) { return lossy_nothing(out, NACRE_INVALID); }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct lossy_step *const step = &this_step;
    lossy_floor_up_unknown(step);
    lossy_finish(step);
    return NACRE_OK;
}

lossy_INLINE bool lossy_admits_above_send(const struct lossy_step *step, struct lossy_msg m) {
    (void)step;
    (void)m;
    if (lossy_UNLIKELY(!(m.bytes.len <= 65463u))) { return false; }
    return true;
}

int lossy_above_send(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (lossy_UNLIKELY(!lossy_room(out))) { return lossy_nothing(out, NACRE_INVALID); }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len, .more = &more};
    struct lossy_step *const step = &this_step;
    struct lossy_msg m = {.bytes = {.block = lossy_IN, .offset = 0, .len = len}, .data = true};
    if (lossy_UNLIKELY(!lossy_admits_above_send(step, m))) {
        counters[lossy_REFUSED]++;
        return lossy_nothing(out, NACRE_REFUSED);
    }
    lossy_lose_down_send(step, m);
    lossy_finish(step);
    return NACRE_OK;
}

lossy_INLINE bool lossy_admits_above_grant_delivers(const struct lossy_step *step, uint16_t n) {
    (void)step;
    (void)n;
    return true;
}

int lossy_above_grant_delivers(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out) {
    if (lossy_UNLIKELY(!lossy_room(out))) { return lossy_nothing(out, NACRE_INVALID); }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct lossy_step *const step = &this_step;
    lossy_lose_down_grant_delivers(step, n);
    lossy_finish(step);
    return NACRE_OK;
}

lossy_INLINE bool lossy_admits_above_close(const struct lossy_step *step) {
    (void)step;
    return true;
}

int lossy_above_close(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (lossy_UNLIKELY(!lossy_room(out))) { return lossy_nothing(out, NACRE_INVALID); }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct lossy_step *const step = &this_step;
    lossy_lose_down_close(step);
    lossy_finish(step);
    return NACRE_OK;
}

int lossy_input(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (lossy_UNLIKELY(!lossy_room(out))) { return lossy_nothing(out, NACRE_INVALID); }
    struct lossy_msg_floor whole = {.data = false};
    uint32_t size = lossy_parse_0(frame, len, &whole);
    if (lossy_UNLIKELY(size == UINT32_MAX)) {
        counters[lossy_MALFORMED]++;
        return lossy_nothing(out, NACRE_DROPPED);
    }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size, .more = &more};
    struct lossy_step *const step = &this_step;
    whole.bytes = (struct lossy_bytes){.block = lossy_IN, .offset = 0, .len = len - size};
    lossy_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
    lossy_finish(step);
    return lossy_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

struct lossy_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
lossy_PLAIN void lossy_soonest(const struct lossy_state *s, struct lossy_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
}

int lossy_tick(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct lossy_due due = {.timer = 0};
    if (!lossy_room(out)) { return lossy_nothing(out, NACRE_INVALID); }
    lossy_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return lossy_nothing(out, NACRE_IDLE); }
    struct lossy_more more;
    struct lossy_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct lossy_step *const step = &this_step;
    switch (due.timer) {
        default: break;
    }
    lossy_finish(step);
    return NACRE_OK;
}

uint64_t lossy_deadline(const struct lossy_state *s) {
    struct lossy_due due = {.timer = 0};
    lossy_soonest(s, &due);
    return due.deadline;
}

int lossy_call(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* below_unknown */
            if (len != 0) { return lossy_nothing(out, NACRE_INVALID); }
            return lossy_below_unknown(s, pool, counters, now, out);
        }
        case 4: { /* above_send */
            return lossy_above_send(s, pool, counters, now, data, len, out);
        }
        case 5: { /* above_grant_delivers */
            if (arguments == NULL) { return lossy_nothing(out, NACRE_INVALID); }
            if (arguments[0] > 65535u) { return lossy_nothing(out, NACRE_INVALID); }
            if (len != 0) { return lossy_nothing(out, NACRE_INVALID); }
            return lossy_above_grant_delivers(s, pool, counters, now, (uint16_t)arguments[0], out);
        }
        case 6: { /* above_close */
            if (len != 0) { return lossy_nothing(out, NACRE_INVALID); }
            return lossy_above_close(s, pool, counters, now, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return lossy_nothing(out, NACRE_INVALID);

    }
}

bool lossy_accepts(const struct lossy_state *s, const struct lossy_pool *pool, uint32_t event, uint32_t len) {
    struct lossy_step this_step = {.s = (struct lossy_state *)(uintptr_t)s, .pool = (struct lossy_pool *)(uintptr_t)pool, .in_len = len};
    struct lossy_step *const step = &this_step;
    switch (event) {
        case 2: return lossy_admits_below_unknown(step) && lossy_space(pool, 0u, 0u, len);
        case 4: return lossy_admits_above_send(step, (struct lossy_msg){.bytes = {.len = len}, .data = true}) && lossy_space(pool, 0u, 0u, len);
        case 5: return lossy_admits_above_grant_delivers(step, 0) && lossy_space(pool, 0u, 0u, len);
        case 6: return lossy_admits_above_close(step) && lossy_space(pool, 0u, 0u, len);
        default: return false;
    }
}

void lossy_discard(struct lossy_state *s, struct lossy_pool *pool) {
    (void)pool;
    memset(s, 0, sizeof *s);
}

void lossy_pool_init(struct lossy_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->free = pool->last = blocks;
    pool->first = 1;
    for (uint32_t i = 0; i < blocks; i++) {
        memset(&pool->block[i], 0, sizeof pool->block[i]);
        pool->block[i].after = (uint16_t)(i + 2u);
    }
}

uint32_t lossy_pool_free(const struct lossy_pool *pool) { return pool->free; }

void lossy_settle(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

uint32_t lossy_canonical(const struct lossy_state *s, const struct lossy_pool *pool, uint8_t *to, uint32_t max) {
    struct lossy_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct lossy_pool *)(uintptr_t)pool;
    struct lossy_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    lossy_tell(t, (uint64_t)s->floor.theirs, 8);
    lossy_tell(t, s->floor.life, 8);
    lossy_tell(t, (uint64_t)s->floor.confirmed, 8);
    lossy_tell(t, (uint64_t)s->floor.opened, 8);
    lossy_tell(t, s->lose.random, 8);
    lossy_tell(t, s->lose.random, 8);
    lossy_tell(t, 0, 4);
    return teller.len;
}

/* ---- for drivers of any stack ---- */

static void lossy_any_config_default(void *config) { lossy_config_default(config); }
static void lossy_any_pool_init(void *pool, uint32_t blocks) { lossy_pool_init(pool, blocks); }
static uint32_t lossy_any_pool_free(const void *pool) { return lossy_pool_free(pool); }
static int lossy_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return lossy_open(s, pool, counters, config, seed, now, out); }
static int lossy_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return lossy_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int lossy_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return lossy_input(s, pool, counters, now, from, frame, len, out); }
static int lossy_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return lossy_tick(s, pool, counters, now, out); }
static uint64_t lossy_any_deadline(const void *s) { return lossy_deadline(s); }
static bool lossy_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return lossy_accepts(s, pool, event, len); }
static void lossy_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { lossy_settle(s, pool, counters, out); }
static void lossy_any_discard(void *s, void *pool) { lossy_discard(s, pool); }
static uint32_t lossy_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return lossy_canonical(s, pool, to, max); }

static const char *const lossy_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
    "floor.unknown",
    "lose.lost",
};
static const struct nacre_event lossy_events[] = {
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
static const struct nacre_given lossy_givens[] = {
    {.name = "floor.peer", .offset = offsetof(struct lossy_config, floor_peer), .size = sizeof(((struct lossy_config *)0)->floor_peer), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.cookie", .offset = offsetof(struct lossy_config, floor_cookie), .size = sizeof(((struct lossy_config *)0)->floor_cookie), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.identity", .offset = offsetof(struct lossy_config, floor_identity), .size = sizeof(((struct lossy_config *)0)->floor_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.peer_identity", .offset = offsetof(struct lossy_config, floor_peer_identity), .size = sizeof(((struct lossy_config *)0)->floor_peer_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.incarnation", .offset = offsetof(struct lossy_config, floor_incarnation), .size = sizeof(((struct lossy_config *)0)->floor_incarnation), .required = 1, .secret = 0, .reserved = 0},
};

const struct nacre_stack lossy_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "lossy",
    .description = "lose<10> / floor",
    .level = "queue",
    .fingerprint = UINT64_C(0xf873363cc6360e25),
    .has_preamble = 1,
    .state_size = sizeof(struct lossy_state),
    .state_align = _Alignof(struct lossy_state),
    .config_size = sizeof(struct lossy_config),
    .pool_align = _Alignof(struct lossy_pool),
    .pool_base = sizeof(struct lossy_pool),
    .pool_per_block = sizeof(struct lossy_block),
    .blocks_for_one = 0,
    .block_bytes = 64,
    .outputs_max = 2,
    .segments_max = 2,
    .bytes_max = 48,
    .frame_head_max = 44,
    .frame_data_max = 65463,
    .counters_len = 8,
    .counters = lossy_counter_names,
    .events_len = 11,
    .givens_len = 5,
    .events = lossy_events,
    .givens = lossy_givens,
    .config_default = lossy_any_config_default,
    .pool_init = lossy_any_pool_init,
    .pool_free = lossy_any_pool_free,
    .open = lossy_any_open,
    .call = lossy_any_call,
    .input = lossy_any_input,
    .tick = lossy_any_tick,
    .deadline = lossy_any_deadline,
    .accepts = lossy_any_accepts,
    .settle = lossy_any_settle,
    .discard = lossy_any_discard,
    .canonical = lossy_any_canonical,
};
