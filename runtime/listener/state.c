/* The state of a listener, and how its connections are found. */

enum { CATCH_UP_MAX = 1000, ROUNDS = 64, REPORTS = 16, AT_ONCE = 8, FIRST_GRANTS = 16 };
enum { ANSWERS_PER_SECOND = 100, ANSWERS_PER_SECOND_AND_NETWORK = 10, CONTROL_BYTES = ENDED_HEAD + TEXT_MAX };
#define NOWHERE UINT32_MAX
#define ALIGNMENT 64u

/* ChaCha with 8 rounds: from the labels that a peer has seen the next ones must not follow. */
struct random {
    uint32_t key[8], block[16];
    uint64_t counter;
    uint32_t next; /* index in the block; 16: none is left */
};

struct kind {
    struct nacre_listener_stack given;
    bool is_known; /* it is served, or a connection was begun with it: others are strangers' */
    uint64_t *counters;
    /* Events by index; NACRE_NONE: the stack does not have it. */
    uint16_t send, close, open_to, grant_delivers, unknown, hello, deliver, grant_sends, opened, closed, moved;
};

/* What applications tell each other at the end. */
struct words {
    bool are_set;
    uint8_t len;
    uint32_t code;
    uint8_t *text;
};

/* An address where the peer of a connection may be now, which is being asked. */
struct asked {
    bool is_set;
    struct nacre_address address;
    uint64_t token, first_at;
    uint64_t last_at; /* 0: not yet */
    uint64_t credit;  /* bytes that have come from there since */
};

enum phase { FREE, TENTATIVE, LIVE, LINGERING };

struct connection {
    uint64_t id; /* serial number and index; 0: the place is free */
    uint32_t phase, kind, heap_at, due_at;
    uint32_t cookie; /* of frames to this end; of a free place: the one it had last */
    uint32_t key;
    struct label label; /* of frames to the peer */
    struct nacre_address address;
    struct nacre_addr name; /* by which the stack knows the peer */
    uint64_t identity;      /* the peer's */
    uint64_t own_identity;
    uint64_t incarnation;   /* that the peer stated, if `has_incarnation` */
    bool has_incarnation, has_budget;
    bool arrived; /* the peer began it */
    bool counts;  /* against the limits for peers */
    bool confirmed;
    bool close_wanted, peer_is_over, grants_by_listener, was_refused;
    uint16_t refused_event;
    uint32_t refused_len;
    struct budget budget;
    struct asked asked;
    uint64_t wake, heard_at, pinged_at, ping_token, ponged_at, round_trip;
    uint64_t hello_at, hello_after;
    uint64_t unknown_since; /* NACRE_NEVER: the peer has not said so */
    uint64_t linger_until, owed;
    uint64_t tick_after; /* a timer that was refused for lack of room is served then */
    struct words farewell, peer_words;
    void *state, *pool;
};

struct departed {
    uint64_t hash, until;
};

struct refusal {
    uint64_t until, identity, fingerprint, incarnation;
    struct nacre_address address;
    struct label own, to;
    bool has_incarnation, is_proven;
    struct words words;
};

struct answered {
    uint64_t network;
    struct bucket bucket;
};

struct report {
    uint64_t peer, at;
    bool is_used;
};

/* The last step, until its outputs are no longer needed. */
struct active {
    uint64_t id; /* 0: none */
    uint32_t next; /* the next output to look at */
};

/* Work that ends connections, and so waits until outputs are no longer lent. */
struct after {
    uint64_t evicted, confirmed, ended;
    uint32_t reason;
};

/* Events that wait, in order, and frames of a connection that is not accepted yet. */
struct queue {
    uint8_t *at;
    uint32_t size, head, tail;
};

struct nacre_listener {
    struct nacre_listener_options options;
    struct kind *kinds;
    struct connection *connections;
    uint32_t count, unserved;
    uint32_t *by_cookie, by_cookie_mask; /* index + 1; 0: empty */
    uint32_t *heap, heap_len;            /* connections by `wake` */
    uint32_t *due, due_len;              /* connections whose stacks may accept now what they refused */
    struct departed *departed;
    uint32_t departed_first, departed_len;
    struct refusal *refusals;
    uint32_t refusals_first, refusals_len;
    struct answered *answered;
    uint32_t answered_len;
    struct bucket answers;
    struct report reports[REPORTS];
    struct random random;
    uint64_t key[2];
    uint64_t serial, time, handled_until;
    struct nacre_out out;
    void *config;
    struct active active;
    struct after after;
    struct queue queue;
    uint64_t handed_out; /* the connection whose message was handed out last */
    uint8_t *control;    /* room for a control frame */
    uint32_t control_max;
    const uint8_t *frame; /* the datagram that is being routed */
    struct nacre_segment segment;
    struct nacre_listener_statistics statistics;
    void *memory;
    size_t size;
};

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t at_most(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t later_by(uint64_t at, uint64_t ns) {
    return at > NACRE_NEVER - ns ? NACRE_NEVER : at + ns;
}

static uint64_t since(uint64_t at, uint64_t now) {
    return now > at ? now - at : 0;
}

static bool same_label(struct label one, struct label other) {
    return one.cookie == other.cookie && one.key == other.key;
}

static bool same_address(const struct nacre_address *one, const struct nacre_address *other) {
    return one->len == other->len && memcmp(one->bytes, other->bytes, one->len) == 0;
}

static uint32_t network_len(const struct nacre_address *address) {
    return address->network == 0 || address->network > address->len ? address->len : address->network;
}

static bool same_network(const struct nacre_address *one, const struct nacre_address *other) {
    uint32_t len = network_len(one);
    return len == network_len(other) && memcmp(one->bytes, other->bytes, len) == 0;
}

static void quarter(uint32_t *x, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    static const uint8_t turns[4] = {16, 12, 8, 7};
    for (uint32_t i = 0; i < 4; i += 2) {
        x[a] += x[b];
        x[d] ^= x[a];
        x[d] = x[d] << turns[i] | x[d] >> (32 - turns[i]);
        x[c] += x[d];
        x[b] ^= x[c];
        x[b] = x[b] << turns[i + 1] | x[b] >> (32 - turns[i + 1]);
    }
}

static void next_block(struct random *random) {
    uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(start + 4, random->key, sizeof random->key);
    start[12] = (uint32_t)random->counter;
    start[13] = (uint32_t)(random->counter >> 32);
    memcpy(random->block, start, sizeof start);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < 4; i++) {
            quarter(random->block, i, i + 4, i + 8, i + 12);
        }
        for (uint32_t i = 0; i < 4; i++) {
            quarter(random->block, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12);
        }
    }
    for (uint32_t i = 0; i < 16; i++) {
        random->block[i] += start[i];
    }
    random->counter++;
    random->next = 0;
}

