/* Hand-written, one piece: requests and replies of up to 16 bytes over a go-back-N window of 64, with numbers of 28 bits, an acknowledgement
 * in each data frame, explicit ones after half a window or 5 ms, negative ones, and an estimate of the round trip. The frames are
 * those of the stack `active` (layers/active_messages), so that each talks to the other. Left out: transfers, requests that end without
 * a reply, calls that wait while the window is full (they are refused), closing, giving up, and agreement on cookies and keys. */
#include "hand_active.h"
#include <string.h>

enum { WINDOW = 64, SHORT = 16, CALLS = 16, HEAD = 17, ALONE = 12, REQUEST = 0, REPLY = 1, ACK = 4, MISSING = 5 };
enum { REQUESTED, REPLIED };
#define MASK28 0x0fffffffu
#define RTO_MIN UINT64_C(10000000)
#define RTO_FIRST UINT64_C(20000000)
#define RTO_MAX UINT64_C(1000000000)
#define ACK_AFTER UINT64_C(5000000)
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))

struct sent {
    uint8_t shape, call, handler, len;
    uint8_t bytes[SHORT];
};

struct hand {
    uint64_t resend_at, ack_at, timed_at;
    uint64_t srtt, rttvar, rto;
    uint32_t low, high; /* sent and not acknowledged: low .. high */
    uint32_t next;      /* the number expected */
    uint32_t told;      /* the acknowledgement that left last */
    uint32_t timed;     /* the number whose round trip is measured */
    uint16_t asked, serving; /* a bit for each call */
    uint8_t timing, measured, missing, went_back;
    uint64_t in_word, out_word; /* cookie and key in frames, their first 8 bytes without the shape */
    struct sent sent[WINDOW];
};

struct config {
    uint32_t cookie, peer_cookie, peer_key, pad;
    uint64_t incarnation;
};

static inline void store32(uint8_t *at, uint32_t v) { memcpy(at, &v, 4); }
static inline void store64(uint8_t *at, uint64_t v) { memcpy(at, &v, 8); }
static inline uint32_t load32(const uint8_t *at) { uint32_t v; memcpy(&v, at, 4); return v; }
static inline uint64_t load64(const uint8_t *at) { uint64_t v; memcpy(&v, at, 8); return v; }
static inline uint32_t distance(uint32_t a, uint32_t b) { return (a - b) & MASK28; }

static inline void copy(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (likely(n == SHORT)) {
        memcpy(to, from, SHORT);
    } else {
        memcpy(to, from, n);
    }
}

static inline struct nacre_output *output(struct nacre_out *o, uint16_t port, uint16_t event) {
    struct nacre_output *x = &o->outputs[o->outputs_len++];
    x->port = port;
    x->event = event;
    x->session = 0;
    x->segments_len = 0;
    x->len = 0;
    x->segments = &o->segments[o->segments_len];
    return x;
}

static inline void segment(struct nacre_out *o, struct nacre_output *x, const uint8_t *at, uint32_t len) {
    struct nacre_segment *s = &o->segments[o->segments_len++];
    s->at = at;
    s->len = len;
    x->segments_len++;
    x->len += len;
}

static inline void told_all(struct hand *h) {
    h->told = h->next;
    h->ack_at = NACRE_NEVER;
}

static inline void put_data(struct hand *h, uint32_t number, const struct sent *m, const uint8_t *data, struct nacre_out *o) {
    uint8_t *head = o->bytes + o->bytes_len;
    o->bytes_len += 24;
    store64(head, h->out_word | (uint64_t)m->shape << 1);
    store64(head + 8, number | (uint64_t)m->call << 28 | (uint64_t)m->handler << 32 | (uint64_t)h->next << 40);
    head[16] = (uint8_t)(h->next >> 24);
    told_all(h);
    struct nacre_output *x = output(o, 0, 0);
    segment(o, x, head, HEAD);
    segment(o, x, data, m->len);
}

static void put_alone(struct hand *h, uint8_t shape, struct nacre_out *o) {
    uint8_t *head = o->bytes + o->bytes_len;
    o->bytes_len += 16;
    store64(head, h->out_word | (uint64_t)shape << 1);
    store32(head + 8, h->next);
    told_all(h);
    segment(o, output(o, 0, 0), head, ALONE);
}

static inline bool can_send(const struct hand *h, uint32_t len) { return likely(len <= SHORT && distance(h->high, h->low) < WINDOW); }

