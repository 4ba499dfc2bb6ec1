/* Runs the stacks that Nacre emits over UDP. Link with libnacre_runtime (.a or .so); docs/runtime.md is the guide.
 *
 * A listener, its connections and everything lent by it belong to one thread at a time: they may move to another thread, but
 * no two calls with the same listener may run at once. Different listeners are independent. Only nacre_wake may be called
 * from any thread, at any time.
 *
 * No header of a stack is needed beside this one; `struct nacre_stack` is what each emitted stack exports. */
#ifndef NACRE_RUNTIME_H
#define NACRE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nacre_stack;
struct nacre_listener;
struct nacre_waker;
struct nacre_config;

/* The result of a call. */
enum nacre_run {
    NACRE_RUN_OK = 0,
    NACRE_RUN_REFUSED = 1, /* the stack does not accept it now; nothing happened. NACRE_NOTICE_WRITABLE follows */
    NACRE_RUN_TIMEOUT = 2, /* the time has passed: no event, or the message was not sent */
    NACRE_RUN_CLOSED = 3,  /* there is no such connection, or it has ended */
    NACRE_RUN_ERROR = 4,   /* nacre_error says which */
    NACRE_RUN_TOO_LONG = 5, /* the stack never accepts so long a message; nothing happened */
    NACRE_RUN_WOKEN = 6,    /* of nacre_poll: nacre_wake was called */
    NACRE_RUN_INTERRUPTED = 7 /* the program handled a signal while the call waited: what it waited for has not happened; call again */
};

/* The kinds of notices. */
enum nacre_notice_kind {
    NACRE_NOTICE_ARRIVED = 1,     /* a peer began a connection; its address may yet be forged */
    NACRE_NOTICE_OPENED = 2,      /* the peer has confirmed that it receives our frames */
    NACRE_NOTICE_DELIVERED = 3,   /* a message: data, len */
    NACRE_NOTICE_WRITABLE = 4,    /* a call that was refused would be accepted now; does not come after nacre_close */
    NACRE_NOTICE_CLOSED = 5,      /* the connection has ended: reason; its number is invalid from now on. arguments[0]: 1 if the
                                   * peer's application said why: arguments[1] is its code, text its text. Of nacre_reconnect: of
                                   * arguments[2] messages that it had accepted, arguments[3] are known to have been taken */
    NACRE_NOTICE_OTHER_STACK = 6, /* the two ends run different stacks: text */
    NACRE_NOTICE_ERROR = 7,       /* the system or the network reported an error: text; the connection continues */
    NACRE_NOTICE_OTHER = 8,       /* another event of the stack: event, arguments, data, len */
    NACRE_NOTICE_MOVED = 9,       /* the peer has another address now (option `moves`): peer */
    NACRE_NOTICE_RESOLVED = 10,   /* of nacre_resolve, whose number is in connection: data has arguments[0] times struct nacre_address, the best
                                   * first; none: text says why */
    NACRE_NOTICE_RECONNECTING = 11, /* a connection of nacre_reconnect was lost, or could not be begun again: reason; the next attempt is after
                                   * arguments[3] milliseconds. Of arguments[0] messages that it had accepted, arguments[1] are known to have
                                   * been taken by the peer's application, if arguments[2] is 1 (0: the stack has no receipts) */
    NACRE_NOTICE_RECONNECTED = 12 /* its peer has answered: connection is the new number, arguments[0] the one that is invalid now; as
                                   * NACRE_NOTICE_OPENED otherwise */
};

/* Why a connection ended (enum Reason of the standard interfaces). */
enum nacre_reason {
    NACRE_REASON_CLOSED = 0,
    NACRE_REASON_REFUSED = 1,       /* by the peer's application */
    NACRE_REASON_UNREACHABLE = 2,
    NACRE_REASON_UNKNOWN = 3,
    NACRE_REASON_TIMEOUT = 4,
    NACRE_REASON_RESTARTED = 5,
    NACRE_REASON_OTHER_STACK = 6,
    NACRE_REASON_INCOMPLETE = 7,    /* the peer closed before everything had arrived that was sent here */
    NACRE_REASON_EXHAUSTED = 8,     /* a layer that encrypts has reached a limit of its keys */
    NACRE_REASON_BUSY = 128         /* there is no room for the connection, at the peer or here */
};

/* An address of a host. */
struct nacre_address {
    uint8_t ip[16];  /* family 4: in the last four bytes; the others are 0 */
    uint16_t port;   /* in the processor's order */
    uint16_t family; /* 4 or 6 */
    uint32_t scope;  /* of a link-local address of IPv6: the index of the interface; else 0 */
};