static uint64_t draw(struct nacre_listener *l) {
    struct random *random = &l->random;
    if (random->next >= 16) {
        next_block(random);
    }
    uint64_t number = random->block[random->next] | (uint64_t)random->block[random->next + 1] << 32;
    random->next += 2;
    return number;
}

/* The connection with an id; NULL: there is none, or not any more. */
static struct connection *connection(const struct nacre_listener *l, uint64_t id) {
    uint64_t index = id & COOKIE_MASK;
    if (id == 0 || index >= l->options.connections || l->connections[index].id != id) {
        return NULL;
    }
    return &l->connections[index];
}

static uint32_t cookie_place(const struct nacre_listener *l, uint32_t cookie) {
    return (cookie * UINT32_C(2654435761)) >> 8 & l->by_cookie_mask;
}

/* The connection with a cookie, wherever its peer is. */
static struct connection *with_cookie(const struct nacre_listener *l, uint32_t cookie) {
    for (uint32_t at = cookie_place(l, cookie); l->by_cookie[at] != 0; at = (at + 1) & l->by_cookie_mask) {
        struct connection *c = &l->connections[l->by_cookie[at] - 1];
        if (c->cookie == cookie) {
            return c;
        }
    }
    return NULL;
}

static void enter_cookie(struct nacre_listener *l, const struct connection *c) {
    uint32_t at = cookie_place(l, c->cookie);
    while (l->by_cookie[at] != 0) {
        at = (at + 1) & l->by_cookie_mask;
    }
    l->by_cookie[at] = (uint32_t)(c - l->connections) + 1;
}

/* Takes a cookie out; entries behind it that it kept from their places move up. */
static void leave_cookie(struct nacre_listener *l, const struct connection *c) {
    uint32_t mask = l->by_cookie_mask, at = cookie_place(l, c->cookie);
    while (&l->connections[l->by_cookie[at] - 1] != c) {
        at = (at + 1) & mask;
    }
    for (uint32_t next = (at + 1) & mask; l->by_cookie[next] != 0; next = (next + 1) & mask) {
        uint32_t wanted = cookie_place(l, l->connections[l->by_cookie[next] - 1].cookie);
        if (((next - wanted) & mask) >= ((next - at) & mask)) {
            l->by_cookie[at] = l->by_cookie[next];
            at = next;
        }
    }
    l->by_cookie[at] = 0;
}

/* The connection with a cookie whose peer is at an address. */
static struct connection *with(const struct nacre_listener *l, const struct nacre_address *from, uint32_t cookie) {
    struct connection *c = with_cookie(l, cookie);
    return c != NULL && same_address(&c->address, from) ? c : NULL;
}

/* The same, if the key is its, too: who has not seen a frame of this end does not know both. */
static struct connection *meant(const struct nacre_listener *l, const struct nacre_address *from, struct label to) {
    struct connection *c = with(l, from, to.cookie);
    return c != NULL && c->key == to.key ? c : NULL;
}

/* The connection whose frames to the peer at this address carry a label. */
static struct connection *labelled(const struct nacre_listener *l, const struct nacre_address *from,
                                   struct label label) {
    for (uint32_t i = 0; label.cookie != 0 && i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        if (c->id != 0 && same_label(c->label, label) && same_address(&c->address, from)) {
            return c;
        }
    }
    return NULL;
}

/* Who begins a connection: two connections to the same peer differ in one of these, or one is about to replace the
 * other. */
struct peer {
    const struct nacre_address *address;
    uint64_t identity, fingerprint;
};

static uint64_t fingerprint_of(const struct nacre_listener *l, const struct connection *c) {
    return l->kinds[c->kind].given.stack->fingerprint;
}

static bool is_of_peer(const struct nacre_listener *l, const struct connection *c, const struct peer *peer) {
    return c->id != 0 && c->identity == peer->identity && fingerprint_of(l, c) == peer->fingerprint &&
           same_address(&c->address, peer->address);
}

/* The connection whose peer stated this incarnation; NULL: that has not heard any, which this end began. Of several,
 * the oldest. */
static struct connection *of_incarnation(const struct nacre_listener *l, const struct peer *peer,
                                         const uint64_t *incarnation) {
    struct connection *found = NULL;
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        bool same = incarnation == NULL ? !c->has_incarnation : c->has_incarnation && c->incarnation == *incarnation;
        if (same && is_of_peer(l, c, peer) && (found == NULL || c->id < found->id)) {
            found = c;
        }
    }
    return found;
}
