#ifndef SUPPORT_H
#define SUPPORT_H

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC system_header
#endif
extern "C" {
#endif


/* As in struct nacre_stack, with this stack's types. */
void support_config_default(struct support_config *config);
void support_pool_init(struct support_pool *pool, uint32_t blocks);
uint32_t support_pool_free(const struct support_pool *pool);
int support_open(struct support_state *s, struct support_pool *pool, uint64_t *counters, const struct support_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int support_call(struct support_state *s, struct support_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int support_input(struct support_state *s, struct support_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int support_tick(struct support_state *s, struct support_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t support_deadline(const struct support_state *s);
bool support_accepts(const struct support_state *s, const struct support_pool *pool, uint32_t event, uint32_t len);
void support_settle(struct support_state *s, struct support_pool *pool, uint64_t *counters, struct nacre_out *out);
void support_discard(struct support_state *s, struct support_pool *pool);
uint32_t support_canonical(const struct support_state *s, const struct support_pool *pool, uint8_t *to, uint32_t max);

#ifdef __cplusplus
}
#endif

#endif
#include "support.h"

#include <string.h>

/* No mistakes in emitted code: conditions that types or constants of the layers decide, parameters that a layer does not
 * use, and parentheses that C does not need. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#ifdef __clang__
#pragma clang diagnostic ignored "-Wparentheses-equality"
#pragma clang diagnostic ignored "-Wtautological-bitwise-compare"
#endif

/* What a step seldom needs. */
struct support_more {
    uint8_t nothing;
    struct support_event queue[support_QUEUE];
    uint8_t temp[support_TEMPORARY]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct support_step {
    struct support_state *s;
    struct support_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    uint32_t first, len; /* in the queue */
    struct support_more *more;
};

/* ---- what compilers want to be told ---- */

#if defined(__GNUC__)
#define support_LIKELY(x) __builtin_expect((x), 1)
#define support_UNLIKELY(x) __builtin_expect((x), 0)
#define support_ASSUME(x) do { if (!(x)) { __builtin_unreachable(); } } while (0)
#define support_INLINE static inline __attribute__((always_inline, unused))
#define support_COLD static __attribute__((cold, noinline, unused))
#define support_APART static __attribute__((noinline, unused))
#define support_PLAIN static __attribute__((unused))
#else
#define support_LIKELY(x) (x)
#define support_UNLIKELY(x) (x)
#define support_ASSUME(x) ((void)0)
#define support_INLINE static inline
#define support_COLD static
#define support_APART static
#define support_PLAIN static
#endif

/* ---- numbers ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define support_LITTLE 1
#else
#define support_LITTLE 0
#endif

/* A few moves, where the number of bytes is known. */
support_INLINE void support_put(uint8_t *to, uint64_t value, uint32_t n) {
    if (support_LITTLE && n == 8u) {
        memcpy(to, &value, 8);
    } else if (support_LITTLE && n < 8u) {
        const uint32_t word = (uint32_t)value;
        const uint16_t half = (uint16_t)(n & 4u ? value >> 32 : value);
        if (n & 4u) { memcpy(to, &word, 4); }
        if (n & 2u) { memcpy(to + (n & 4u), &half, 2); }
        if (n & 1u) { to[n - 1u] = (uint8_t)(value >> (8u * (n - 1u))); }
    } else {
        for (uint32_t i = 0; i < n; i++) { to[i] = (uint8_t)(value >> (8u * i)); }
    }
}

support_INLINE uint64_t support_get(const uint8_t *from, uint32_t n) {
    uint64_t value = 0;
    if (support_LITTLE && n == 8u) {
        memcpy(&value, from, 8);
    } else if (support_LITTLE && n < 8u) {
        uint32_t word = 0;
        uint16_t half = 0;
        if (n & 4u) { memcpy(&word, from, 4); }
        if (n & 2u) { memcpy(&half, from + (n & 4u), 2); }
        value = word | (uint64_t)half << (n & 4u ? 32 : 0);
        if (n & 1u) { value |= (uint64_t)from[n - 1u] << (8u * (n - 1u)); }
    } else {
        for (uint32_t i = 0; i < n; i++) { value |= (uint64_t)from[i] << (8u * i); }
    }
    return value;
}

/* The lowest bytes in the other order. */
support_PLAIN uint64_t support_swap(uint64_t value, uint32_t bytes) {
    uint64_t swapped = 0;
    for (uint32_t i = 0; i < bytes; i++) { swapped = swapped << 8 | (value >> (8u * i) & 0xffu); }
    return swapped;
}

support_PLAIN int64_t support_sign(uint64_t value, uint32_t bits) {
    uint64_t top = (uint64_t)1 << (bits - 1u);
    value &= (top << 1) - 1u;
    return (int64_t)((value ^ top) - top);
}

support_PLAIN uint64_t support_shl(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a << b; }
support_PLAIN uint64_t support_shr(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a >> b; }
/* Of a negative number the sign comes in from the left. */
support_PLAIN int64_t support_shr_signed(int64_t a, uint64_t b, uint32_t bits) {
    if (b >= bits) { return 0; }
    return a < 0 ? (int64_t)~(~(uint64_t)a >> b) : (int64_t)((uint64_t)a >> b);
}
support_PLAIN uint64_t support_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
support_PLAIN uint64_t support_rem(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
support_PLAIN int64_t support_div_signed(int64_t a, int64_t b) {
    return b == 0 ? 0 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
support_PLAIN int64_t support_rem_signed(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

support_PLAIN uint64_t support_fold16(uint64_t sum) {
    while (sum >> 16) { sum = (sum & 0xffffu) + (sum >> 16); }
    return ~sum & 0xffffu;
}

support_PLAIN uint32_t support_count(const uint64_t *words, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t w = words[i]; w != 0; w &= w - 1u) { count++; }
    }
    return count;
}

/* The lowest element, 0 if there is none. */
support_PLAIN uint32_t support_first(const uint64_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t bit = 0; words[i] != 0 && bit < 64u; bit++) {
            if (words[i] >> bit & 1u) { return 64u * i + bit; }
        }
    }
    return 0;
}

/* The lowest slot that is free, n if none is. */
support_PLAIN uint32_t support_lowest_free(const uint64_t *used, uint32_t n) {
    uint32_t slot = 0;
    while (slot < n && (used[slot / 64u] >> (slot % 64u) & 1u)) { slot++; }
    return slot;
}

support_INLINE bool support_has(const uint64_t *used, uint32_t slot) { return used[slot / 64u] >> (slot % 64u) & 1u; }
/* The bits of `count` slots from `first` on, wrapping around at `slots`, which is a power of two of at most 64. */
support_INLINE uint64_t support_around(uint32_t first, uint32_t count, uint32_t slots) {
    uint64_t bits = count >= 64u ? UINT64_MAX : ((uint64_t)1 << count) - 1u;
    if (slots == 64u) { return bits << first | bits >> (-first & 63u); }
    return (bits << first | bits << first >> slots) & (((uint64_t)1 << (slots & 63u)) - 1u);
}

support_INLINE void support_mark(uint64_t *used, uint32_t slot) { used[slot / 64u] |= (uint64_t)1 << (slot % 64u); }
support_INLINE void support_unmark(uint64_t *used, uint32_t slot) { used[slot / 64u] &= ~((uint64_t)1 << (slot % 64u)); }

/* SplitMix64, and the high half of a product: a number below `below`. */
support_PLAIN uint64_t support_random(uint64_t *state, uint64_t below) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    uint64_t low = (z & 0xffffffffu) * (below & 0xffffffffu);
    uint64_t one = (z >> 32) * (below & 0xffffffffu), two = (z & 0xffffffffu) * (below >> 32);
    uint64_t middle = (low >> 32) + (one & 0xffffffffu) + (two & 0xffffffffu);
    return (z >> 32) * (below >> 32) + (one >> 32) + (two >> 32) + (middle >> 32);
}

/* What a call may change of a step. */
support_INLINE void support_back(struct support_step *step, const struct support_step *aside) {
    step->kept = aside->kept;
    step->held = aside->held;
    step->first = aside->first;
    step->len = aside->len;
    step->outputs = aside->outputs;
    step->segments = aside->segments;
    step->bytes = aside->bytes;
    step->impossible = aside->impossible;
}

/* ---- bytes of messages: a run of pool blocks, the bytes that came with this call, bytes made in this call, or a rope ---- */

#define support_SHORT(b) ((b).block - 1u < 0xffffu) /* in one block of the pool: its number */
#define support_LONG 0x100000u /* in several blocks of the pool: with the number of the first */
#define support_IN 0x10000u   /* lent by the caller of this step */
#define support_MADE 0x20000u /* in out->bytes */
#define support_TEMP 0x40000u /* in step->more->temp, for one statement */
#define support_ROPE 0x80000000u

/* Of variable length: a few moves for what is short. */
support_INLINE void support_copy(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (n > 32u) {
        memcpy(to, from, n);
    } else if (n >= 16u) {
        uint64_t first[2], last[2];
        memcpy(first, from, 16);
        memcpy(last, from + n - 16u, 16);
        memcpy(to, first, 16);
        memcpy(to + n - 16u, last, 16);
    } else if (n >= 8u) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + n - 8u, 8);
        memcpy(to, &first, 8);
        memcpy(to + n - 8u, &last, 8);
    } else {
        for (uint32_t i = 0; i < n; i++) { to[i] = from[i]; }
    }
}

/* A run of bytes from a block on, as `block` says it. */
support_INLINE uint32_t support_span(uint32_t number, uint32_t offset, uint32_t len) {
    return offset + len > support_BLOCK ? number | support_LONG : number;
}

support_INLINE struct support_block *support_block(struct support_pool *pool, uint32_t number) {
    return &pool->block[number - 1u];
}

/* For a call that seldom happens: so the bytes need not be in memory before. */
#define support_COPY(b) ((struct support_bytes){.block = (b).block, .offset = (b).offset, .len = (b).len})

/* The number of a fresh block. The step was admitted, so there is one; 0: a bound was wrong, and the bytes are lost. */
support_INLINE uint32_t support_take_block(struct support_pool *pool) {
    if (support_UNLIKELY(pool->free == 0)) { return 0; }
    uint32_t number = pool->first;
    struct support_block *block = support_block(pool, number);
    pool->first = block->after;
    pool->free--;
    block->references = 1;
    block->next = 0;
    return number;
}

/* Freed blocks go to the end of the queue, so that none is used again in the step that freed it: what it lent stays as it is. */
support_INLINE void support_free_block(struct support_pool *pool, uint32_t number) {
    if (support_UNLIKELY(pool->free++ == 0)) {
        pool->first = number;
    } else {
        support_block(pool, pool->last)->after = (uint16_t)number;
    }
    pool->last = number;
}

/* Extends the queue with unused blocks until it holds `n` blocks and a few spare ones; false if the pool has fewer than `n`. The memory of
 * a pool is thus touched only as it is needed. */
support_COLD bool support_grow(struct support_pool *pool, uint64_t n) {
    if (n > (uint64_t)pool->free + pool->fresh) { return false; }
    for (n += 16u; pool->free < n && pool->fresh != 0; pool->fresh--) {
        const uint32_t number = pool->all - pool->fresh + 1u;
        support_block(pool, number)->references = 0;
        support_block(pool, number)->next = 0;
        support_free_block(pool, number);
    }
    return true;
}

/* Whether fewer than `n` blocks are available. */
support_INLINE bool support_lacks(struct support_pool *pool, uint64_t n) { return support_UNLIKELY(pool->free < n) && !support_grow(pool, n); }

support_INLINE void support_leave_block(struct support_pool *pool, uint32_t number) {
    if (--pool->block[number - 1u].references == 0) { support_free_block(pool, number); }
}

support_PLAIN struct support_node *support_node(struct support_pool *pool, uint32_t number) {
    return &pool->nodes[number - 1u];
}

support_PLAIN void support_share_rope(struct support_pool *pool, struct support_bytes b);
support_PLAIN void support_drop_rope(struct support_pool *pool, struct support_bytes b);
support_COLD void support_share_long(struct support_pool *pool, struct support_bytes b) {
    if (b.block & support_ROPE) {
        support_share_rope(pool, b);
        return;
    }
    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
        support_block(pool, number)->references++;
        if (end <= support_BLOCK) { return; }
        end -= support_BLOCK;
        number = support_block(pool, number)->next;
    }
}

