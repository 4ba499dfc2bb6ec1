/* `sequencer / floor`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#ifndef NUMBERED_H
#define NUMBERED_H

/* ... text that all stacks share ... */

#define NUMBERED_BLOCK_BYTES 64u
#define NUMBERED_BLOCKS_FOR_ONE 0u
#define NUMBERED_OUTPUTS_MAX 2u
#define NUMBERED_SEGMENTS_MAX 2u
#define NUMBERED_BYTES_MAX 48u
#define NUMBERED_FRAME_HEAD_MAX 48u
#define NUMBERED_FRAME_DATA_MAX 65459u
#define NUMBERED_QUEUE_MAX 4u
#define NUMBERED_COUNTERS 8u

enum numbered_Reason { numbered_Reason_closed, numbered_Reason_refused, numbered_Reason_unreachable, numbered_Reason_unknown, numbered_Reason_timeout, numbered_Reason_restarted, numbered_Reason_other_stack };

/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct numbered_bytes { uint32_t block, offset, len; };
struct numbered_msg_sequencer { /* a message with the headers of sequencer and what is above; a tag names the header, 0: none */
    struct numbered_bytes bytes;
    bool data;
    uint8_t sequencer;
    uint32_t sequencer_number;
};
struct numbered_msg_floor { /* a message with the headers of floor and what is above; a tag names the header, 0: none */
    struct numbered_bytes bytes;
    bool data;
    uint8_t floor;
    uint8_t sequencer;
    uint32_t floor_to;
    uint64_t floor_stack;
    uint32_t floor_from;
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation;
    uint32_t floor_check;
    uint32_t sequencer_number;
};
struct numbered_msg { /* a message without headers */
    struct numbered_bytes bytes;
    bool data;
};

struct numbered_state {
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
    struct { /* sequencer */
        uint32_t next;
        uint32_t last;
    } sequencer;
    uint8_t nothing;
};

struct numbered_block {
    uint16_t references;
    uint16_t next; /* block with the bytes that follow; 0: none */
    uint16_t after; /* of a free block: the one that is taken next */
    uint8_t bytes[64];
};
struct numbered_pool {
    uint32_t free, first, last; /* how many are free; the first and last of them, from 1 */
    struct numbered_block block[];
};

struct numbered_config {
    struct nacre_addr floor_peer; /* the host must say */
    uint32_t floor_cookie; /* the host must say */
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation; /* the host must say */
};

extern const struct nacre_stack numbered_stack;

/* As in struct nacre_stack, with this stack's types. */
void numbered_config_default(struct numbered_config *config);
void numbered_pool_init(struct numbered_pool *pool, uint32_t blocks);
uint32_t numbered_pool_free(const struct numbered_pool *pool);
int numbered_open(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, const struct numbered_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int numbered_below_unknown(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int numbered_above_send(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out);
int numbered_above_grant_delivers(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out);
int numbered_above_close(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int numbered_call(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int numbered_input(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int numbered_tick(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t numbered_deadline(const struct numbered_state *s);
bool numbered_accepts(const struct numbered_state *s, const struct numbered_pool *pool, uint32_t event, uint32_t len);
void numbered_settle(struct numbered_state *s, struct numbered_pool *pool, uint64_t *counters, struct nacre_out *out);
void numbered_discard(struct numbered_state *s, struct numbered_pool *pool);
uint32_t numbered_canonical(const struct numbered_state *s, const struct numbered_pool *pool, uint8_t *to, uint32_t max);

#endif
