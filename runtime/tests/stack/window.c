/* A stack written by hand to nacre.h, for the tests of the runtime: a sliding window that goes back N, over a floor as docs/wire.md
 * demands it. Compiled with -DFINGERPRINT=..., -DDESCRIPTION=... and -DSYMBOL=...
 *
 * Frames: preamble, short ones the key, identified ones 44 bytes (fingerprint, cookie, identities,
 * incarnation, key, check), number, ack, data.
 * Shapes: 0 data, 1 ack, 2 end, 3 hello (identified; its number is 1 if it asks for an answer). An end is numbered like data.
 * With -DSECURE it is given keys and the peer's label: all frames are short, and what follows their first 8 bytes is a number of 8 bytes
 * and the rest sealed under it.
 * With -DBARE it has no preamble and no identification: its first four bytes are the shape and zeros.
 * It does on purpose what a driver must stand: `later` after opening, acknowledgements in settle, segments in the pool. */
#include "nacre.h"
#include <string.h>

#ifndef FINGERPRINT
#define FINGERPRINT 0x1122334455667788u
#define DESCRIPTION "window<8> / floor"
#define SYMBOL nacre_stack_window
#endif

#ifdef BARE
enum { PREAMBLE = 0 };
#else
enum { PREAMBLE = 1 };
#endif

#ifdef SECURE
enum { SECURED = 1 };
#else
enum { SECURED = 0 };
#endif

uint32_t nacre_seal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                    uint8_t *result, uint32_t result_max);
uint32_t nacre_unseal(const uint8_t *key, const uint8_t *nonce, const uint8_t *also, const uint8_t *m, uint32_t m_len,
                      uint8_t *result, uint32_t result_max);

enum { HEAD = 52, SEALED_MAX = 16 + 4 + 1200 + 16 };
enum { FIRST_GRANTS = 16, WINDOW = 8, BLOCK = 1200, NONE = 0xffff };
#define RTO 30000000u

enum { SEND, CLOSE, GRANT_DELIVERS, UNKNOWN, HELLO, FRAME, DELIVER, GRANT_SENDS, OPEN, CLOSED, ROOM };
enum { MALFORMED, CHECK, REPEATED, RETRANSMITTED, UNGRANTED, ROOM_NOW, COUNTERS };
enum { DATA, ACK, END, GREETING };

struct config {
    struct nacre_addr peer;
    uint32_t cookie;
    uint64_t identity, peer_identity, incarnation;
    uint8_t sealing[32], opening[32];
    uint32_t peer_cookie, peer_key;
};

struct state {
    struct config given;
    uint64_t resend_at;
    uint64_t sealed, opened, opened_below;
    uint32_t peer_cookie, peer_key;
    uint16_t low, next, expected;
    uint16_t ungranted;
    uint16_t granted; /* 1: the runtime's first grants have come; a window of room is there from the beginning */
    uint16_t block[WINDOW], len[WINDOW];
    uint8_t end[WINDOW];
    bool confirmed, met, identify, ack_due, later, closing, end_sent, peer_ended, closed;
};

struct pool {
    uint32_t blocks, free_len, free_head;
};

struct block {
    uint32_t next;
    uint8_t bytes[BLOCK];
};

static struct block *block_at(const void *pool, uint32_t i) {
    return (struct block *)((uintptr_t)pool + 64 + i * sizeof(struct block));
}

static void put32(uint8_t *to, uint32_t v) { for (int i = 0; i < 4; i++) to[i] = (uint8_t)(v >> (8 * i)); }
static void put64(uint8_t *to, uint64_t v) { for (int i = 0; i < 8; i++) to[i] = (uint8_t)(v >> (8 * i)); }
static uint32_t get32(const uint8_t *at) { uint32_t v = 0; for (int i = 3; i >= 0; i--) v = v << 8 | at[i]; return v; }
static uint64_t get64(const uint8_t *at) { uint64_t v = 0; for (int i = 7; i >= 0; i--) v = v << 8 | at[i]; return v; }