support_COLD void support_drop_long(struct support_pool *pool, struct support_bytes b) {
    if (b.block & support_ROPE) {
        support_drop_rope(pool, b);
        return;
    }
    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
        uint32_t next = support_block(pool, number)->next;
        support_leave_block(pool, number);
        if (end <= support_BLOCK) { return; }
        end -= support_BLOCK;
        number = next;
    }
}

/* One more reference to the same bytes. */
support_INLINE void support_share(struct support_pool *pool, struct support_bytes b) {
    if (support_SHORT(b)) {
        support_block(pool, b.block)->references++;
    } else if (support_UNLIKELY((b.block & (support_LONG | support_ROPE)) != 0)) {
        support_share_long(pool, support_COPY(b));
    }
}

support_INLINE void support_drop(struct support_pool *pool, struct support_bytes b) {
    if (support_SHORT(b)) {
        support_leave_block(pool, b.block);
    } else if (support_UNLIKELY((b.block & (support_LONG | support_ROPE)) != 0)) {
        support_drop_long(pool, support_COPY(b));
    }
}

/* The same of bytes in memory: mostly their block alone is read. */
support_INLINE void support_drop_at(struct support_pool *pool, const struct support_bytes *b) {
    if (support_LIKELY(support_SHORT(*b))) {
        support_leave_block(pool, b->block);
    } else if (support_UNLIKELY((b->block & (support_LONG | support_ROPE)) != 0)) {
        support_drop_long(pool, *b);
    }
}