/* What data and text point to is lent until the next call with the same listener returns, whatever it returns: it may be given to
 * that call as its data (nacre_send), and is gone afterwards, also if the call was refused. Who tries again later keeps a copy. If the
 * library was built with debug assertions, data that was lent is overwritten then. */
struct nacre_notice {
    uint32_t kind;       /* enum nacre_notice_kind */
    uint32_t reason;     /* enum nacre_reason */
    uint64_t connection; /* 0: of none */
    const uint8_t *data;
    size_t len;
    const char *text; /* UTF-8, ended by a zero byte; NULL: none */
    uint64_t arguments[4];
    uint8_t peer_ip[16];  /* family 4: in the last four bytes */
    uint16_t peer_port;   /* in the processor's order */
    uint16_t peer_family; /* 4, 6, or 0: none */
    uint16_t event;       /* index into nacre_stack.events */
    uint16_t is_proven;   /* of a message: 1 if its sender receives frames at the peer's address; 0: anybody may have sent it */
    uint32_t has_peer_key; /* of NACRE_NOTICE_OPENED: 1 if the peer of a secure connection has proven to have peer_key */
    uint32_t peer_scope; /* of a link-local address of IPv6: the index of the interface; else 0 */
    uint8_t peer_key[32];
    void *user;          /* of the connection (nacre_set_user); NULL: none */
};

/* Faults that frames meet on their way out and in, drawn from the seed. Probabilities are from 0 to 1. */
struct nacre_faults {
    double loss, duplicate, reorder, corrupt;
    uint32_t delay_ms, jitter_ms;
    uint64_t seed;
};

/* A value of 0 means the default that docs/runtime.md states. Begins with its own size, so that later versions may add fields. */
struct nacre_options {
    uint32_t size; /* sizeof(struct nacre_options) */
    uint32_t connections;
    uint32_t connections_per_address;
    uint32_t unconfirmed;
    uint32_t unconfirmed_per_address;
    uint32_t retry_above; /* UINT32_MAX: a peer always proves its address first */
    uint64_t identity;
    uint32_t pool_blocks;
    uint32_t ping_after_ms;
    uint32_t timeout_ms;
    uint32_t linger_ms;
    const struct nacre_faults *faults; /* NULL: none */
    const char *capture;               /* a pcap file that all frames are written to, as they are on the wire; NULL: none */
    uint32_t moves;                    /* 1: a connection moves with its peer (docs/runtime.md) */
    uint32_t gather;                   /* 1: frames are held until nacre_poll finds nothing more, or nacre_flush (docs/runtime.md) */
    const uint8_t *secret;             /* 16 random bytes that the host keeps, so that proofs of addresses survive a restart, and the peers of
                                        * secure connections notice one at once; NULL: new ones */
    const uint8_t *keys;               /* secure stacks: the secret key of this end, 32 bytes (nacre_keys_new); NULL: only psk.
                                        * A listener with keys that serves takes every peer that proves a key: see NACRE_NOTICE_OPENED */
    const uint8_t *psk;                /* secure stacks: 32 random bytes that this end and its peers share; NULL: only keys.
                                        * With both, a peer needs either of the two, not both */
    uint32_t x25519_alone;             /* 1: connections that this end begins use no ML-KEM-768 */
    uint32_t plain_beside_secure;      /* 1: stacks without keys may be served beside secure ones */
    uint32_t secure_stays;             /* 1: secure connections do not move with their peer */
    uint32_t reserved2;
    const uint8_t *signing;            /* stacks with a layer that signs: 32 random bytes, the seed of an Ed25519 key pair; NULL: none */
};

struct nacre_statistics {
    uint64_t frames_in, bytes_in, frames_out, bytes_out;
    uint64_t dropped, no_space, refused, send_errors, overflowed, withheld;
    uint64_t connections; /* of a listener; 1 of a connection */
    uint64_t retransmitted; /* of a connection whose stack counts them; else 0 */
    uint64_t round_trip_ns; /* of a connection: the last ping's; 0: none yet */
    uint64_t path_mtu;      /* of a connection: bytes of a frame that the path carries; 0: not known, or the frames are short */
};

/* A listener on an IP address or the name of a host ("127.0.0.1", "::", "localhost"; NULL: any, IPv4 and IPv6) and port (0: any). Of a name
 * the first address is taken that is this machine's. `options` may be NULL. NULL on error: then nacre_error(NULL) says why, for this thread. */