static inline void send(struct hand *h, uint64_t now, uint8_t shape, uint8_t call, uint8_t handler, const uint8_t *data, uint32_t len,
                        struct nacre_out *o) {
    struct sent *m = &h->sent[h->high % WINDOW];
    m->shape = shape;
    m->call = call;
    m->handler = handler;
    m->len = (uint8_t)len;
    copy(m->bytes, data, len);
    if (!h->timing) {
        h->timing = 1;
        h->timed = h->high;
        h->timed_at = now;
    }
    put_data(h, h->high, m, data, o);
    h->high = (h->high + 1) & MASK28;
    if (h->resend_at == NACRE_NEVER) { h->resend_at = now + h->rto; }
}

int hand_active_above_request(void *state, void *pool, uint64_t *counters, uint64_t now, uint8_t call, uint8_t handler, const uint8_t *data,
                              uint32_t len, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (unlikely(call >= CALLS || (h->asked >> call & 1)) || !can_send(h, len)) { return NACRE_REFUSED; }
    h->asked |= (uint16_t)(1u << call);
    send(h, now, REQUEST, call, handler, data, len, o);
    return NACRE_OK;
}

int hand_active_above_reply(void *state, void *pool, uint64_t *counters, uint64_t now, uint8_t call, uint8_t handler, const uint8_t *data,
                            uint32_t len, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (unlikely(call >= CALLS || !(h->serving >> call & 1)) || !can_send(h, len)) { return NACRE_REFUSED; }
    h->serving &= (uint16_t)~(1u << call);
    send(h, now, REPLY, call, handler, data, len, o);
    return NACRE_OK;
}

static inline void measure(struct hand *h, uint64_t now) {
    uint64_t r = now - h->timed_at;
    h->timing = 0;
    if (h->measured) {
        uint64_t d = r > h->srtt ? r - h->srtt : h->srtt - r;
        h->rttvar = (h->rttvar * 3 + d) / 4;
        h->srtt = (h->srtt * 7 + r) / 8;
    } else {
        h->measured = 1;
        h->rttvar = r / 2;
        h->srtt = r;
    }
    uint64_t rto = h->srtt + 4 * h->rttvar;
    h->rto = rto < RTO_MIN ? RTO_MIN : rto > RTO_MAX ? RTO_MAX : rto;
}

static inline void acknowledged(struct hand *h, uint64_t now, uint32_t ack) {
    uint32_t n = distance(ack, h->low);
    if (n == 0 || n > distance(h->high, h->low)) { return; }
    if (h->timing && distance(ack, h->timed) - 1u < WINDOW) { measure(h, now); }
    h->low = ack;
    h->went_back = 0;
    h->resend_at = h->low == h->high ? NACRE_NEVER : now + h->rto;
}

static COLD void go_back(struct hand *h, struct nacre_out *o) {
    h->timing = 0;
    for (uint32_t n = h->low; n != h->high; n = (n + 1) & MASK28) {
        const struct sent *m = &h->sent[n % WINDOW];
        put_data(h, n, m, m->bytes, o);
    }
}

static COLD int input_alone(struct hand *h, uint64_t *counters, uint64_t now, uint32_t shape, const uint8_t *frame, uint32_t len,
                            struct nacre_out *o) {
    if (len != ALONE || (shape != ACK && shape != MISSING)) {
        counters[0]++;
        return NACRE_DROPPED;
    }
    uint32_t ack = load32(frame + 8) & MASK28;
    acknowledged(h, now, ack);
    if (shape == MISSING && !h->went_back && h->low != h->high && ack == h->low) {
        h->went_back = 1;
        go_back(h, o);
        h->resend_at = now + h->rto;
    }
    return NACRE_OK;
}

static COLD int unordered(struct hand *h, uint32_t number, struct nacre_out *o) {
    uint32_t ahead = distance(number, h->next);
    if (ahead == MASK28) {
        put_alone(h, ACK, o);
    } else if (ahead < WINDOW && !h->missing) {
        h->missing = 1;
        put_alone(h, MISSING, o);
    }
    return NACRE_OK;
}