/* Blocks that are freed together: where they end is in registers, and they join the queue at once. */
struct support_chain {
    uint16_t *end; /* where the number of the next block goes */
    uint32_t last, len;
};

/* `first`: the number of the first of them. */
support_INLINE void support_free_chain(struct support_pool *pool, const struct support_chain *chain, uint32_t first) {
    if (chain->len == 0) { return; }
    if (support_UNLIKELY(pool->free == 0)) {
        pool->first = first;
    } else {
        support_block(pool, pool->last)->after = (uint16_t)first;
    }
    pool->free += chain->len;
    pool->last = chain->last;
}

/* As `drop_at`; a block that is freed joins others. */
support_INLINE void support_drop_into(struct support_pool *pool, struct support_chain *chain, uint16_t *first, const struct support_bytes *b) {
    const uint32_t number = b->block;
    if (support_LIKELY(support_SHORT(*b))) {
        struct support_block *block = support_block(pool, number);
        if (--block->references == 0) {
            *chain->end = (uint16_t)number;
            *chain = (struct support_chain){&block->after, number, chain->len + 1u};
        }
    } else if (support_UNLIKELY((number & (support_LONG | support_ROPE)) != 0)) {
        support_free_chain(pool, chain, *first);
        *chain = (struct support_chain){first, 0, 0};
        support_drop_long(pool, *b);
    }
}