struct nacre_listener *nacre_listen(const char *address, uint16_t port, const struct nacre_options *options);
/* `count` listeners on one address, one for each thread: each has its own connections and receives their frames. The options apply to each
 * of them. Linux only, at most 64. On error nacre_error(NULL) says why, and `listeners` is unchanged. */
int nacre_listen_shards(const char *address, uint16_t port, const struct nacre_options *options, uint32_t count,
                        struct nacre_listener **listeners);
/* Discards all connections at once and frees everything. */
void nacre_listener_free(struct nacre_listener *listener);
/* Loads the descriptor that `symbol` names ("reliable_stack") from a shared object (nacre build --shared), which stays loaded. NULL on error:
 * then nacre_error(NULL) says why, for this thread. A stack that is linked into the program needs no loading. */
const struct nacre_stack *nacre_stack_load(const char *path, const char *symbol);
/* Lets peers begin connections with a stack. The descriptor must stay. */
int nacre_serve(struct nacre_listener *listener, const struct nacre_stack *stack);

/* Sets given values of a stack (keys, sizes) before a connection with `peer` begins; `with` is what the program stated. It may call
 * nacre_set and nacre_set_bytes, and nothing else with the listener. NACRE_RUN_OK: the connection may begin; anything else: it does not, as
 * when a value could not be set. */
typedef int (*nacre_prepare)(void *with, struct nacre_config *config, const struct nacre_address *peer);
/* Sets a number by its name ("floor.identity"). NACRE_RUN_ERROR: the stack has no such given value, or it is no number. */
int nacre_set(struct nacre_config *config, const char *name, uint64_t value);
/* Sets bytes by their name, exactly as many as it has. NACRE_RUN_ERROR: the stack has no such given value, or of another length. */
int nacre_set_bytes(struct nacre_config *config, const char *name, const uint8_t *bytes, size_t len);
/* The same as nacre_serve; `prepare` is called for each connection that a peer begins, as long as the listener is there. */
int nacre_serve_with(struct nacre_listener *listener, const struct nacre_stack *stack, nacre_prepare prepare, void *with);
/* The local port. */
uint16_t nacre_local_port(const struct nacre_listener *listener);
/* The descriptor that becomes readable with a frame, for the program's own event loop; -1: none. */
int nacre_descriptor(const struct nacre_listener *listener);
/* Nanoseconds until nacre_poll must be called even if no frame arrives; UINT64_MAX: never. Call nacre_poll until it has no notice (timeout 0), then
 * ask this and nacre_awaits_room. */
uint64_t nacre_next_ns(const struct nacre_listener *listener);
/* 1: frames wait for room in the socket, so that an event loop calls nacre_poll when the descriptor is writable, too; 0: none. */
int nacre_awaits_room(const struct nacre_listener *listener);

/* Wakes the listener's nacre_poll from any thread, or its next one if none waits: NACRE_RUN_WOKEN. For programs that wait in nacre_poll; others
 * have ways of their own. The waker stays valid without its listener, until it is freed. */
int nacre_waker(struct nacre_listener *listener, struct nacre_waker **waker);
void nacre_wake(const struct nacre_waker *waker);
void nacre_waker_free(struct nacre_waker *waker);
/* Begins to look for the addresses of a host, without waiting; NACRE_NOTICE_RESOLVED follows with this number. At most 16 at once. */
int nacre_resolve(struct nacre_listener *listener, const char *host, uint16_t port, uint64_t *number);

/* Begins a connection. The host may be a name: then the call waits until its addresses are found, and takes the first that the listener
 * can send to. Nothing is known of the peer before NACRE_NOTICE_OPENED. */
int nacre_connect(struct nacre_listener *listener, const char *host, uint16_t port, const struct nacre_stack *stack,
                  uint64_t *connection);
/* Whom a secure connection expects. */
enum nacre_expect {
    NACRE_EXPECT_ANY = 0, /* any peer with a key, which NACRE_NOTICE_OPENED names: the program decides */
    NACRE_EXPECT_KEY = 1, /* the peer with the key */
    NACRE_EXPECT_PSK = 2, /* a peer with the same psk */
    NACRE_EXPECT_USUAL = 3 /* as nacre_connect; the stack may have no keys */
};
/* Begins a connection of a stack with keys; nacre_connect expects any peer, or one with the psk if there are no keys. Calls are
 * refused until NACRE_NOTICE_OPENED. `key`: the public key of the peer, 32 bytes, for NACRE_EXPECT_KEY; else NULL. */
