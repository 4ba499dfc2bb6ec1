/* A listener: many connections of one or several stacks over one socket (docs/wire.md), without sockets, clock and
 * allocation. `nacre build --with-listener` writes this text and nacre_listener.c; both are the same for every stack.
 *
 * The host gives datagrams and times, and takes events; frames leave by `nacre_listener_options.send`. All memory is
 * one region of the host's. Times are in nanoseconds from any origin that does not move; a time before the last one
 * counts as the last one. Calls with the same listener must not overlap, and `send` must not call it.
 *
 * A host that received a datagram, or whose deadline has come, does this:
 *
 *     nacre_listener_receive(listener, now, &from, frame, len);          // for each datagram that is there
 *     while (nacre_listener_next(listener, now, &event)) { ... }         // after each of them
 *     wait until a datagram comes, at most until nacre_listener_deadline(listener)
 *
 * What an event names is valid until the next call of the listener. The frame or message of a call must stay as it is
 * until nacre_listener_next has returned false, or until any other function with a parameter `now` has returned
 * something else than NACRE_BUSY: it copies the events that were not taken yet, as far as there is room for them
 * (`event_bytes`); otherwise it returns NACRE_BUSY and has no effect. */
#ifndef NACRE_LISTENER_H
#define NACRE_LISTENER_H

#include "nacre.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NACRE_LISTENER_ABI 1
#define NACRE_ADDRESS_MAX 32
/* Connections of a listener at the most. */
#define NACRE_LISTENER_CONNECTIONS_MAX 65535

/* Results of a listener, besides those of `enum nacre_result`. */
enum nacre_listener_result {
    NACRE_GONE = 16,     /* there is no such connection, or it has ended */
    NACRE_TOO_LONG = 17, /* the stack never accepts a message of this length */
    NACRE_FULL = 18      /* there is no room for another connection */
};

/* Why a connection ended. */
enum nacre_reason {
    NACRE_CLOSED = 0,          /* in order: the peer's stack has everything that was sent here, not an application that has closed */
    NACRE_REFUSED_BY_PEER = 1, /* the peer's application did not want it */
    NACRE_UNREACHABLE = 2,
    NACRE_UNKNOWN = 3,     /* the peer does not know it, or no longer */
    NACRE_TIMEOUT = 4,     /* the peer was silent for too long */
    NACRE_RESTARTED = 5,   /* the peer began anew */
    NACRE_OTHER_STACK = 6, /* the peer does not serve this stack */
    NACRE_INCOMPLETE = 7,  /* the peer closed before everything had arrived */
    NACRE_EXHAUSTED = 8,
    NACRE_NO_ROOM = 128 /* at the peer; or here, where it made room for another before it was confirmed */
};

/* Where a peer is, in bytes that the host understands. Two addresses are the same if their bytes are. To the stack,
 * 6 bytes (IP address, port in network order) are an IPv4 address, and 18 are an IPv6 one; of others it sees the first
 * 18 bytes. */
struct nacre_address {
    uint8_t bytes[NACRE_ADDRESS_MAX];
    uint8_t len;
    uint8_t network; /* limits count addresses together whose first bytes, this many, are the same: of IPv4 4, of
                      * IPv6 8. 0: all bytes */
};

/* A stack of a listener. It must have no keys: handshakes are the runtime's. */
struct nacre_listener_stack {
    const struct nacre_stack *stack;
    bool served;     /* peers may begin connections */
    uint32_t blocks; /* in the message pool of each connection, at most 65535; 0: blocks_for_one */
    /* Sets given values in the config of a connection that a peer begins; false: the peer is told that there is no
     * room. NULL: the defaults. Must not call the listener. */
    bool (*prepare)(void *host, void *config, const struct nacre_address *from);
};