/* The bytes at `at` and how many stand there in one run. */
support_PLAIN const uint8_t *support_run(const struct support_step *step, struct support_bytes b, uint32_t at, uint32_t *n) {
    uint32_t left = b.len - at;
    at += b.offset;
    if (b.block & support_ROPE) {
        const struct support_node *node = support_node(step->pool, b.block & ~support_ROPE);
        for (; at >= node->bytes.len; node = support_node(step->pool, node->next)) { at -= node->bytes.len; }
        if (left > node->bytes.len - at) { left = node->bytes.len - at; }
        at += node->bytes.offset;
        b = node->bytes;
    }
    *n = left;
    if (b.block == support_IN) { return step->in + at; }
    if (b.block == support_MADE) { return step->out->bytes + at; }
    if (b.block == support_TEMP) { return step->more->temp + at; }
    uint32_t number = b.block & 0xffffu;
    for (; at >= support_BLOCK; at -= support_BLOCK) { number = support_block(step->pool, number)->next; }
    if (left > support_BLOCK - at) { *n = support_BLOCK - at; }
    return support_block(step->pool, number)->bytes + at;
}

/* Room in out->bytes for bytes that are made; none left: the bound was wrong, which is counted. */
support_PLAIN bool support_can_make(struct support_step *step, uint32_t n) {
    if (support_UNLIKELY(n > step->out->bytes_max - step->bytes)) {
        step->counters[support_BROKEN]++;
        return false;
    }
    return true;
}

support_PLAIN void support_read(const struct support_step *step, struct support_bytes b, uint8_t *to) {
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = support_run(step, b, at, &n);
        memcpy(to + at, from, n);
    }
}

support_PLAIN uint8_t support_byte(const struct support_step *step, struct support_bytes b, uint64_t at) {
    uint32_t n;
    return at < b.len ? *support_run(step, b, (uint32_t)at, &n) : 0;
}

/* A copy in as many blocks as it takes. */
support_COLD uint32_t support_keep_whole(struct support_step *step, const uint8_t *from, uint32_t len) {
    if (support_lacks(step->pool, len / support_BLOCK + (len % support_BLOCK != 0))) {
        step->counters[support_BROKEN]++;
        return 0;
    }
    uint32_t first = 0, last = 0;
    for (uint32_t at = 0; at < len; at += support_BLOCK) {
        uint32_t number = support_take_block(step->pool);
        memcpy(support_block(step->pool, number)->bytes, from + at, len - at < support_BLOCK ? len - at : support_BLOCK);
        if (first == 0) {
            first = number;
        } else {
            support_block(step->pool, last)->next = (uint16_t)number;
        }
        last = number;
    }
    return first;
}

