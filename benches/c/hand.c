/* Hand-written, one piece: sliding window of 64 with numbers of 28 bits, acknowledgements that ride on data when there is something
 * new to acknowledge, explicit ones after half a window or 5 ms, an estimate of the round trip, frames out of order kept, messages of
 * one frame only. The wire is that of `reliable_plain` but for shape numbers; connections count as agreed (short frames only). */
#include "hand.h"
#include <string.h>

enum { WINDOW = 64, MOST = 1400, WHOLE = 0, WHOLE_ACK = 1, ACK = 2 };
#define MASK28 0x0fffffffu
#define RTO_FIRST UINT64_C(20000000)
#define ACK_AFTER UINT64_C(5000000)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))

struct hand {
    uint64_t resend_at, ack_at, timed_at;
    uint64_t srtt, rttvar, rto;
    uint32_t low, high;       /* sent and not acknowledged: low .. high */
    uint32_t next;            /* the number expected */
    uint32_t kept;            /* how many wait out of order */
    uint32_t unacked;         /* delivered since an acknowledgement left */
    uint32_t timed;           /* the number whose round trip is being measured */
    uint32_t cookie, peer_cookie;
    uint8_t timing, tries;
    uint16_t sent_len[WINDOW], got_len[WINDOW];
    uint8_t got_there[WINDOW];
    uint8_t sent[WINDOW][MOST];
    uint8_t got[WINDOW][MOST];
};

static inline void store32(uint8_t *at, uint32_t v) { memcpy(at, &v, 4); }
static inline void store64(uint8_t *at, uint64_t v) { memcpy(at, &v, 8); }
static inline uint64_t load64(const uint8_t *at) { uint64_t v; memcpy(&v, at, 8); return v; }
static inline uint32_t load32(const uint8_t *at) { uint32_t v; memcpy(&v, at, 4); return v; }
static inline uint32_t distance(uint32_t a, uint32_t b) { return (a - b) & MASK28; }

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (likely(n <= 16 && n >= 8)) {
        uint64_t a = load64(from), b = load64(from + n - 8);
        store64(to, a);
        store64(to + n - 8, b);
    } else {
        memcpy(to, from, n);
    }
}

static inline struct nacre_output *output(struct nacre_out *o, uint16_t port, uint32_t segments) {
    struct nacre_output *x = &o->outputs[o->outputs_len++];
    x->port = port;
    x->event = 0;
    x->session = 0;
    x->segments_len = segments;
    x->segments = &o->segments[o->segments_len];
    return x;
}

static inline void segment(struct nacre_out *o, const uint8_t *at, uint32_t len) {
    struct nacre_segment *s = &o->segments[o->segments_len++];
    s->at = at;
    s->len = len;
}

static inline uint32_t put_head(struct hand *h, uint32_t number, uint8_t *head) {
    uint64_t word = (uint64_t)h->peer_cookie << 8 | (uint64_t)number << 32;
    uint32_t size = 8;
    if (h->unacked > 0) {
        word |= (uint64_t)WHOLE_ACK << 1 | (uint64_t)h->next << 60;
        store32(head + 8, h->next >> 4);
        size = 11;
        h->unacked = 0;
        h->ack_at = NACRE_NEVER;
    }
    store64(head, word);
    return size;
}

static inline void put_data(struct hand *h, uint32_t number, const uint8_t *data, uint32_t len, struct nacre_out *o) {
    uint8_t *head = o->bytes + o->bytes_len;
    struct nacre_output *x = output(o, 0, 2);
    uint32_t size = put_head(h, number, head);
    o->bytes_len += 16;
    x->len = size + len;
    segment(o, head, size);
    segment(o, data, len);
}

static void put_ack(struct hand *h, struct nacre_out *o) {
    uint8_t *head = o->bytes + o->bytes_len;
    struct nacre_output *x = output(o, 0, 1);
    store64(head, (uint64_t)ACK << 1 | (uint64_t)h->peer_cookie << 8 | (uint64_t)h->next << 32);
    o->bytes_len += 16;
    x->len = 8;
    segment(o, head, 8);
    h->unacked = 0;
    h->ack_at = NACRE_NEVER;
}

static inline bool is_full(const struct hand *h, uint32_t len) { return unlikely(distance(h->high, h->low) >= WINDOW || len > MOST); }

static inline void store(struct hand *h, const uint8_t *data, uint32_t len) {
    uint32_t slot = h->high % WINDOW;
    copy(h->sent[slot], data, len);
    h->sent_len[slot] = (uint16_t)len;
}