static uint32_t crc32c(uint32_t crc, const uint8_t *at, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        crc ^= at[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1u)));
    }
    return crc;
}

static uint32_t check_of(const uint8_t *frame) { return ~crc32c(crc32c(~0u, frame, 44), frame + 48, 4); }

static struct nacre_output *output(struct nacre_out *out, uint16_t port, uint16_t event) {
    struct nacre_output *o = &out->outputs[out->outputs_len++];
    memset(o, 0, sizeof *o);
    o->port = port;
    o->event = event;
    return o;
}

static void segment(struct nacre_out *out, struct nacre_output *o, const uint8_t *at, uint32_t len) {
    struct nacre_segment *s = &out->segments[out->segments_len++];
    s->at = at;
    s->len = len;
    s->reserved = 0;
    if (o->segments_len++ == 0) o->segments = s;
    o->len += len;
}

#ifdef SECURE
static void nonce_of(uint8_t *nonce, uint64_t number) {
    memset(nonce, 0, 4);
    put64(nonce + 4, number);
}

static void sealed_frame(struct state *s, struct nacre_out *out, uint32_t shape, uint16_t number, const uint8_t *data, uint32_t len) {
    uint8_t *h = out->bytes + out->bytes_len, nonce[12], plain[4 + BLOCK];
    put32(h, shape << 1 | s->peer_cookie << 8);
    put32(h + 4, s->peer_key);
    put64(h + 8, ++s->sealed);
    nonce_of(nonce, s->sealed);
    plain[0] = (uint8_t)number, plain[1] = (uint8_t)(number >> 8);
    plain[2] = (uint8_t)s->expected, plain[3] = (uint8_t)(s->expected >> 8);
    if (len) memcpy(plain + 4, data, len);
    uint32_t n = nacre_seal(s->given.sealing, nonce, h, plain, 4 + len, h + 16, 4 + BLOCK + 16);
    out->bytes_len += 16 + n;
    struct nacre_output *o = output(out, 0, FRAME);
    segment(out, o, h, 16 + n);
    o->address = s->given.peer;
    s->ack_due = false;
}
#endif

static void frame(struct state *s, struct nacre_out *out, uint32_t shape, uint16_t number, const uint8_t *data, uint32_t len) {
#ifdef SECURE
    sealed_frame(s, out, shape, number, data, len);
    return;
#endif
    bool identified = PREAMBLE && (s->identify || !s->confirmed || s->peer_cookie == 0 || shape == GREETING);
    uint8_t *h = out->bytes + out->bytes_len;
    uint32_t n = identified ? 48 : PREAMBLE ? 8 : 4;
    put32(h, (uint32_t)identified | shape << 1 | s->peer_cookie << 8);
    h[n] = (uint8_t)number, h[n + 1] = (uint8_t)(number >> 8);
    h[n + 2] = (uint8_t)s->expected, h[n + 3] = (uint8_t)(s->expected >> 8);
    if (identified) {
        put64(h + 4, FINGERPRINT);
        put32(h + 12, s->given.cookie);
        put64(h + 16, s->given.identity);
        put64(h + 24, s->given.peer_identity);
        put64(h + 32, s->given.incarnation);
        put32(h + 40, s->peer_key);
        put32(h + 44, check_of(h));
    } else if (PREAMBLE) {
        put32(h + 4, s->peer_key);
    }
    out->bytes_len += n + 4;
    struct nacre_output *o = output(out, 0, FRAME);
    segment(out, o, h, n + 4);
    if (len) segment(out, o, data, len);
    o->address = s->given.peer;
    s->ack_due = false;
}

static void send_numbered(struct state *s, void *pool, struct nacre_out *out, uint16_t number) {
    uint32_t at = number % WINDOW;
    if (s->end[at]) frame(s, out, END, number, NULL, 0);
    else frame(s, out, DATA, number, block_at(pool, s->block[at])->bytes, s->len[at]);
}