/* Limits and times. Begin with `nacre_listener_defaults`. */
struct nacre_listener_options {
    uint32_t abi;  /* NACRE_LISTENER_ABI */
    uint32_t size; /* sizeof(struct nacre_listener_options) */
    void *host;    /* the first argument of the functions below */
    /* A datagram leaves: its segments in order. They are lent for the call. What cannot be sent is lost. */
    void (*send)(void *host, const struct nacre_address *to, const struct nacre_segment *segments,
                 uint32_t segments_len);
    const struct nacre_listener_stack *stacks; /* copied by `nacre_listener_init` */
    uint32_t stacks_len;
    uint32_t connections;             /* at the most */
    uint32_t connections_per_network; /* that peers of one network have begun */
    uint32_t unconfirmed;             /* that peers have begun and not confirmed: their address may be forged */
    uint32_t unconfirmed_per_network;
    uint32_t retry_above; /* from so many unconfirmed ones on, or more than a sixteenth of it in one network, a peer
                           * must prove its address before anything is kept of it; at the latest once they have a
                           * quarter of the places that confirmed ones leave (a network: a sixteenth). 0: always */
    uint32_t departed;    /* connections that have ended and are remembered for 2 minutes: late first frames */
    uint32_t refusals;    /* connections that were refused and whose peers are told again, for 30 s */
    uint32_t networks;    /* that are given answers (10 a second each, 100 in all); others get none meanwhile */
    uint32_t text_max;    /* bytes of an application's text that are kept, at most 255 */
    uint32_t event_bytes; /* room for events that wait, besides what `connections` needs */
    bool moves;           /* a connection moves with its peer: whoever reads its frames can take it away */
    uint64_t identity;    /* this end's; 0: its transport address */
    uint64_t ping_after, timeout, linger; /* ns */
    uint8_t seed[32]; /* random, known to nobody else, another one after each start: all labels follow from it */
};

enum nacre_listener_event_kind {
    NACRE_ARRIVED,  /* a peer has begun a connection; its address may be forged */
    NACRE_OPENED,   /* the peer has shown that it receives what is sent to its address */
    NACRE_DELIVERED,/* a message: `segments` */
    NACRE_WRITABLE, /* a call that was refused would be accepted now */
    NACRE_ENDED,    /* `reason`; code and text of the peer's application, if `has_words` */
    NACRE_MOVED,    /* the peer is at `address` now */
    NACRE_STRANGER, /* who is at `address` runs the stack `fingerprint`, which is not served here; `connection` is 0 */
    NACRE_OTHER     /* the event `event` of the stack, with `arguments` and `segments` */
};

struct nacre_listener_event {
    uint32_t kind; /* enum nacre_listener_event_kind */
    uint32_t stack; /* index in the options */
    uint64_t connection;
    uint64_t fingerprint;
    uint64_t arguments[4];
    const struct nacre_segment *segments; /* the message */
    const uint8_t *text;                  /* not checked to be UTF-8 */
    const struct nacre_address *address;
    uint32_t segments_len;
    uint32_t len; /* bytes in all segments */
    uint32_t text_len;
    uint32_t code;
    uint32_t reason; /* enum nacre_reason */
    uint16_t event;
    uint8_t has_words;
    uint8_t is_proven; /* of a message: its sender receives frames at the peer's address */
};

/* Numbers that only grow. */
struct nacre_listener_statistics {
    uint64_t frames_in, controls_in, controls_ignored, malformed;
    uint64_t frames_out, controls_out;
    uint64_t dropped;          /* frames that a stack rejected */
    uint64_t no_space;         /* frames that a stack had no room for */
    uint64_t withheld;         /* frames that exceeded three times what an unconfirmed peer had sent */
    uint64_t unknown_labels;   /* frames of no connection */
    uint64_t other_stack;      /* first frames of stacks that are not served */
    uint64_t late;             /* first frames of connections that had ended */
    uint64_t limited;          /* first frames for which there was no room */
    uint64_t retried;          /* first frames whose sender was asked to prove its address */
    uint64_t not_accepted;     /* first frames that the stack rejected */
    uint64_t answers_withheld; /* too many, or larger than their cause */
    uint64_t connected, arrived, evicted, restarted, moved;
    uint64_t events_lost; /* always 0 */
};

struct nacre_listener;

/* Fills the options with defaults for so many connections. `send`, `stacks` and `seed` remain to be set. */
void nacre_listener_defaults(struct nacre_listener_options *options, uint32_t connections);

/* Bytes of memory that a listener with these options takes; 0: the options are invalid (no stack, one with keys, one
 * of another version or with several lower ports, a stack without preamble beside others, a limit that is exceeded). */
size_t nacre_listener_size(const struct nacre_listener_options *options);

/* Makes a listener in `memory`, which may begin at any address. NULL: the options are invalid, or `size` is too
 * small. Everything of it is in this memory; `nacre_listener_end` erases it. */
struct nacre_listener *nacre_listener_init(void *memory, size_t size, const struct nacre_listener_options *options,
                                           uint64_t now);