support_PLAIN struct support_bytes support_keep_rope(struct support_step *step, struct support_bytes b);
support_COLD struct support_bytes support_keep_made(struct support_step *step, struct support_bytes b) {
    if (b.block & support_ROPE) { return support_keep_rope(step, b); }
    if (b.block & support_LONG) { return b; }
    uint32_t first = support_keep_whole(step, step->out->bytes + b.offset, b.len);
    b.block = first != 0 ? support_span(first, 0, b.len) : 0;
    b.offset = 0;
    if (first == 0) { b.len = 0; }
    return b;
}

/* Bytes of this call that take several blocks: the step holds them, so that parts can be shared. */
support_COLD struct support_bytes support_keep_long(struct support_step *step, struct support_bytes b) {
    if (!step->held) {
        step->kept = support_keep_whole(step, step->in, step->in_len);
        step->held = step->kept != 0;
    }
    uint32_t number = step->kept;
    if (number == 0) { return (struct support_bytes){.block = 0}; }
    for (; b.offset >= support_BLOCK; b.offset -= support_BLOCK) { number = support_block(step->pool, number)->next; }
    b.block = support_span(number, b.offset, b.len);
    support_share(step->pool, b);
    return b;
}

/* Takes a block out of the free ones, where this step has put it: its bytes are as they were. So a step takes no more fresh
 * blocks than it was admitted for, in whatever order its events run, and what it has lent stays as it is. */
support_COLD void support_take_again(struct support_pool *pool, uint32_t number) {
    uint32_t before = 0;
    uint32_t at = pool->first;
    for (uint32_t left = pool->free; left > 1u && at != number; left--) {
        before = at;
        at = support_block(pool, at)->after;
    }
    struct support_block *block = support_block(pool, number);
    if (before == 0) {
        pool->first = block->after;
    } else {
        support_block(pool, before)->after = block->after;
    }
    if (pool->last == number) { pool->last = before; }
    pool->free--;
    block->references = 1;
    block->next = 0;
}

/* The same bytes, in the pool: what is stored must outlive the step. The bytes of this call go there as a whole, once. */
support_INLINE struct support_bytes support_keep(struct support_step *step, struct support_bytes b) {
    if (b.block == support_IN) {
        if (support_UNLIKELY(b.len == 0)) { return (struct support_bytes){.block = 0}; }
        if (support_UNLIKELY(step->in_len > support_BLOCK)) { return support_keep_long(step, support_COPY(b)); }
        if (support_UNLIKELY(step->kept != 0)) {
            if (support_block(step->pool, step->kept)->references > 0) {
                support_block(step->pool, step->kept)->references++;
            } else {
                support_take_again(step->pool, step->kept);
            }
        } else {
            if (support_lacks(step->pool, 1u)) {
                step->counters[support_BROKEN]++;
                return (struct support_bytes){.block = 0};
            }
            step->kept = support_take_block(step->pool);
            support_copy(support_block(step->pool, step->kept)->bytes, step->in, step->in_len);
        }
        b.block = step->kept;
    } else if (support_UNLIKELY(b.block > 0xffffu)) {
        b = support_keep_made(step, support_COPY(b));
    }
    return b;
}

support_PLAIN struct support_bytes support_slice_rope(struct support_step *step, struct support_bytes b, uint32_t at, uint32_t n);
/* Bytes `at .. at + n`, clamped; a reference of its own. */
support_PLAIN struct support_bytes support_slice(struct support_step *step, struct support_bytes b, uint64_t at, uint64_t n) {
    uint32_t from = at < b.len ? (uint32_t)at : b.len;
    uint32_t len = n < b.len - from ? (uint32_t)n : b.len - from;
    if (len == 0) { return (struct support_bytes){.block = 0}; }
    if (b.block & support_ROPE) { return support_slice_rope(step, b, from, len); }
    b.offset += from;
    b.len = len;
    if (support_SHORT(b) || b.block & support_LONG) {
        uint32_t number = b.block & 0xffffu;
        for (; b.offset >= support_BLOCK; b.offset -= support_BLOCK) { number = support_block(step->pool, number)->next; }
        b.block = support_span(number, b.offset, b.len);
        support_share(step->pool, b);
    }
    return b;
}

support_PLAIN struct support_bytes support_long_rest(struct support_step *step, struct support_bytes b, uint64_t n) {
    struct support_bytes rest = support_slice(step, b, n, UINT32_MAX);
    support_drop(step->pool, b);
    return rest;
}