static inline void advance(struct hand *h, uint64_t now) {
    if (!h->timing) {
        h->timing = 1;
        h->timed = h->high;
        h->timed_at = now;
    }
    h->high = (h->high + 1) & MASK28;
    if (h->resend_at == NACRE_NEVER) { h->resend_at = now + h->rto; }
}

int hand_above_send(void *state, void *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (is_full(h, len)) { return NACRE_REFUSED; }
    store(h, data, len);
    put_data(h, h->high, data, len, o);
    advance(h, now);
    return NACRE_OK;
}

static uint32_t hand_any_send_quick(void *state, void *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, uint8_t *head) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (is_full(h, len)) { return 0; }
    store(h, data, len);
    uint32_t size = put_head(h, h->high, head);
    advance(h, now);
    return size;
}

static inline void measure(struct hand *h, uint64_t now) {
    uint64_t r = now - h->timed_at;
    if (h->srtt == 0) {
        h->srtt = r;
        h->rttvar = r / 2;
    } else {
        uint64_t d = r > h->srtt ? r - h->srtt : h->srtt - r;
        h->rttvar += d / 4 - h->rttvar / 4;
        h->srtt += r / 8 - h->srtt / 8;
    }
    uint64_t rto = h->srtt + 4 * h->rttvar;
    h->rto = rto < 5000000 ? 5000000 : rto > 2000000000 ? 2000000000 : rto;
    h->timing = 0;
}

/* How many messages it acknowledges. */
static inline uint32_t acknowledge(struct hand *h, uint64_t now, uint32_t ack) {
    uint32_t n = distance(ack, h->low);
    if (n == 0 || n > distance(h->high, h->low)) { return 0; }
    h->low = ack;
    h->tries = 0;
    if (h->timing && distance(ack, h->timed) - 1u < WINDOW) { measure(h, now); }
    h->resend_at = h->low == h->high ? NACRE_NEVER : now + h->rto;
    return n;
}

static inline void acknowledged(struct hand *h, uint64_t now, uint32_t ack, struct nacre_out *o) {
    uint32_t n = acknowledge(h, now, ack);
    if (n == 0) { return; }
    struct nacre_output *x = output(o, 1, 0);
    x->event = 1;
    x->arguments[0] = n;
}

static inline void deliver(const uint8_t *data, uint32_t len, struct nacre_out *o) {
    struct nacre_output *x = output(o, 1, 1);
    x->len = len;
    segment(o, data, len);
}

static COLD void keep(struct hand *h, uint32_t number, const uint8_t *data, uint32_t len) {
    uint32_t ahead = distance(number, h->next);
    uint32_t slot = number % WINDOW;
    if (ahead >= WINDOW || h->got_there[slot]) { return; }
    memcpy(h->got[slot], data, len);
    h->got_len[slot] = (uint16_t)len;
    h->got_there[slot] = 1;
    h->kept++;
}

static COLD void deliver_kept(struct hand *h, struct nacre_out *o) {
    while (h->kept > 0 && h->got_there[h->next % WINDOW]) {
        uint32_t slot = h->next % WINDOW;
        h->got_there[slot] = 0;
        h->kept--;
        deliver(h->got[slot], h->got_len[slot], o);
        h->next = (h->next + 1) & MASK28;
        h->unacked++;
    }
}

static inline uint32_t acknowledgement(uint64_t word, const uint8_t *frame) {
    return (uint32_t)(word >> 60) | (uint32_t)frame[8] << 4 | (uint32_t)frame[9] << 12 | (uint32_t)frame[10] << 20;
}

int hand_input(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from, const uint8_t *frame, uint32_t len,
               struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)from;
    if (unlikely(len < 8)) { goto malformed; }
    uint64_t word = load64(frame);
    if (unlikely((uint32_t)(word >> 8 & 0xffffff) != h->cookie || (word & 1))) { goto malformed; }
    uint32_t shape = word >> 1 & 0x7f, number = (uint32_t)(word >> 32) & MASK28;
    if (unlikely(shape == ACK)) {
        if (len != 8) { goto malformed; }
        acknowledged(h, now, number, o);
        return NACRE_OK;
    }
    uint32_t head = 8;
    if (shape == WHOLE_ACK) {
        if (unlikely(len < 11)) { goto malformed; }
        head = 11;
    } else if (unlikely(shape != WHOLE)) {
        goto malformed;
    }
    if (unlikely(len - head > MOST)) { goto malformed; }
    if (shape == WHOLE_ACK && distance(number, h->next) < WINDOW) {
        acknowledged(h, now, acknowledgement(word, frame), o);
    }
    if (likely(number == h->next)) {
        h->next = (h->next + 1) & MASK28;
        h->unacked++;
        deliver(frame + head, len - head, o);
        if (unlikely(h->kept > 0)) { deliver_kept(h, o); }
    } else {
        keep(h, number, frame + head, len - head);
        h->unacked++;
    }
    if (unlikely(h->unacked >= WINDOW / 2)) {
        put_ack(h, o);
    } else if (h->ack_at == NACRE_NEVER) {
        h->ack_at = now + ACK_AFTER;
    }
    return NACRE_OK;
