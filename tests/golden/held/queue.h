/* `delay<10 ms, 4> / floor`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#ifndef HELD_H
#define HELD_H

/* ... text that all stacks share ... */

#define HELD_BLOCK_BYTES 1536u
#define HELD_BLOCKS_FOR_ONE 172u
#define HELD_OUTPUTS_MAX 2u
#define HELD_SEGMENTS_MAX 44u
#define HELD_BYTES_MAX 48u
#define HELD_FRAME_HEAD_MAX 44u
#define HELD_FRAME_DATA_MAX 65463u
#define HELD_QUEUE_MAX 4u
#define HELD_COUNTERS 8u

enum held_Reason { held_Reason_closed, held_Reason_refused, held_Reason_unreachable, held_Reason_unknown, held_Reason_timeout, held_Reason_restarted, held_Reason_other_stack };

/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct held_bytes { uint32_t block, offset, len; };
struct held_msg { /* a message without headers */
    struct held_bytes bytes;
    bool data;
};
struct held_msg_floor { /* a message with the headers of floor and what is above; a tag names the header, 0: none */
    struct held_bytes bytes;
    bool data;
    uint8_t floor;
    uint32_t floor_to;
    uint64_t floor_stack;
    uint32_t floor_from;
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation;
    uint32_t floor_check;
};
struct held_tuple2_msg_instant {
    struct held_msg _0;
    uint64_t _1;
};
struct held_ring4_tuple2_msg_instant { /* the oldest at `head` */
    uint32_t head;
    uint32_t len;
    struct held_tuple2_msg_instant at[4];
};
struct held_maybe_tuple2_msg_instant {
    bool some;
    struct held_tuple2_msg_instant value;
};

struct held_state {
    struct { /* floor */
        struct nacre_addr peer;
        uint32_t cookie;
        uint64_t identity;
        uint64_t peer_identity;
        uint64_t incarnation;
        uint32_t theirs;
        uint64_t life;
        bool confirmed;
        bool opened;
    } floor;
    struct { /* delay<BY = 10 ms, HELD = 4> */
        struct held_ring4_tuple2_msg_instant held;
        uint64_t leave;
    } delay;
    uint8_t nothing;
};

struct held_block {
    uint16_t references;
    uint16_t next; /* block with the bytes that follow; 0: none */
    uint16_t after; /* of a free block: the one that is taken next */
    uint8_t bytes[1536];
};
struct held_pool {
    uint32_t free, first, last; /* how many are free; the first and last of them, from 1 */
    struct held_block block[];
};

struct held_config {
    struct nacre_addr floor_peer; /* the host must say */
    uint32_t floor_cookie; /* the host must say */
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation; /* the host must say */
};

extern const struct nacre_stack held_stack;

/* As in struct nacre_stack, with this stack's types. */
void held_config_default(struct held_config *config);
void held_pool_init(struct held_pool *pool, uint32_t blocks);
uint32_t held_pool_free(const struct held_pool *pool);
int held_open(struct held_state *s, struct held_pool *pool, uint64_t *counters, const struct held_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int held_below_unknown(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int held_above_send(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out);
int held_above_grant_delivers(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out);
int held_above_close(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int held_call(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int held_input(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int held_tick(struct held_state *s, struct held_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t held_deadline(const struct held_state *s);
bool held_accepts(const struct held_state *s, const struct held_pool *pool, uint32_t event, uint32_t len);
void held_settle(struct held_state *s, struct held_pool *pool, uint64_t *counters, struct nacre_out *out);
void held_discard(struct held_state *s, struct held_pool *pool);
uint32_t held_canonical(const struct held_state *s, const struct held_pool *pool, uint8_t *to, uint32_t max);

#endif