/* The bytes after the first `n`, which are released. */
support_INLINE struct support_bytes support_rest(struct support_step *step, struct support_bytes b, uint64_t n) {
    if (support_UNLIKELY((b.block != support_MADE && b.block != support_IN) || n >= b.len)) { return support_long_rest(step, b, n); }
    b.offset += (uint32_t)n;
    b.len -= (uint32_t)n;
    return b;
}

/* Bytes made in this step begin at `from` in out->bytes. */
support_PLAIN struct support_bytes support_made(const struct support_step *step, uint32_t from) {
    uint32_t len = step->bytes - from;
    return (struct support_bytes){.block = len ? support_MADE : 0, .offset = len ? from : 0, .len = len};
}

/* ---- ropes: bytes in pieces ---- */

support_PLAIN uint32_t support_take_node(struct support_step *step, struct support_bytes b) {
    uint32_t number = step->pool->node;
    if (number == 0) {
        step->counters[support_BROKEN]++;
        support_drop(step->pool, b);
        return 0;
    }
    struct support_node *node = support_node(step->pool, number);
    step->pool->node = node->next;
    node->bytes = b;
    node->next = 0;
    node->references = 1;
    return number;
}

support_PLAIN void support_share_rope(struct support_pool *pool, struct support_bytes b) {
    support_node(pool, b.block & ~support_ROPE)->references++;
}

support_PLAIN void support_drop_rope(struct support_pool *pool, struct support_bytes b) {
    uint32_t number = b.block & ~support_ROPE;
    if (--support_node(pool, number)->references > 0) { return; }
    while (number != 0) {
        struct support_node *node = support_node(pool, number);
        uint32_t next = node->next;
        support_drop(pool, node->bytes);
        node->next = pool->node;
        pool->node = number;
        number = next;
    }
}

/* A rope under construction. It never has an empty piece, and is none with fewer than two. */
struct support_twine {
    struct support_bytes bytes;
    uint32_t last;
};

/* Appends a piece that is not a rope; takes it over. */
support_PLAIN void support_append_piece(struct support_step *step, struct support_twine *twine, struct support_bytes b) {
    if (b.len == 0) { return; }
    if (twine->bytes.len == 0) {
        twine->bytes = b;
        return;
    }
    if (!(twine->bytes.block & support_ROPE)) {
        uint32_t first = support_take_node(step, twine->bytes);
        if (first == 0) {
            twine->bytes = b;
            return;
        }
        twine->bytes = (struct support_bytes){.block = support_ROPE | first, .len = twine->bytes.len};
        twine->last = first;
    }
    uint32_t number = support_take_node(step, b);
    if (number == 0) { return; }
    support_node(step->pool, twine->last)->next = number;
    twine->last = number;
    twine->bytes.len += b.len;
}

/* Appends bytes of any kind; takes them over. */
support_PLAIN void support_append(struct support_step *step, struct support_twine *twine, struct support_bytes b) {
    if (!(b.block & support_ROPE)) {
        support_append_piece(step, twine, b);
        return;
    }
    for (uint32_t number = b.block & ~support_ROPE; number != 0; number = support_node(step->pool, number)->next) {
        struct support_bytes piece = support_node(step->pool, number)->bytes;
        support_share(step->pool, piece);
        support_append_piece(step, twine, piece);
    }
    support_drop(step->pool, b);
}

support_PLAIN struct support_bytes support_slice_rope(struct support_step *step, struct support_bytes b, uint32_t at, uint32_t n) {
    struct support_twine twine = {.last = 0};
    for (uint32_t number = b.block & ~support_ROPE; number != 0 && n > 0; number = support_node(step->pool, number)->next) {
        struct support_bytes piece = support_node(step->pool, number)->bytes;
        if (at >= piece.len) {
            at -= piece.len;
            continue;
        }
        struct support_bytes part = support_slice(step, piece, at, n);
        n -= part.len;
        at = 0;
        support_append_piece(step, &twine, part);
    }
    return twine.bytes;
}

/* Copied into one run of blocks, so that no piece outlives the step. */
support_PLAIN struct support_bytes support_keep_rope(struct support_step *step, struct support_bytes b) {
    uint32_t first = 0, last = 0;
    if (support_lacks(step->pool, b.len / support_BLOCK + (b.len % support_BLOCK != 0))) {
        step->counters[support_BROKEN]++;
        support_drop(step->pool, b);
        return (struct support_bytes){.block = 0};
    }
    for (uint32_t at = 0; at < b.len; at += support_BLOCK) {
        uint32_t number = support_take_block(step->pool), len = b.len - at < support_BLOCK ? b.len - at : support_BLOCK;
        for (uint32_t done = 0, n = 0; done < len; done += n) {
            const uint8_t *from = support_run(step, b, at + done, &n);
            if (n > len - done) { n = len - done; }
            memcpy(support_block(step->pool, number)->bytes + done, from, n);
        }
        if (first == 0) {
            first = number;
        } else {
            support_block(step->pool, last)->next = (uint16_t)number;
        }
        last = number;
    }
    support_drop(step->pool, b);
    return (struct support_bytes){.block = support_span(first, 0, b.len), .len = b.len};
}