int nacre_connect_secure(struct nacre_listener *listener, const char *host, uint16_t port, const struct nacre_stack *stack,
                         uint32_t expect, const uint8_t *key, uint64_t *connection);
/* How a connection begins. Begins with its own size. */
struct nacre_connecting {
    uint32_t size;       /* sizeof(struct nacre_connecting) */
    uint32_t expect;     /* enum nacre_expect */
    const uint8_t *key;  /* of NACRE_EXPECT_KEY */
    nacre_prepare prepare; /* sets given values of the stack, such as floor.identity; NULL: none */
    void *prepare_with;
    void *user;          /* as nacre_set_user */
    const struct nacre_address *address; /* instead of host and port: such as from NACRE_NOTICE_RESOLVED; NULL: none */
};
/* The same, as `how` says; NULL: as nacre_connect. */
int nacre_connect_with(struct nacre_listener *listener, const char *host, uint16_t port, const struct nacre_stack *stack,
                       const struct nacre_connecting *how, uint64_t *connection);
/* How long and how often a connection that is lost is begun again. */
struct nacre_backoff {
    uint32_t size;     /* sizeof(struct nacre_backoff) */
    uint32_t first_ms; /* the first pause; each further one is twice as long, and half of each is drawn at random; 0: 500 */
    uint32_t most_ms;  /* the longest pause; 0: 30000 */
    uint32_t tries;    /* attempts after which the connection is given up; 0: no limit. One that is lost within the last pause counts as failed */
    uint64_t total_ms; /* time after the loss from which on no attempt is begun any more; 0: no limit */
    const uint32_t *again_on; /* codes of refusals that are not final; NULL: all are */
    size_t again_on_len;
};
/* The same as nacre_connect_with, and if the connection is lost (silence, a peer that has restarted or does not know it, no room) it is begun
 * again after a pause, with its name looked up again: NACRE_NOTICE_RECONNECTING, then NACRE_NOTICE_RECONNECTED, with another number. No message
 * is sent twice: until then nacre_send returns NACRE_RUN_CLOSED, and the program decides what becomes of messages that were lost. An orderly
 * end, a refusal and another stack are final: NACRE_NOTICE_CLOSED. With how->address and a host, the first attempt goes to that address. nacre_close ends it also while it is lost.
 * With `how` NULL or NACRE_EXPECT_USUAL, further attempts expect the key of the first peer; with NACRE_EXPECT_ANY (0), any key, each time. `how` and `backoff` may be NULL;
 * how->prepare may be called with how->prepare_with until the connection has ended. */
int nacre_reconnect(struct nacre_listener *listener, const char *host, uint16_t port, const struct nacre_stack *stack,
                    const struct nacre_connecting *how, const struct nacre_backoff *backoff, uint64_t *connection);
/* Draws a secret key: 32 bytes. */
int nacre_keys_new(uint8_t *secret);
/* The public key of a secret key: 32 bytes. */
int nacre_keys_public(const uint8_t *secret, uint8_t *key);
/* A public key as text: 52 digits and a zero byte. */
int nacre_key_text(const uint8_t *key, char *to);
/* The public key of a text; NACRE_RUN_ERROR: it is none. */
int nacre_key_read(const char *from, uint8_t *key);
/* The longest message that the connection's stack ever accepts. */
int nacre_max_message(struct nacre_listener *listener, uint64_t connection, size_t *len);
/* 1: the connection's stack would accept a message of this length now, and the socket has room; 0: not. */
int nacre_accepts(const struct nacre_listener *listener, uint64_t connection, size_t len);
/* The index of an input event of the connection's stack, for nacre_call. NACRE_RUN_ERROR: it has none with this name. */
int nacre_input_event(struct nacre_listener *listener, uint64_t connection, const char *name, uint16_t *event);
/* The name of an event of the connection's stack (of NACRE_NOTICE_OTHER), lent until the next call; NULL: there is no such event. */
const char *nacre_event_name(struct nacre_listener *listener, uint64_t connection, uint16_t event);
/* Sends a message. */
int nacre_send(struct nacre_listener *listener, uint64_t connection, const void *data, size_t len);
/* Sends a message, waiting up to timeout_ms milliseconds (negative: without end) until it is accepted. */
int nacre_send_blocking(struct nacre_listener *listener, uint64_t connection, const void *data, size_t len, int timeout_ms);
/* Calls an input event of the stack by its index; `arguments` has four numbers or is NULL. */
int nacre_call(struct nacre_listener *listener, uint64_t connection, uint16_t event, const uint64_t *arguments,
               const void *data, size_t len);