static void give_back(void *pool, uint16_t index) {
    struct pool *p = pool;
    if (index == NONE) return;
    block_at(pool, index)->next = p->free_head;
    p->free_head = index;
    p->free_len++;
}

static uint16_t in_flight(const struct state *s) { return (uint16_t)(s->next - s->low); }

static void config_default(void *config) { memset(config, 0, sizeof(struct config)); }

static void pool_init(void *pool, uint32_t blocks) {
    struct pool *p = pool;
    p->blocks = p->free_len = blocks;
    p->free_head = 0;
    for (uint32_t i = 0; i < blocks; i++) block_at(pool, i)->next = i + 1;
}

static uint32_t pool_free(const void *pool) { return ((const struct pool *)pool)->free_len; }

static bool fits(const struct nacre_out *out) {
    return out->abi == NACRE_ABI && out->size == sizeof *out && out->outputs_max >= 3 * WINDOW
        && out->segments_max >= 5 * WINDOW && out->bytes_max >= (SECURED ? SEALED_MAX : HEAD) * 2 * WINDOW;
}

static int open_(void *state, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) {
    struct state *s = state;
    (void)pool, (void)counters, (void)seed, (void)now;
    if (!fits(out)) return NACRE_INVALID;
    memset(s, 0, sizeof *s);
    s->given = *(const struct config *)config;
    s->resend_at = NACRE_NEVER;
    s->later = true;
    if (SECURED) {
        s->peer_cookie = s->given.peer_cookie, s->peer_key = s->given.peer_key;
        s->confirmed = true;
        output(out, 1, OPEN)->address = s->given.peer;
    }
    for (int i = 0; i < WINDOW; i++) s->block[i] = NONE;
    return NACRE_OK;
}

static bool accepts(const void *state, const void *pool, uint32_t event, uint32_t len) {
    const struct state *s = state;
    if (event == SEND) return !s->closing && len <= BLOCK && in_flight(s) < WINDOW && pool_free(pool) > 0;
    if (event == CLOSE) return !s->closing && in_flight(s) < WINDOW;
    if (SECURED && (event == HELLO || event == UNKNOWN)) return false;
    return event == GRANT_DELIVERS || event == UNKNOWN || event == HELLO;
}

static void send_end(struct state *s, void *pool, uint64_t now, struct nacre_out *out) {
    if (s->end_sent || in_flight(s) == WINDOW) return;
    s->closing = s->end_sent = true;
    s->end[s->next % WINDOW] = 1;
    s->block[s->next % WINDOW] = NONE;
    send_numbered(s, pool, out, s->next++);
    s->resend_at = now + RTO;
}

static int call(void *state, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
                const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    struct state *s = state;
    (void)address;
    if (event == ROOM) {
        counters[ROOM_NOW] = arguments[0];
        return NACRE_OK;
    }
    if (!fits(out) || event > HELLO) return NACRE_INVALID;
    if (s->later) return NACRE_BUSY;
    if (!accepts(state, pool, event, len)) return NACRE_REFUSED;
    if (event == GRANT_DELIVERS) {
        uint64_t more = arguments[0] - (s->granted ? 0 : FIRST_GRANTS);
        s->ungranted = (uint16_t)(s->ungranted - (more < s->ungranted ? more : s->ungranted));
        s->granted = 1;
    } else if (event == UNKNOWN) {
        s->identify = true;
        for (uint16_t n = s->low; n != s->next; n++) send_numbered(s, pool, out, n);
    } else if (event == HELLO) {
        if (s->confirmed) return NACRE_OK;
        if (!s->met) {
            s->peer_cookie = (uint32_t)arguments[0];
            s->peer_key = (uint32_t)arguments[1];
        }
        frame(s, out, GREETING, 1, NULL, 0);
    } else if (event == CLOSE) {
        send_end(s, pool, now, out);
    } else {
        struct pool *p = pool;
        uint32_t at = s->next % WINDOW;
        s->block[at] = (uint16_t)p->free_head;
        struct block *b = block_at(pool, p->free_head);
        p->free_head = b->next;
        p->free_len--;
        if (len) memcpy(b->bytes, data, len);
        s->len[at] = (uint16_t)len;
        s->end[at] = 0;
        send_numbered(s, pool, out, s->next++);
        if (s->resend_at == NACRE_NEVER) s->resend_at = now + RTO;
    }
    return NACRE_OK;
}