/* ---- what leaves the stack ---- */

support_COLD void support_long_segments(struct support_step *step, struct nacre_output *output, struct support_bytes b) {
    struct nacre_out *out = step->out;
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = support_run(step, b, at, &n);
        if (step->segments == out->segments_max) {
            step->counters[support_BROKEN]++;
            return;
        }
        out->segments[step->segments++] = (struct nacre_segment){.at = from, .len = n, .reserved = 0};
        output->segments_len++;
        output->len += n;
    }
}

/* Adds the bytes of a message to an output and lets the message go: a block that is freed now is not used before the next call. */
support_INLINE void support_segments(struct support_step *step, struct nacre_output *output, struct support_bytes b) {
    struct nacre_out *out = step->out;
    const uint8_t *from;
    if (b.len == 0) { return; }
    if (support_LIKELY(b.block == support_IN)) {
        from = step->in + b.offset;
    } else if (support_LIKELY(support_SHORT(b))) {
        from = support_block(step->pool, b.block)->bytes + b.offset;
    } else if (b.block == support_MADE) {
        from = step->out->bytes + b.offset;
    } else {
        support_long_segments(step, output, b);
        support_drop(step->pool, b);
        return;
    }
    if (support_UNLIKELY(step->segments == out->segments_max)) {
        step->counters[support_BROKEN]++;
    } else {
        struct nacre_segment *segment = &out->segments[step->segments++];
        segment->at = from;
        segment->len = b.len;
        output->segments_len++;
        output->len += b.len;
    }
    support_drop(step->pool, b);
}

/* The next output; none, where the bound was wrong. */
support_INLINE struct nacre_output *support_output(struct support_step *step, uint16_t port, uint16_t event) {
    struct nacre_out *out = step->out;
    if (support_UNLIKELY(step->outputs == out->outputs_max)) {
        step->counters[support_BROKEN]++;
        return NULL;
    }
    struct nacre_output *output = &out->outputs[step->outputs++];
    output->port = port;
    output->event = event;
    output->session = 0;
    output->len = 0;
    output->segments_len = 0;
    output->segments = NULL;
    return output;
}

/* The segments of an output along the likely way, head (if any) and data: the room was checked when the step began. */
support_INLINE void support_quick_segments(struct support_step *step, struct nacre_output *output, const uint8_t *head, uint32_t size, struct support_bytes b) {
    struct nacre_segment *segment = &step->out->segments[step->segments];
    uint32_t n = head != NULL && size > 0;
    output->segments = segment;
    if (n > 0) {
        segment[0].at = head;
        segment[0].len = size;
    }
    if (support_LIKELY(b.len > 0)) {
        if (support_LIKELY(b.block == support_IN)) {
            segment[n].at = step->in + b.offset;
        } else if (support_LIKELY(support_SHORT(b))) {
            struct support_block *block = support_block(step->pool, b.block);
            segment[n].at = block->bytes + b.offset;
            if (--block->references == 0) { support_free_block(step->pool, b.block); }
        } else if (b.block == support_MADE) {
            segment[n].at = step->out->bytes + b.offset;
        } else {
            output->len = size;
            output->segments_len = n;
            step->segments += n;
            support_long_segments(step, output, support_COPY(b));
            support_drop(step->pool, b);
            return;
        }
        segment[n].len = b.len;
        n++;
    }
    output->len = size + b.len;
    output->segments_len = n;
    step->segments += n;
}

/* Whether the caller's arrays hold what a step can make. A bound of 0 is not compared: compilers warn of that. */
support_INLINE bool support_room(const struct nacre_out *out) {
    (void)out;
    return true
#if support_OUTPUTS > 0
        && out->outputs_max >= support_OUTPUTS
#endif
#if support_SEGMENTS > 0
        && out->segments_max >= support_SEGMENTS
#endif
#if support_BYTES > 0
        && out->bytes_max >= support_BYTES
#endif
        ;
}

/* A call that had no effect. */
support_INLINE int support_nothing(struct nacre_out *out, int result) {
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    return result;
}