/* Sends the frames that are held (nacre_options.gather). */
int nacre_flush(struct nacre_listener *listener);
/* The next notice, waiting up to timeout_ms milliseconds (0: not at all; negative: without end). */
int nacre_poll(struct nacre_listener *listener, int timeout_ms, struct nacre_notice *notice);
/* Closes the connection: what that means is up to the stack (docs/runtime.md). NACRE_NOTICE_CLOSED follows. */
int nacre_close(struct nacre_listener *listener, uint64_t connection);
/* The same; the peer's NACRE_NOTICE_CLOSED comes with a code and a text of at most 255 bytes, unless they were lost on the way. */
int nacre_close_with(struct nacre_listener *listener, uint64_t connection, uint32_t code, const char *text);
/* Refuses a connection of a peer, or ends any connection at once: no notice follows here, and undelivered messages are lost. The
 * peer's connection ends with NACRE_REASON_REFUSED, this code and text. */
int nacre_refuse(struct nacre_listener *listener, uint64_t connection, uint32_t code, const char *text);
/* Answers the peer of a closed connection, in case it missed the last acknowledgement, until that is sure or nacre_options.linger_ms have
 * passed: for programs that end then. */
int nacre_linger(struct nacre_listener *listener, uint64_t connection);
/* Ends a connection at once: no notice follows, and the peer is not notified. */
void nacre_discard(struct nacre_listener *listener, uint64_t connection);
/* A stack that counts grants begins with 16. 1 (as it begins): the peer may send more as the program takes messages; 0: only as it calls nacre_grant, so that one peer can be slowed down. */
int nacre_grants_by_itself(struct nacre_listener *listener, uint64_t connection, int by_itself);
/* 1 (as it begins): frames of the connection reach its stack; 0: they are dropped, as if the network had lost them, acknowledgements included: for
 * messages that come faster than they are taken, from a peer that no grants slow down. A reliable stack sends them again, and gives up after as many
 * attempts as it makes. */
int nacre_receives(struct nacre_listener *listener, uint64_t connection, int receives);
/* Grants the stack this many further deliveries. */
int nacre_grant(struct nacre_listener *listener, uint64_t connection, uint16_t messages);
/* For a stack with the layer `receipts`. 1 (as it begins): a message counts as taken with the next call after its notice; 0: only as the program calls
 * nacre_taken, such as when it has stored the message. The sender hears of it by NACRE_NOTICE_OTHER, event `reached`. */
int nacre_takes_by_itself(struct nacre_listener *listener, uint64_t connection, int by_itself);
/* Tells the stack that this many more messages were taken, the oldest ones. */
int nacre_taken(struct nacre_listener *listener, uint64_t connection, uint16_t messages);
/* The peer's address. */
int nacre_peer(struct nacre_listener *listener, uint64_t connection, struct nacre_address *address);
/* Attaches a pointer of the program's to a connection: the notices of the connection have it, NACRE_NOTICE_CLOSED is the last. */
int nacre_set_user(struct nacre_listener *listener, uint64_t connection, void *user);
/* The pointer; NULL: none, or no such connection. */
void *nacre_user(const struct nacre_listener *listener, uint64_t connection);
/* Numbers about a connection, or (0) about the listener. */
int nacre_statistics_of(struct nacre_listener *listener, uint64_t connection, struct nacre_statistics *statistics);
/* What the listener counts that belongs to no connection, from 0 on: malformed frames, unknown cookies, first frames of other stacks, for which there
 * was no room, or whose sender was asked to prove its address ("malformed", "unknown_cookies", "other_stack", "limited", "retried"...).
 * The names are those of `ListenerStatistics` in Rust, and last. NACRE_RUN_ERROR: there are no more. */
int nacre_listener_count(struct nacre_listener *listener, uint32_t index, const char **name, uint64_t *value);
/* A counter of the connection's stack by its name ("pt2pt.retransmitted"). NACRE_RUN_ERROR: the stack has none with this name. */
int nacre_counter(struct nacre_listener *listener, uint64_t connection, const char *name, uint64_t *value);
/* The names of the stack's counters from 0 on, lent until the next call; NULL: there are no more. */
const char *nacre_counter_name(struct nacre_listener *listener, uint64_t connection, uint32_t index);
/* The message of the last call of this listener that failed; NULL: of the last nacre_listen or nacre_stack_load of this thread. Lent until the next
 * call; never NULL. */
const char *nacre_error(const struct nacre_listener *listener);

#ifdef __cplusplus
}
#endif

#endif