/* Discards all connections, without notifying the peers, and erases the memory of the listener. */
void nacre_listener_end(struct nacre_listener *listener);

/* A datagram has arrived. NACRE_BUSY: take the events first; it may then be given again. */
int nacre_listener_receive(struct nacre_listener *listener, uint64_t now, const struct nacre_address *from,
                           const uint8_t *frame, uint32_t len);

/* Does what is due, and returns the next event; false: there is none. A call runs at most 64 timers: look at the
 * deadline afterwards. A peer's silence is believed only here, so datagrams that wait should be given before. */
bool nacre_listener_next(struct nacre_listener *listener, uint64_t now, struct nacre_listener_event *event);

/* When `nacre_listener_next` is to be called without a datagram; 0: at once; NACRE_NEVER. */
uint64_t nacre_listener_deadline(const struct nacre_listener *listener);

/* Begins a connection. `config`: NULL, or a config of the stack that `config_default` has filled; the listener sets
 * peer, cookie and incarnation, and the identity if that is 0. Two connections with one peer and stack need different
 * identities. Returns NACRE_OK and sets `*connection` (never 0, never used again); or NACRE_INVALID, NACRE_FULL,
 * NACRE_BUSY. */
int nacre_listener_connect(struct nacre_listener *listener, uint64_t now, const struct nacre_address *to,
                           uint32_t stack, const void *config, uint64_t *connection);

/* Sends a message by the stack's event `send`. NACRE_OK; NACRE_REFUSED: not now, NACRE_WRITABLE follows;
 * NACRE_TOO_LONG, NACRE_GONE, NACRE_BUSY, NACRE_INVALID. */
int nacre_listener_send(struct nacre_listener *listener, uint64_t now, uint64_t connection, const uint8_t *data,
                        uint32_t len);

/* The same with any input event of the stack, by its index. */
int nacre_listener_call(struct nacre_listener *listener, uint64_t now, uint64_t connection, uint32_t event,
                        const uint64_t *arguments, const uint8_t *data, uint32_t len);

/* Whether a message of this length would be accepted. */
bool nacre_listener_accepts(const struct nacre_listener *listener, uint64_t connection, uint32_t len);

/* Closes in order, as soon as the stack accepts that; NACRE_ENDED follows. `text`: NULL, or what the peer's application
 * is told with the code (at most `text_max` bytes). NACRE_OK, NACRE_GONE, NACRE_BUSY, NACRE_INVALID. */
int nacre_listener_close(struct nacre_listener *listener, uint64_t now, uint64_t connection, uint32_t code,
                         const char *text, uint32_t text_len);

/* Ends a connection at once and tells the peer why; no event follows. Results as of close. */
int nacre_listener_refuse(struct nacre_listener *listener, uint64_t now, uint64_t connection, uint32_t code,
                          const char *text, uint32_t text_len);

/* Ends a connection at once, without a word. NACRE_OK, NACRE_GONE, NACRE_BUSY. */
int nacre_listener_discard(struct nacre_listener *listener, uint64_t now, uint64_t connection);

/* Grants deliveries of a stack that counts them (`grant_delivers`). The listener grants 16 at first and one for each
 * message that was taken, unless `by_listener` was set to false. */
int nacre_listener_grant(struct nacre_listener *listener, uint64_t now, uint64_t connection, uint32_t messages);
int nacre_listener_set_grants(struct nacre_listener *listener, uint64_t connection, bool by_listener);

/* The peer's address; NULL: there is no such connection. Valid until the next call. */
const struct nacre_address *nacre_listener_address(const struct nacre_listener *listener, uint64_t connection);

/* Whether the peer has shown that it receives frames at its address. */
bool nacre_listener_is_confirmed(const struct nacre_listener *listener, uint64_t connection);

/* Time between the last ping and its pong, in ns; 0: not known. */
uint64_t nacre_listener_round_trip(const struct nacre_listener *listener, uint64_t connection);

/* Connections that there are, those included that only answer their peers after their end. */
uint32_t nacre_listener_count(const struct nacre_listener *listener);

/* The counters of a stack, of all its connections together, in the order of `nacre_stack.counters`. */
const uint64_t *nacre_listener_counters(const struct nacre_listener *listener, uint32_t stack);

const struct nacre_listener_statistics *nacre_listener_statistics(const struct nacre_listener *listener);

#ifdef __cplusplus
}
#endif

#endif
