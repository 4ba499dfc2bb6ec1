/* `crc32c / floor`, as Nacre's C back end writes it at level call. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#ifndef SUMMED_H
#define SUMMED_H

/* ... text that all stacks share ... */

#define SUMMED_BLOCK_BYTES 64u
#define SUMMED_BLOCKS_FOR_ONE 0u
#define SUMMED_OUTPUTS_MAX 2u
#define SUMMED_SEGMENTS_MAX 2u
#define SUMMED_BYTES_MAX 48u
#define SUMMED_FRAME_HEAD_MAX 48u
#define SUMMED_FRAME_DATA_MAX 65459u
#define SUMMED_QUEUE_MAX 4u
#define SUMMED_COUNTERS 8u

enum summed_Reason { summed_Reason_closed, summed_Reason_refused, summed_Reason_unreachable, summed_Reason_unknown, summed_Reason_timeout, summed_Reason_restarted, summed_Reason_other_stack };

/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct summed_bytes { uint32_t block, offset, len; };
struct summed_msg_crc32c { /* a message with the headers of crc32c and what is above; a tag names the header, 0: none */
    struct summed_bytes bytes;
    bool data;
    uint8_t crc32c;
    uint32_t crc32c_sum;
};
struct summed_msg_floor { /* a message with the headers of floor and what is above; a tag names the header, 0: none */
    struct summed_bytes bytes;
    bool data;
    uint8_t floor;
    uint8_t crc32c;
    uint32_t floor_to;
    uint64_t floor_stack;
    uint32_t floor_from;
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation;
    uint32_t floor_check;
    uint32_t crc32c_sum;
};
struct summed_msg { /* a message without headers */
    struct summed_bytes bytes;
    bool data;
};

struct summed_state {
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
    uint8_t nothing;
};

struct summed_block {
    uint16_t references;
    uint16_t next; /* block with the bytes that follow; 0: none */
    uint16_t after; /* of a free block: the one that is taken next */
    uint8_t bytes[64];
};
struct summed_pool {
    uint32_t free, first, last; /* how many are free; the first and last of them, from 1 */
    struct summed_block block[];
};

struct summed_config {
    struct nacre_addr floor_peer; /* the host must say */
    uint32_t floor_cookie; /* the host must say */
    uint64_t floor_identity;
    uint64_t floor_peer_identity;
    uint64_t floor_incarnation; /* the host must say */
};

extern const struct nacre_stack summed_stack;

/* As in struct nacre_stack, with this stack's types. */
void summed_config_default(struct summed_config *config);
void summed_pool_init(struct summed_pool *pool, uint32_t blocks);
uint32_t summed_pool_free(const struct summed_pool *pool);
int summed_open(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, const struct summed_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int summed_below_unknown(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int summed_above_send(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out);
int summed_above_grant_delivers(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out);
int summed_above_close(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
int summed_call(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int summed_input(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int summed_tick(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t summed_deadline(const struct summed_state *s);
bool summed_accepts(const struct summed_state *s, const struct summed_pool *pool, uint32_t event, uint32_t len);
void summed_settle(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, struct nacre_out *out);
void summed_discard(struct summed_state *s, struct summed_pool *pool);
uint32_t summed_canonical(const struct summed_state *s, const struct summed_pool *pool, uint8_t *to, uint32_t max);

#endif
