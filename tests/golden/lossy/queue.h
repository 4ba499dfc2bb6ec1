/* `lose<10> / floor`, as Nacre's C back end writes it at level queue. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#ifndef LOSSY_H
#define LOSSY_H

/* The interface of every stack that Nacre emits. This text stands at the head of each generated header, under one guard.
 *
 * A stack is sans-I/O. All it knows is in three regions that the caller gives: the state (one for each connection), the
 * message pool (one for each connection, or shared by all of a shard), and the counters. It calls nothing and reads no clock: time
 * arrives with the call, in nanoseconds from any origin that does not move.
 *
 * One call is one step: the outside event and all that it causes. What comes of it stands in `out`, in order,
 * in place of what stood there.
 * Bytes that outputs name (in the caller's message or frame, in the pool, or in out->bytes) are immutable and lent until the
 * next call that is given the same state, pool or out; a caller that keeps them longer copies them.
 *
 * No two calls with the same state or the same pool may run at the same time; otherwise any thread may call. */
#ifndef NACRE_ABI
#define NACRE_ABI 1

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NACRE_NEVER UINT64_MAX

enum nacre_result {
    NACRE_OK = 0,
    NACRE_IDLE = 1,    /* tick: nothing was due */
    NACRE_REFUSED = 2, /* a layer does not accept this call now; no effect. Wait for a grant, or see what it accepts */
    NACRE_BUSY = 3,    /* a `later` event waits (deadline 0): call tick first; no effect */
    NACRE_NO_SPACE = 4,/* the pool cannot serve the worst case of this step. A frame was dropped and counted; a call had no effect */
    NACRE_DROPPED = 5, /* the frame is not one of this stack's, or was said to be impossible; counted */
    NACRE_INVALID = 6  /* wrong event number, argument out of its range, out too small: a mistake of the caller; no effect */
};

/* A transport address. Family 4: the last four bytes of ip; 6: all; 0: none. Port in the processor's order. */
struct nacre_addr {
    uint8_t ip[16];
    uint16_t port;
    uint16_t family;
};

struct nacre_segment {
    const uint8_t *at;
    uint32_t len;
    uint32_t reserved;
};

/* Something that left the stack: at port 0 a frame, elsewhere an event for the host. */
struct nacre_output {
    uint16_t port;
    uint16_t event;   /* index into nacre_stack.events */
    uint32_t session; /* 0 */
    uint32_t len;     /* bytes in all segments */
    uint32_t segments_len;
    const struct nacre_segment *segments; /* NULL: no message */
    uint64_t arguments[4]; /* the event's parameters but the message and addresses, in order; those it has not are not set */
    struct nacre_addr address; /* its parameter of type addr, if it has one */
    uint32_t reserved;
};

/* Where a stack puts its outputs: three arrays of the caller's, at least as large as the stack's bounds. The capacities are checked
 * before a step, so nothing can overflow. Each call starts anew; one without effect leaves nothing here. */
struct nacre_out {
    uint32_t abi;  /* NACRE_ABI */
    uint32_t size; /* sizeof(struct nacre_out) */
    uint32_t outputs_len, outputs_max;
    uint32_t segments_len, segments_max;
    uint32_t bytes_len, bytes_max;
    struct nacre_output *outputs;
    struct nacre_segment *segments;
    uint8_t *bytes;
};

static inline void nacre_out_clear(struct nacre_out *out) {
    out->outputs_len = 0;
    out->segments_len = 0;
    out->bytes_len = 0;
}

/* An event of the interface at a port. */
struct nacre_event {
    const char *name;
    uint16_t port;
    uint8_t input;      /* 1: the host may call it; 0: it comes out */
    uint8_t has_message;
    uint8_t has_address;
    uint8_t arguments;  /* how many numbers */
    uint16_t reserved;
};

/* A value that the host gives when a connection is opened: at `offset` in the stack's config struct. */
struct nacre_given {
    const char *name;  /* `floor.peer` */
    uint32_t offset;
    uint32_t size;
    uint8_t required;  /* 1: the layer states no default; 0: nacre_stack.config_default has filled it */
    uint8_t secret;
    uint16_t reserved;
};

/* Everything about a stack that a driver needs, so that one driver serves all stacks. Constant. */
struct nacre_stack {
    uint32_t abi;
    uint32_t size;
    const char *name;
    const char *description; /* `frag<1400> / pt2pt<16> / floor` */
    const char *level;       /* `queue`, `call`, `inline` */
    uint64_t fingerprint;
    uint8_t has_preamble;
    uint8_t reserved[7];
    /* Regions. The pool's size is pool_base + blocks * pool_block_size (with its own table for each block inside). */
    uint32_t state_size, state_align;
    uint32_t config_size, pool_align;
    uint32_t pool_base, pool_per_block;
    uint32_t blocks_for_one; /* blocks that one connection can hold at the most */
    uint32_t block_bytes;    /* message bytes in a block */
    /* Bounds of one step. */
    uint32_t outputs_max, segments_max, bytes_max;
    uint32_t frame_head_max; /* bytes in front of the data of a frame, at the most */
    uint32_t frame_data_max; /* data of a frame, at the most */
    uint32_t counters_len;
    const char *const *counters; /* names: `malformed`, ..., `pt2pt.repeated` */
    uint32_t events_len;
    uint32_t givens_len;
    const struct nacre_event *events;
    const struct nacre_given *givens;

    void (*config_default)(void *config);
    /* Makes `pool` an empty pool of so many blocks. */
    void (*pool_init)(void *pool, uint32_t blocks);
    uint32_t (*pool_free)(const void *pool);
    /* Makes `state` a new connection: `init` runs. `seed` feeds the layers' random numbers. */
    int (*open)(void *state, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now,
                struct nacre_out *out);
    /* An event of a port (an input in `events`). `arguments` and `address` as in outputs. `data` may be NULL if len is 0. */
    int (*call)(void *state, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
                const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
    /* A frame from the transport. */
    int (*input)(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
                 const uint8_t *frame, uint32_t len, struct nacre_out *out);
    /* One `later` event, or one timer that is due. */
    int (*tick)(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
    /* When tick is to be called next; 0: at once; NACRE_NEVER. */
    uint64_t (*deadline)(const void *state);
    /* Whether the stack would accept the call now, with a message of so many bytes. */
    bool (*accepts)(const void *state, const void *pool, uint32_t event, uint32_t len);
    /* Work that may wait until the frames have left; to be called before the next event of this connection (calls do it
     * themselves where it was not). */
    void (*settle)(void *state, void *pool, uint64_t *counters, struct nacre_out *out);
    /* Gives all messages back to the pool, erases secrets; the state is dead afterwards. */
    void (*discard)(void *state, void *pool);
    /* Writes what a person or a test compares: the live state as text-free canonical bytes (docs/c-interface.md); returns how many it
     * would write. Equal behaviour state, equal bytes, at every level and in the interpreter. */
    uint32_t (*canonical)(const void *state, const void *pool, uint8_t *to, uint32_t max);
};

#endif

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
    uint32_t node; /* the first free piece */
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