static void acknowledged(struct state *s, void *pool, uint64_t now, uint16_t ack, struct nacre_out *out) {
    uint16_t n = (uint16_t)(ack - s->low);
    if (n == 0 || n > in_flight(s)) return;
    for (; s->low != ack; s->low++) {
        give_back(pool, s->block[s->low % WINDOW]);
        s->block[s->low % WINDOW] = NONE;
    }
    s->resend_at = in_flight(s) ? now + RTO : NACRE_NEVER;
    output(out, 1, GRANT_SENDS)->arguments[0] = n;
    if (s->peer_ended) send_end(s, pool, now, out);
}

static bool floor_accepts(struct state *s, uint64_t *counters, const uint8_t *f, uint32_t len, struct nacre_out *out) {
    uint32_t word = get32(f);
    uint32_t key = (uint32_t)s->given.incarnation;
    bool knows_us = word >> 8 == s->given.cookie;
    if (!PREAMBLE) return word >> 8 == 0;
    if (word & 1) {
        if (len < 52) return counters[MALFORMED]++, false;
        if (get32(f + 44) != check_of(f) || get64(f + 4) != FINGERPRINT) return counters[CHECK]++, false;
        uint64_t to = get64(f + 24);
        if (to != 0 && to != s->given.identity) return counters[CHECK]++, false;
        /* Who was asked to prove its address knows the upper half. */
        bool asked = knows_us && get32(f + 40) == (uint32_t)(s->given.incarnation >> 32);
        knows_us = knows_us && get32(f + 40) == key;
        if (word >> 8 != 0 && !knows_us && !asked) return counters[CHECK]++, false;
        if (s->met && (get32(f + 32) != s->peer_key || get32(f + 12) != s->peer_cookie)) return counters[CHECK]++, false;
        s->peer_key = get32(f + 32);
        s->peer_cookie = get32(f + 12) & 0xffffff;
        s->met = true;
    } else if (word >> 8 != s->given.cookie || get32(f + 4) != key || !(s->met || s->confirmed)) {
        return counters[MALFORMED]++, false;
    }
    if (knows_us) {
        s->identify = false;
        if (!s->confirmed) {
            s->confirmed = true;
            output(out, 1, OPEN)->address = s->given.peer;
        }
    }
    return true;
}

#ifdef SECURE
/* The frame as it is without seals, in out->bytes; NULL: forged, or not new. */
static const uint8_t *opened(struct state *s, uint64_t *counters, const uint8_t *f, uint32_t *len, struct nacre_out *out) {
    uint8_t nonce[12], *plain = out->bytes + out->bytes_len;
    if (*len < 36 || *len > 16 + 4 + BLOCK + 16 || f[0] & 1) return counters[MALFORMED]++, NULL;
    uint64_t number = get64(f + 8);
    bool is_old = number + 64 <= s->opened || (number <= s->opened && s->opened_below >> (s->opened - number) & 1);
    if (number == 0 || is_old) return counters[REPEATED]++, NULL;
    nonce_of(nonce, number);
    uint32_t n = nacre_unseal(s->given.opening, nonce, f, f + 16, *len - 16, plain + 8, 4 + BLOCK);
    if (n == UINT32_MAX) return counters[CHECK]++, NULL;
    if (number > s->opened) {
        s->opened_below = number - s->opened < 64 ? s->opened_below << (number - s->opened) : 0;
        s->opened = number;
    }
    s->opened_below |= (uint64_t)1 << (s->opened - number);
    memcpy(plain, f, 8);
    out->bytes_len += 8 + n;
    *len = 8 + n;
    return plain;
}
#endif