/* The maximum number of blocks that a step takes: `copies` copies of the message, and `extra` others. */
support_INLINE uint64_t support_needed(uint32_t copies, uint32_t extra, uint32_t len) {
    if (support_LIKELY(len - 1u < support_BLOCK)) { return copies + extra; }
    return (uint64_t)copies * (len / support_BLOCK + (len % support_BLOCK != 0)) + extra;
}

/* An armed timer is its deadline plus one; what is too far away is as far as can be said. */
support_INLINE uint64_t support_after(uint64_t now, uint64_t delay) {
    uint64_t armed = now + delay + 1u;
    return support_UNLIKELY(armed <= now) ? UINT64_MAX : armed;
}

support_PLAIN uint8_t support_addr_byte(const struct nacre_addr *a, uint64_t i) {
    return i < 16u ? a->ip[i] : (uint8_t)((i < 18u ? a->port : a->family) >> (8u * (i & 1u)));
}

support_PLAIN uint32_t support_count_in(uint64_t word) { return support_count(&word, 1); }
support_PLAIN uint32_t support_first_in(uint64_t word) { return support_first(&word, 1); }

support_PLAIN const uint8_t *support_long_flat(struct support_step *step, struct support_bytes b) {
    uint32_t n = 0;
    if (b.len == 0) { return step->out->bytes; }
    const uint8_t *from = support_run(step, b, 0, &n);
    if (n == b.len) { return from; }
    if (!support_can_make(step, b.len)) { return from; }
    uint8_t *to = step->out->bytes + step->bytes;
    support_read(step, b, to);
    step->bytes += b.len;
    return to;
}

/* Bytes in one run: copied to where things are made, if they are not. */
support_INLINE const uint8_t *support_flat(struct support_step *step, struct support_bytes b) {
    if (b.block == support_IN && b.len > 0) { return step->in + b.offset; }
    if (b.block == support_MADE) { return step->out->bytes + b.offset; }
    return support_long_flat(step, b);
}

/* ---- the state as bytes ---- */

struct support_teller {
    const struct support_step *step;
    uint8_t *to;
    uint32_t max, len;
};

support_PLAIN void support_tell(struct support_teller *t, uint64_t value, uint32_t n) {
    uint32_t room = t->len < t->max ? t->max - t->len : 0;
    for (uint32_t i = 0; i < n && i < room; i++) { t->to[t->len + i] = (uint8_t)(value >> (8u * i)); }
    t->len += n;
}

support_PLAIN void support_tell_bytes(struct support_teller *t, const uint8_t *from, uint32_t n) {
    uint32_t room = t->len < t->max ? t->max - t->len : 0;
    if (n > 0 && room > 0) { memcpy(t->to + t->len, from, n < room ? n : room); }
    t->len += n;
}

support_PLAIN void support_tell_message(struct support_teller *t, struct support_bytes b, bool data) {
    support_tell(t, b.len, 4);
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = support_run(t->step, b, at, &n);
        support_tell_bytes(t, from, n);
    }
    support_tell(t, data, 1);
}
support_INLINE void support_finish(struct support_step *step) {
    if (support_UNLIKELY(step->len > 0)) { support_run_queue(step); }
    if (support_UNLIKELY(step->held)) {
        support_drop_long(step->pool, (struct support_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}


void support_pool_init(struct support_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->all = pool->fresh = blocks;
    pool->free = pool->first = pool->last = 0;
    pool->node = 0;
    for (uint32_t number = support_NODES; number > 0; number--) {
        support_node(pool, number)->next = pool->node;
        pool->node = number;
    }
}

uint32_t support_pool_free(const struct support_pool *pool) { return pool->free + pool->fresh; }

void support_settle(struct support_state *s, struct support_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

/* ---- for drivers of any stack ---- */

static void support_any_config_default(void *config) { support_config_default(config); }
static void support_any_pool_init(void *pool, uint32_t blocks) { support_pool_init(pool, blocks); }
static uint32_t support_any_pool_free(const void *pool) { return support_pool_free(pool); }
static int support_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return support_open(s, pool, counters, config, seed, now, out); }
static int support_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return support_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int support_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return support_input(s, pool, counters, now, from, frame, len, out); }
static int support_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return support_tick(s, pool, counters, now, out); }
static uint64_t support_any_deadline(const void *s) { return support_deadline(s); }
static bool support_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return support_accepts(s, pool, event, len); }
static void support_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { support_settle(s, pool, counters, out); }
static void support_any_discard(void *s, void *pool) { support_discard(s, pool); }
static uint32_t support_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return support_canonical(s, pool, to, max); }


#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
