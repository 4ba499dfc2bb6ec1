/* `lose<10> / floor`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#ifndef LOSSY_H
#define LOSSY_H

/* ... text that all stacks share ... */

#define LOSSY_BLOCK_BYTES 64u
#define LOSSY_BLOCKS_FOR_ONE 0u
#define LOSSY_OUTPUTS_MAX 2u
#define LOSSY_SEGMENTS_MAX 2u
#define LOSSY_BYTES_MAX 48u
#define LOSSY_FRAME_HEAD_MAX 44u
#define LOSSY_FRAME_DATA_MAX 65463u
#define LOSSY_QUEUE_MAX 4u
#define LOSSY_COUNTERS 8u

enum lossy_Reason { lossy_Reason_closed, lossy_Reason_refused, lossy_Reason_unreachable, lossy_Reason_unknown, lossy_Reason_timeout, lossy_Reason_restarted, lossy_Reason_other_stack };

/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct lossy_bytes { uint32_t block, offset, len; };
struct lossy_msg { /* a message without headers */
    struct lossy_bytes bytes;
    bool data;
};
struct lossy_msg_floor { /* a message with the headers of floor and what is above; a tag names the header, 0: none */
    struct lossy_bytes bytes;
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

struct lossy_state {
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
    struct { /* lose<PERCENT = 10> */
        uint64_t random;
    } lose;
    uint8_t nothing;
};

struct lossy_block {
    uint16_t references;
    uint16_t next; /* block with the bytes that follow; 0: none */
    uint16_t after; /* of a free block: the one that is taken next */
    uint8_t bytes[64];
};
struct lossy_pool {
    uint32_t free, first, last; /* how many are free; the first and last of them, from 1 */
    struct lossy_block block[];
};

struct lossy_config {
    struct nacre_addr floor_peer; /* the host must say */
    uint32_t floor_cookie; /* the host must say */
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation; /* the host must say */
};

extern const struct nacre_stack lossy_stack;

/* As in struct nacre_stack, with this stack's types. */
void lossy_config_default(struct lossy_config *config);
void lossy_pool_init(struct lossy_pool *pool, uint32_t blocks);
uint32_t lossy_pool_free(const struct lossy_pool *pool);
int lossy_open(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, const struct lossy_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int lossy_below_unknown(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int lossy_above_send(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out);
int lossy_above_grant_delivers(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out);
int lossy_above_close(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int lossy_call(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int lossy_input(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int lossy_tick(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t lossy_deadline(const struct lossy_state *s);
bool lossy_accepts(const struct lossy_state *s, const struct lossy_pool *pool, uint32_t event, uint32_t len);
void lossy_settle(struct lossy_state *s, struct lossy_pool *pool, uint64_t *counters, struct nacre_out *out);
void lossy_discard(struct lossy_state *s, struct lossy_pool *pool);
uint32_t lossy_canonical(const struct lossy_state *s, const struct lossy_pool *pool, uint8_t *to, uint32_t max);

#endif