malformed:
    counters[0]++;
    return NACRE_DROPPED;
}

/* What is in order, and needs no acknowledgement at once. */
static struct nacre_delivery hand_any_input_quick(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
                                                  const uint8_t *frame, uint32_t len) {
    struct hand *h = state;
    (void)pool, (void)counters, (void)from;
    const struct nacre_delivery nothing = {.at = NULL};
    if (unlikely(len < 8)) { return nothing; }
    uint64_t word = load64(frame);
    if (unlikely((uint32_t)(word >> 8 & 0xffffff) != h->cookie || (word & 1))) { return nothing; }
    uint32_t shape = word >> 1 & 0x7f, number = (uint32_t)(word >> 32) & MASK28, head = 8, n = 0;
    if (unlikely(shape == ACK)) {
        if (len != 8) { return nothing; }
        n = acknowledge(h, now, number);
        return (struct nacre_delivery){frame, 0, n > 0 ? 1 : NACRE_NONE, (uint16_t)n};
    }
    if (unlikely(shape > WHOLE_ACK || number != h->next || h->kept > 0 || h->unacked + 1 >= WINDOW / 2)) { return nothing; }
    if (shape == WHOLE_ACK) { head = 11; }
    if (unlikely(len - head - 1u >= MOST)) { return nothing; }
    if (shape == WHOLE_ACK) { n = acknowledge(h, now, acknowledgement(word, frame)); }
    h->next = (h->next + 1) & MASK28;
    h->unacked++;
    if (h->ack_at == NACRE_NEVER) { h->ack_at = now + ACK_AFTER; }
    return (struct nacre_delivery){frame + head, len - head, n > 0 ? 1 : NACRE_NONE, (uint16_t)n};
}

int hand_tick(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (h->ack_at <= now && h->ack_at <= h->resend_at) {
        put_ack(h, o);
        return NACRE_OK;
    }
    if (h->resend_at > now) { return NACRE_IDLE; }
    h->timing = 0;
    put_data(h, h->low, h->sent[h->low % WINDOW], h->sent_len[h->low % WINDOW], o);
    if (h->tries < 6) { h->tries++; }
    h->resend_at = now + (h->rto << h->tries);
    return NACRE_OK;
}

static int hand_open(void *state, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) {
    struct hand *h = state;
    (void)pool, (void)counters, (void)seed, (void)now, (void)out;
    memset(h, 0, sizeof *h);
    memcpy(&h->cookie, config, 4);
    h->peer_cookie = h->cookie == 0x123456 ? 0x654321 : 0x123456;
    h->resend_at = h->ack_at = NACRE_NEVER;
    h->rto = RTO_FIRST;
    return NACRE_OK;
}

static uint64_t hand_deadline(const void *state) {
    const struct hand *h = state;
    return h->ack_at < h->resend_at ? h->ack_at : h->resend_at;
}

static void hand_config_default(void *config) { memset(config, 0, 4); }
static void hand_pool_init(void *pool, uint32_t blocks) { memcpy(pool, &blocks, 4); }

static const struct nacre_given givens[] = {{.name = "hand.cookie", .size = 4, .required = 1, .role = NACRE_GIVEN_COOKIE}};
static const char *const counter_names[] = {"malformed"};

const struct nacre_stack hand_stack = {
    .abi = NACRE_ABI, .size = sizeof(struct nacre_stack), .name = "hand", .description = "written by hand", .level = "hand",
    .has_preamble = 1, .state_size = sizeof(struct hand), .state_align = 8, .config_size = 4, .pool_align = 8, .pool_base = 8,
    .blocks_for_one = 0, .block_bytes = MOST, .outputs_max = WINDOW + 8, .segments_max = 2 * WINDOW + 16, .bytes_max = 16 * (WINDOW + 8),
    .frame_head_max = 11, .frame_data_max = MOST, .counters_len = 1, .counters = counter_names, .givens_len = 1, .givens = givens,
    .config_default = hand_config_default, .pool_init = hand_pool_init, .open = hand_open, .input = hand_input, .tick = hand_tick,
    .deadline = hand_deadline, .send_quick = hand_any_send_quick, .input_quick = hand_any_input_quick, .quick_to = UINT32_MAX,
};