int hand_active_input(void *state, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from, const uint8_t *frame,
                      uint32_t len, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)from;
    if (unlikely(len < ALONE)) { goto malformed; }
    uint64_t word = load64(frame);
    uint32_t shape = word >> 1 & 0x7f;
    if (unlikely((word & ~UINT64_C(0xfe)) != h->in_word)) { goto malformed; }
    if (unlikely(shape > REPLY)) { return input_alone(h, counters, now, shape, frame, len, o); }
    if (unlikely(len < HEAD || len - HEAD > SHORT)) { goto malformed; }
    uint64_t fields = load64(frame + 8);
    uint32_t number = (uint32_t)fields & MASK28, call = fields >> 28 & 15;
    acknowledged(h, now, (uint32_t)(fields >> 40) | (uint32_t)(frame[16] & 15) << 24);
    if (unlikely(number != h->next)) { return unordered(h, number, o); }
    uint16_t *calls = shape == REQUEST ? &h->serving : &h->asked;
    if (unlikely((*calls >> call & 1) != shape)) { goto malformed; }
    *calls ^= (uint16_t)(1u << call);
    h->next = (h->next + 1) & MASK28;
    h->missing = 0;
    struct nacre_output *x = output(o, 1, shape == REQUEST ? REQUESTED : REPLIED);
    x->arguments[0] = call;
    x->arguments[1] = fields >> 32 & 0xff;
    segment(o, x, frame + HEAD, len - HEAD);
    if (unlikely(distance(h->next, h->told) >= WINDOW / 2)) {
        put_alone(h, ACK, o);
    } else if (h->ack_at == NACRE_NEVER) {
        h->ack_at = now + ACK_AFTER;
    }
    return NACRE_OK;
malformed:
    counters[0]++;
    return NACRE_DROPPED;
}

int hand_active_tick(void *state, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *o) {
    struct hand *h = state;
    (void)pool, (void)counters;
    if (h->ack_at <= now && h->ack_at <= h->resend_at) {
        put_alone(h, ACK, o);
        return NACRE_OK;
    }
    if (h->resend_at > now) { return NACRE_IDLE; }
    h->rto = h->rto * 2 < RTO_MAX ? h->rto * 2 : RTO_MAX;
    h->resend_at = now + h->rto;
    go_back(h, o);
    return NACRE_OK;
}

static int hand_open(void *state, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) {
    struct hand *h = state;
    struct config c;
    (void)pool, (void)counters, (void)seed, (void)now, (void)out;
    memcpy(&c, config, sizeof c);
    memset(h, 0, sizeof *h);
    h->in_word = (uint64_t)c.cookie << 8 | c.incarnation << 32;
    h->out_word = (uint64_t)c.peer_cookie << 8 | (uint64_t)c.peer_key << 32;
    h->resend_at = h->ack_at = NACRE_NEVER;
    h->rto = RTO_FIRST;
    return NACRE_OK;
}

static uint64_t hand_deadline(const void *state) {
    const struct hand *h = state;
    return h->ack_at < h->resend_at ? h->ack_at : h->resend_at;
}

static void hand_config_default(void *config) { memset(config, 0, sizeof(struct config)); }
static void hand_pool_init(void *pool, uint32_t blocks) { memcpy(pool, &blocks, 4); }

static const struct nacre_given givens[] = {
    {.name = "hand.cookie", .offset = 0, .size = 4, .required = 1, .role = NACRE_GIVEN_COOKIE},
    {.name = "hand.peer_cookie", .offset = 4, .size = 4, .required = 1, .role = NACRE_GIVEN_PEER_COOKIE},
    {.name = "hand.peer_key", .offset = 8, .size = 4, .required = 1, .role = NACRE_GIVEN_PEER_KEY},
    {.name = "hand.incarnation", .offset = 16, .size = 8, .required = 1, .role = NACRE_GIVEN_INCARNATION},
};
static const struct nacre_event events[] = {
    [REQUESTED] = {.name = "requested", .port = 1, .has_message = 1, .arguments = 2},
    [REPLIED] = {.name = "replied", .port = 1, .has_message = 1, .arguments = 2},
};
static const char *const counter_names[] = {"malformed"};

const struct nacre_stack hand_active_stack = {
    .abi = NACRE_ABI, .size = sizeof(struct nacre_stack), .name = "hand_active", .description = "written by hand", .level = "hand",
    .has_preamble = 1, .state_size = sizeof(struct hand), .state_align = 8, .config_size = sizeof(struct config), .pool_align = 8,
    .pool_base = 8, .block_bytes = SHORT, .outputs_max = WINDOW + 8, .segments_max = 2 * WINDOW + 16, .bytes_max = 24 * (WINDOW + 8),
    .frame_head_max = HEAD, .frame_data_max = SHORT, .counters_len = 1, .counters = counter_names, .events_len = 2, .events = events,
    .givens_len = 4, .givens = givens, .config_default = hand_config_default, .pool_init = hand_pool_init, .open = hand_open,
    .input = hand_active_input, .tick = hand_active_tick, .deadline = hand_deadline, .quick_to = UINT32_MAX,
};