static int input(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from, const uint8_t *f,
                 uint32_t len, struct nacre_out *out) {
    struct state *s = state;
    (void)from;
    if (!fits(out)) return NACRE_INVALID;
    if (s->later) return NACRE_BUSY;
    if (len < (PREAMBLE ? 12 : 8) || (f[0] >> 1) > GREETING) return counters[MALFORMED]++, NACRE_DROPPED;
#ifdef SECURE
    if (get32(f) >> 8 != s->given.cookie || get32(f + 4) != (uint32_t)s->given.incarnation) return counters[MALFORMED]++, NACRE_DROPPED;
    if (!(f = opened(s, counters, f, &len, out))) return NACRE_DROPPED;
#endif
    bool is_new = !s->met;
    if (!floor_accepts(s, counters, f, len, out)) return NACRE_DROPPED;
    uint32_t head = f[0] & 1 ? 52 : PREAMBLE ? 12 : 8, shape = f[0] >> 1;
    uint16_t number = (uint16_t)(f[head - 4] | f[head - 3] << 8), ack = (uint16_t)(f[head - 2] | f[head - 1] << 8);
    if (shape == GREETING) {
        if (number || (is_new && s->confirmed)) frame(s, out, GREETING, 0, NULL, 0);
        return NACRE_OK;
    }
    acknowledged(s, pool, now, ack, out);
    if (shape != ACK) {
        s->ack_due = true;
        if (number != s->expected) {
            counters[REPEATED]++;
        } else if (shape == END) {
            s->expected++;
            s->peer_ended = true;
            send_end(s, pool, now, out);
        } else if (s->ungranted >= WINDOW) {
            counters[UNGRANTED]++;
        } else {
            s->expected++;
            s->ungranted++;
            segment(out, output(out, 1, DELIVER), f + head, len - head);
        }
    }
    if (s->peer_ended && s->end_sent && in_flight(s) == 0 && !s->closed) {
        s->closed = true;
        output(out, 1, CLOSED)->arguments[0] = 0;
    }
    return NACRE_OK;
}

static int tick(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct state *s = state;
    if (!fits(out)) return NACRE_INVALID;
    if (s->later) {
        s->later = false;
        output(out, 1, GRANT_SENDS)->arguments[0] = WINDOW;
        return NACRE_OK;
    }
    if (s->resend_at > now) return NACRE_IDLE;
    for (uint16_t n = s->low; n != s->next; n++) {
        send_numbered(s, pool, out, n);
        counters[RETRANSMITTED]++;
    }
    s->resend_at = now + RTO;
    return NACRE_OK;
}

static uint64_t deadline(const void *state) {
    const struct state *s = state;
    return s->later ? 0 : s->resend_at;
}

static void settle(void *state, void *pool, uint64_t *counters, struct nacre_out *out) {
    struct state *s = state;
    (void)pool, (void)counters;
    if (s->ack_due) frame(s, out, ACK, 0, NULL, 0);
}

static void discard(void *state, void *pool) {
    struct state *s = state;
    for (int i = 0; i < WINDOW; i++) give_back(pool, s->block[i]);
    memset(s, 0, sizeof *s);
}

static uint32_t canonical(const void *state, const void *pool, uint8_t *to, uint32_t max) {
    const struct state *s = state;
    uint8_t bytes[6] = {(uint8_t)s->low, (uint8_t)(s->low >> 8), (uint8_t)s->next, (uint8_t)(s->next >> 8),
                        (uint8_t)s->expected, (uint8_t)(s->expected >> 8)};
    (void)pool;
    if (max) memcpy(to, bytes, max < sizeof bytes ? max : sizeof bytes);
    return sizeof bytes;
}

