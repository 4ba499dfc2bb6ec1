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
#define NACRE_ABI 3

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

/* A transport address. Family 4: the last four bytes of ip; 6: all; 0: none. The other bytes are 0, as addresses are
 * compared as a whole. Port in the processor's order. */
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

/* Something that left the stack: at a lower port a frame, elsewhere an event for the host. */
struct nacre_output {
    uint16_t port;
    uint16_t event;   /* index into nacre_stack.events */
    uint32_t session; /* 0, where there are not several */
    uint32_t len;     /* bytes in all segments */
    uint32_t segments_len;
    const struct nacre_segment *segments; /* NULL: no message */
    uint64_t arguments[4]; /* the event's parameters but the message and addresses, in order; those it has not are not set */
    struct nacre_addr address; /* its parameter of type addr, if it has one */
    uint32_t reserved;
};

/* A frame that arrived, at one of several lower ports. */
struct nacre_in {
    uint32_t abi;     /* NACRE_ABI */
    uint32_t size;    /* sizeof(struct nacre_in) */
    uint16_t port;
    uint16_t reserved;
    uint32_t session; /* 0, where there are not several */
    const struct nacre_addr *from;
    const uint8_t *frame;
    uint32_t len;
    uint32_t reserved2;
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

#define NACRE_NONE 0xffffu

/* What came of a frame that a quick entry has taken. */
struct nacre_delivery {
    const uint8_t *at; /* NULL: it has taken nothing, and nothing has happened: give the frame to `input` */
    uint32_t len;      /* bytes of the message that is delivered, which lie in the frame from `at` on; 0: none is */
    uint16_t event;    /* index of an event that left before; NACRE_NONE: none did */
    uint16_t argument; /* its number, if it has one */
};

/* What an event is at the boundary of the stack, and a given to the host. */
enum nacre_event_role {
    NACRE_EVENT_PLAIN,
    NACRE_EVENT_OPENING,
    NACRE_EVENT_SENDING,
    NACRE_EVENT_DELIVERY,
    NACRE_EVENT_MOVED, /* to be called when the peer has another address */
    NACRE_EVENT_ROOM   /* to be called when frames of another size fit the way to the peer */
};
enum nacre_given_role {
    NACRE_GIVEN_PLAIN,         /* a setting of the user's */
    NACRE_GIVEN_PEER,          /* the peer's address */
    NACRE_GIVEN_COOKIE,        /* 24 bits, not 0: by which frames find this connection */
    NACRE_GIVEN_IDENTITY,      /* who this end is; 0: nobody in particular */
    NACRE_GIVEN_PEER_IDENTITY, /* whom it means to speak to; 0: whoever is there */
    NACRE_GIVEN_INCARNATION,   /* random, another one after each start */
    NACRE_GIVEN_ROOM,          /* how many bytes of data fit a frame on the way to the peer */
    NACRE_GIVEN_SEALING_KEY,   /* 32 secret bytes: the key for messages to the peer, which is the peer's opening key */
    NACRE_GIVEN_OPENING_KEY,   /* 32 secret bytes: the key for messages from the peer */
    NACRE_GIVEN_PEER_COOKIE,   /* the cookie in frames to the peer, if both hosts have agreed on it; 0: not known */
    NACRE_GIVEN_PEER_KEY,      /* the key in frames to the peer, if its cookie is known */
    NACRE_GIVEN_SIGNING_KEY,   /* 32 secret bytes: the key with which this end signs */
    NACRE_GIVEN_BINDING,       /* 32 bytes that are the same at both ends of a connection, and of no other connection */
    NACRE_GIVEN_UNCONFIRMED    /* 1: the peer has not yet shown that it receives frames at its address */
};

/* An event of the interface at a port. */
struct nacre_event {
    const char *name;
    uint16_t port;
    uint8_t input;      /* 1: the host may call it; 0: it comes out */
    uint8_t has_message;
    uint8_t has_address;
    uint8_t arguments;  /* how many numbers */
    uint8_t role;       /* enum nacre_event_role */
    uint8_t idle;       /* 1: calling it never has an effect; a host may omit the call */
    uint32_t message_max; /* of an input with a message: a longer one is never accepted; else 0 */
    uint32_t reserved2;
};

/* A value that the host gives when a connection is opened: at `offset` in the stack's config struct. */
struct nacre_given {
    const char *name;  /* `floor.peer` */
    uint32_t offset;
    uint32_t size;
    uint8_t required;  /* 1: the layer states no default; 0: nacre_stack.config_default has filled it */
    uint8_t secret;
    uint8_t role; /* enum nacre_given_role */
    uint8_t reserved;
};

/* Everything about a stack that a driver needs, so that one driver serves all stacks. Constant. */
struct nacre_stack {
    uint32_t abi;
    uint32_t size;
    const char *name;
    const char *description; /* `frag<1400> / pt2pt<16> / floor` */
    const char *level;       /* `queue`, `call`, `inline`, `bypass` */
    uint64_t fingerprint;
    uint8_t has_preamble;
    uint8_t reserved[7];
    /* Regions. The pool's size is pool_base + blocks * pool_block_size (with its own table for each block inside). */
    uint32_t state_size, state_align;
    uint32_t config_size, pool_align;
    uint32_t pool_base, pool_per_block;
    uint32_t blocks_for_one; /* in a pool of these, one connection is never refused for lack of room */
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
    /* A frame at one of several lower ports; NULL: there is only port 0, whose entry is `input`. */
    int (*enter)(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_in *in,
                 struct nacre_out *out);
    /* A new view: what lasts and what is shared stay, all else of the session begins anew, and `init` runs. NULL: nothing lasts. */
    int (*view)(void *state, void *pool, uint64_t *counters, const void *config, uint64_t now, struct nacre_out *out);
    /* Quick entries: as `call` and `input` for what is common, without `out`. NULL: the stack has none.
     * A message for the only event of role NACRE_EVENT_SENDING. Writes the head of the frame, frame_head_max bytes at the most, and returns
     * how many: the frame is the head and the data, and goes to the address in the state at quick_to. 0: nothing has happened, use `call`. */
    uint32_t (*send_quick)(void *state, void *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, uint8_t *head);
    /* What is delivered leaves by the only event of role NACRE_EVENT_DELIVERY that comes out above. */
    struct nacre_delivery (*input_quick)(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
                                         const uint8_t *frame, uint32_t len);
    uint32_t quick_to; /* where the state has the address to which frames of send_quick go; UINT32_MAX: they have none */
    uint32_t reserved2;
};

#endif