static const struct nacre_event events[] = {
    {"send", 1, 1, 1, 0, 0, NACRE_EVENT_SENDING, 0, BLOCK, 0},        {"close", 1, 1, 0, 0, 0, 0, 0, 0, 0}, {"grant_delivers", 1, 1, 0, 0, 1, 0, 0, 0, 0},
    {"unknown", 0, 1, 0, 0, 0, 0, 0, 0, 0},     {"hello", 0, 1, 0, 0, 2, 0, 0, 0, 0},
       {"send", 0, 0, 1, 1, 0, NACRE_EVENT_SENDING, 0, 0, 0},  {"deliver", 1, 0, 1, 0, 0, NACRE_EVENT_DELIVERY, 0, 0, 0},
    {"grant_sends", 1, 0, 0, 0, 1, 0, 0, 0, 0}, {"open", 1, 0, 0, 1, 0, 0, 0, 0, 0},  {"closed", 1, 0, 0, 0, 1, 0, 0, 0, 0},
    {"room", 0, 1, 0, 0, 1, NACRE_EVENT_ROOM, 0, 0, 0},
};
static const struct nacre_given givens[] = {
    {"floor.peer", offsetof(struct config, peer), sizeof(struct nacre_addr), 1, 0, NACRE_GIVEN_PEER, 0},
    {"floor.cookie", offsetof(struct config, cookie), 4, 1, 0, NACRE_GIVEN_COOKIE, 0},
    {"floor.identity", offsetof(struct config, identity), 8, 0, 0, NACRE_GIVEN_IDENTITY, 0},
    {"floor.peer_identity", offsetof(struct config, peer_identity), 8, 0, 0, NACRE_GIVEN_PEER_IDENTITY, 0},
    {"floor.incarnation", offsetof(struct config, incarnation), 8, 1, 0, NACRE_GIVEN_INCARNATION, 0},
#ifdef SECURE
    {"seal.sealing", offsetof(struct config, sealing), 32, 1, 1, NACRE_GIVEN_SEALING_KEY, 0},
    {"seal.opening", offsetof(struct config, opening), 32, 1, 1, NACRE_GIVEN_OPENING_KEY, 0},
    {"floor.peer_cookie", offsetof(struct config, peer_cookie), 4, 0, 0, NACRE_GIVEN_PEER_COOKIE, 0},
    {"floor.peer_label_key", offsetof(struct config, peer_key), 4, 0, 0, NACRE_GIVEN_PEER_KEY, 0},
#endif
};
static const char *const counter_names[] = {"malformed", "floor.check", "window.repeated", "window.retransmitted", "window.ungranted", "window.room"};

extern const struct nacre_stack SYMBOL;
const struct nacre_stack SYMBOL = {
    .abi = NACRE_ABI, .size = sizeof(struct nacre_stack), .name = "window", .description = DESCRIPTION, .level = "call",
    .fingerprint = FINGERPRINT, .has_preamble = PREAMBLE,
    .state_size = sizeof(struct state), .state_align = 8, .config_size = sizeof(struct config), .pool_align = 64,
    .pool_base = 64, .pool_per_block = sizeof(struct block), .blocks_for_one = WINDOW, .block_bytes = BLOCK,
    .outputs_max = 3 * WINDOW, .segments_max = 5 * WINDOW, .bytes_max = (SECURED ? SEALED_MAX : HEAD) * 3 * WINDOW, .frame_head_max = HEAD, .frame_data_max = BLOCK,
    .counters_len = COUNTERS, .counters = counter_names,
    .events_len = sizeof events / sizeof *events, .givens_len = PREAMBLE ? sizeof givens / sizeof *givens : 1, .events = events, .givens = givens,
    .config_default = config_default, .pool_init = pool_init, .pool_free = pool_free, .open = open_, .call = call, .input = input,
    .tick = tick, .deadline = deadline, .accepts = accepts, .settle = settle, .discard = discard, .canonical = canonical,
};
