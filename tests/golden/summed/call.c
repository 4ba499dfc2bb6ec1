/* `crc32c / floor`, as Nacre's C back end writes it at level call. Do not edit: edit the layers.
 * This text carries no licence obligation from Nacre: it is yours, under the terms of your layers' source. */
#include "summed.h"

#include <string.h>

enum { summed_MALFORMED, summed_IMPOSSIBLE, summed_NO_SPACE, summed_REFUSED, summed_BOUND, summed_BROKEN, summed_COUNT_floor_unknown, summed_COUNT_crc32c_damaged };
#define summed_BLOCK 64u
#define summed_NODES 4u
#define summed_OUTPUTS 2u
#define summed_SEGMENTS 2u
#define summed_BYTES 48u
#define summed_QUEUE 4u
#define summed_WAITING 16u

/* What a step seldom needs. */
struct summed_more {
    uint8_t nothing;
    uint8_t temp[35]; /* bytes that are looked at in one statement */
};
/* One call of the host and all that it causes. */
struct summed_step {
    struct summed_state *s;
    struct summed_pool *pool;
    uint64_t *counters;
    struct nacre_out *out;
    uint64_t now;
    const uint8_t *in; /* data of the message that came with the call */
    uint32_t in_len;
    uint32_t kept; /* first block of that data, once it is in the pool */
    uint32_t outputs, segments, bytes; /* what was made in `out` so far */
    uint32_t impossible; /* whether the message was said to be */
    bool held; /* the step has references to what is kept */
    struct summed_more *more;
};

/* ---- what compilers want to be told ---- */

#if defined(__GNUC__)
#define summed_LIKELY(x) __builtin_expect((x), 1)
#define summed_UNLIKELY(x) __builtin_expect((x), 0)
#define summed_INLINE static inline __attribute__((always_inline, unused))
#define summed_COLD static __attribute__((cold, noinline, unused))
#define summed_APART static __attribute__((noinline, unused))
#define summed_PLAIN static __attribute__((unused))
#else
#define summed_LIKELY(x) (x)
#define summed_UNLIKELY(x) (x)
#define summed_INLINE static inline
#define summed_COLD static
#define summed_APART static
#define summed_PLAIN static
#endif

/* ---- numbers ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define summed_LITTLE 1
#else
#define summed_LITTLE 0
#endif

summed_INLINE void summed_put(uint8_t *to, uint64_t value, uint32_t n) {
    if (summed_LITTLE) {
        if (n == 8u) {
            memcpy(to, &value, 8);
        } else if (n == 4u) {
            uint32_t word = (uint32_t)value;
            memcpy(to, &word, 4);
        } else if (n == 2u) {
            uint16_t word = (uint16_t)value;
            memcpy(to, &word, 2);
        } else {
            for (uint32_t i = 0; i < n; i++) { to[i] = (uint8_t)(value >> (8u * i)); }
        }
    } else {
        for (uint32_t i = 0; i < n; i++) { to[i] = (uint8_t)(value >> (8u * i)); }
    }
}

summed_INLINE uint64_t summed_get(const uint8_t *from, uint32_t n) {
    if (summed_LITTLE && n == 8u) {
        uint64_t word;
        memcpy(&word, from, 8);
        return word;
    }
    if (summed_LITTLE && n == 4u) {
        uint32_t word;
        memcpy(&word, from, 4);
        return word;
    }
    if (summed_LITTLE && n == 2u) {
        uint16_t word;
        memcpy(&word, from, 2);
        return word;
    }
    uint64_t value = 0;
    for (uint32_t i = 0; i < n; i++) { value |= (uint64_t)from[i] << (8u * i); }
    return value;
}

/* The lowest bytes in the other order. */
summed_PLAIN uint64_t summed_swap(uint64_t value, uint32_t bytes) {
    uint64_t swapped = 0;
    for (uint32_t i = 0; i < bytes; i++) { swapped = swapped << 8 | (value >> (8u * i) & 0xffu); }
    return swapped;
}

summed_PLAIN int64_t summed_sign(uint64_t value, uint32_t bits) {
    uint64_t top = (uint64_t)1 << (bits - 1u);
    value &= (top << 1) - 1u;
    return (int64_t)((value ^ top) - top);
}

summed_PLAIN uint64_t summed_shl(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a << b; }
summed_PLAIN uint64_t summed_shr(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a >> b; }
/* Of a negative number the sign comes in from the left. */
summed_PLAIN int64_t summed_shr_signed(int64_t a, uint64_t b, uint32_t bits) {
    if (b >= bits) { return 0; }
    return a < 0 ? (int64_t)~(~(uint64_t)a >> b) : (int64_t)((uint64_t)a >> b);
}
summed_PLAIN uint64_t summed_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
summed_PLAIN uint64_t summed_rem(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
summed_PLAIN int64_t summed_div_signed(int64_t a, int64_t b) {
    return b == 0 ? 0 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
summed_PLAIN int64_t summed_rem_signed(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

summed_PLAIN uint64_t summed_fold16(uint64_t sum) {
    while (sum >> 16) { sum = (sum & 0xffffu) + (sum >> 16); }
    return ~sum & 0xffffu;
}

summed_PLAIN uint32_t summed_count(const uint64_t *words, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t w = words[i]; w != 0; w &= w - 1u) { count++; }
    }
    return count;
}

/* The lowest element, 0 if there is none. */
summed_PLAIN uint32_t summed_first(const uint64_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t bit = 0; words[i] != 0 && bit < 64u; bit++) {
            if (words[i] >> bit & 1u) { return 64u * i + bit; }
        }
    }
    return 0;
}

/* The lowest slot that is free, n if none is. */
summed_PLAIN uint32_t summed_lowest_free(const uint64_t *used, uint32_t n) {
    uint32_t slot = 0;
    while (slot < n && (used[slot / 64u] >> (slot % 64u) & 1u)) { slot++; }
    return slot;
}

summed_INLINE bool summed_has(const uint64_t *used, uint32_t slot) { return used[slot / 64u] >> (slot % 64u) & 1u; }
/* The bits of `count` slots from `first` on, around the end of so many; `slots` is a power of two of at most 64. */
summed_INLINE uint64_t summed_around(uint32_t first, uint32_t count, uint32_t slots) {
    uint64_t bits = count >= 64u ? UINT64_MAX : ((uint64_t)1 << count) - 1u;
    if (slots == 64u) { return bits << first | bits >> (-first & 63u); }
    return (bits << first | bits << first >> slots) & (((uint64_t)1 << (slots & 63u)) - 1u);
}

summed_INLINE void summed_mark(uint64_t *used, uint32_t slot) { used[slot / 64u] |= (uint64_t)1 << (slot % 64u); }
summed_INLINE void summed_unmark(uint64_t *used, uint32_t slot) { used[slot / 64u] &= ~((uint64_t)1 << (slot % 64u)); }

/* SplitMix64, and the high half of a product: a number below `below`. */
summed_PLAIN uint64_t summed_random(uint64_t *state, uint64_t below) {
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
summed_INLINE void summed_back(struct summed_step *step, const struct summed_step *aside) {
    step->kept = aside->kept;
    step->held = aside->held;

    step->outputs = aside->outputs;
    step->segments = aside->segments;
    step->bytes = aside->bytes;
    step->impossible = aside->impossible;
}

/* ---- bytes of messages: a run of pool blocks, the bytes that came with this call, bytes made in this call, or a rope ---- */

#define summed_SHORT(b) ((b).block - 1u < 0xffffu) /* in one block of the pool: its number */
#define summed_LONG 0x100000u /* in several blocks of the pool: with the number of the first */
#define summed_IN 0x10000u   /* lent by the caller of this step */
#define summed_MADE 0x20000u /* in out->bytes */
#define summed_TEMP 0x40000u /* in step->temp, for one statement */
#define summed_ROPE 0x80000000u

/* Of variable length: a few moves for what is short. */
summed_INLINE void summed_copy(uint8_t *to, const uint8_t *from, uint32_t n) {
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
summed_INLINE uint32_t summed_span(uint32_t number, uint32_t offset, uint32_t len) {
    return offset + len > summed_BLOCK ? number | summed_LONG : number;
}

summed_INLINE struct summed_block *summed_block(struct summed_pool *pool, uint32_t number) {
    return &pool->block[number - 1u];
}

/* For a call that seldom happens: so the bytes need not be in memory before. */
#define summed_COPY(b) ((struct summed_bytes){.block = (b).block, .offset = (b).offset, .len = (b).len})

/* The number of a fresh block. The step was admitted, so there is one; 0: a bound was wrong, and the bytes are lost. */
summed_INLINE uint32_t summed_take_block(struct summed_pool *pool) {
    if (summed_UNLIKELY(pool->free == 0)) { return 0; }
    uint32_t number = pool->first;
    struct summed_block *block = summed_block(pool, number);
    pool->first = block->after;
    pool->free--;
    block->references = 1;
    block->next = 0;
    return number;
}

/* Freed blocks go to the end of the queue, so that none is used again in the step that freed it: what it lent stays as it is. */
summed_INLINE void summed_free_block(struct summed_pool *pool, uint32_t number) {
    if (summed_UNLIKELY(pool->free++ == 0)) {
        pool->first = number;
    } else {
        summed_block(pool, pool->last)->after = (uint16_t)number;
    }
    pool->last = number;
}

summed_INLINE void summed_leave_block(struct summed_pool *pool, uint32_t number) {
    if (--pool->block[number - 1u].references == 0) { summed_free_block(pool, number); }
}


summed_COLD void summed_share_long(struct summed_pool *pool, struct summed_bytes b) {

    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
        summed_block(pool, number)->references++;
        if (end <= summed_BLOCK) { return; }
        end -= summed_BLOCK;
        number = summed_block(pool, number)->next;
    }
}

summed_COLD void summed_drop_long(struct summed_pool *pool, struct summed_bytes b) {

    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
        uint32_t next = summed_block(pool, number)->next;
        summed_leave_block(pool, number);
        if (end <= summed_BLOCK) { return; }
        end -= summed_BLOCK;
        number = next;
    }
}

/* One more reference to the same bytes. */
summed_INLINE void summed_share(struct summed_pool *pool, struct summed_bytes b) {
    if (summed_SHORT(b)) {
        summed_block(pool, b.block)->references++;
    } else if (summed_UNLIKELY((b.block & (summed_LONG | summed_ROPE)) != 0)) {
        summed_share_long(pool, summed_COPY(b));
    }
}

summed_INLINE void summed_drop(struct summed_pool *pool, struct summed_bytes b) {
    if (summed_SHORT(b)) {
        summed_leave_block(pool, b.block);
    } else if (summed_UNLIKELY((b.block & (summed_LONG | summed_ROPE)) != 0)) {
        summed_drop_long(pool, summed_COPY(b));
    }
}

/* The bytes at `at` and how many stand there in one run. */
summed_PLAIN const uint8_t *summed_run(const struct summed_step *step, struct summed_bytes b, uint32_t at, uint32_t *n) {
    uint32_t left = b.len - at;
    at += b.offset;

    *n = left;
    if (b.block == summed_IN) { return step->in + at; }
    if (b.block == summed_MADE) { return step->out->bytes + at; }
    if (b.block == summed_TEMP) { return step->more->temp + at; }
    uint32_t number = b.block & 0xffffu;
    for (; at >= summed_BLOCK; at -= summed_BLOCK) { number = summed_block(step->pool, number)->next; }
    if (left > summed_BLOCK - at) { *n = summed_BLOCK - at; }
    return summed_block(step->pool, number)->bytes + at;
}

/* Room in out->bytes for bytes that are made; none left: the bound was wrong, which is counted. */
summed_PLAIN bool summed_can_make(struct summed_step *step, uint32_t n) {
    if (summed_UNLIKELY(n > step->out->bytes_max - step->bytes)) {
        step->counters[summed_BROKEN]++;
        return false;
    }
    return true;
}

summed_PLAIN void summed_read(const struct summed_step *step, struct summed_bytes b, uint8_t *to) {
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = summed_run(step, b, at, &n);
        memcpy(to + at, from, n);
    }
}

summed_PLAIN uint8_t summed_byte(const struct summed_step *step, struct summed_bytes b, uint64_t at) {
    uint32_t n;
    return at < b.len ? *summed_run(step, b, (uint32_t)at, &n) : 0;
}

/* A copy in as many blocks as it takes. */
summed_COLD uint32_t summed_keep_whole(struct summed_step *step, const uint8_t *from, uint32_t len) {
    if (summed_UNLIKELY(len / summed_BLOCK + (len % summed_BLOCK != 0) > step->pool->free)) {
        step->counters[summed_BROKEN]++;
        return 0;
    }
    uint32_t first = 0, last = 0;
    for (uint32_t at = 0; at < len; at += summed_BLOCK) {
        uint32_t number = summed_take_block(step->pool);
        memcpy(summed_block(step->pool, number)->bytes, from + at, len - at < summed_BLOCK ? len - at : summed_BLOCK);
        if (first == 0) {
            first = number;
        } else {
            summed_block(step->pool, last)->next = (uint16_t)number;
        }
        last = number;
    }
    return first;
}


summed_COLD struct summed_bytes summed_keep_made(struct summed_step *step, struct summed_bytes b) {

    if (b.block & summed_LONG) { return b; }
    uint32_t first = summed_keep_whole(step, step->out->bytes + b.offset, b.len);
    b.block = first != 0 ? summed_span(first, 0, b.len) : 0;
    b.offset = 0;
    if (first == 0) { b.len = 0; }
    return b;
}

/* Bytes of this call that take several blocks: the step holds them, so that parts can be shared. */
summed_COLD struct summed_bytes summed_keep_long(struct summed_step *step, struct summed_bytes b) {
    if (!step->held) {
        step->kept = summed_keep_whole(step, step->in, step->in_len);
        step->held = step->kept != 0;
    }
    uint32_t number = step->kept;
    if (number == 0) { return (struct summed_bytes){.block = 0}; }
    for (; b.offset >= summed_BLOCK; b.offset -= summed_BLOCK) { number = summed_block(step->pool, number)->next; }
    b.block = summed_span(number, b.offset, b.len);
    summed_share(step->pool, b);
    return b;
}

/* The same bytes, in the pool: what is stored must outlive the step. The bytes of this call go there as a whole, and again only
 * if the block was let go meanwhile: no block is used again in the step that freed it. */
summed_INLINE struct summed_bytes summed_keep(struct summed_step *step, struct summed_bytes b) {
    if (b.block == summed_IN) {
        if (summed_UNLIKELY(b.len == 0)) { return (struct summed_bytes){.block = 0}; }
        if (summed_UNLIKELY(step->in_len > summed_BLOCK)) { return summed_keep_long(step, summed_COPY(b)); }
        if (summed_UNLIKELY(step->kept != 0) && summed_block(step->pool, step->kept)->references > 0) {
            summed_block(step->pool, step->kept)->references++;
        } else {
            step->kept = summed_take_block(step->pool);
            if (summed_UNLIKELY(step->kept == 0)) {
                step->counters[summed_BROKEN]++;
                return (struct summed_bytes){.block = 0};
            }
            summed_copy(summed_block(step->pool, step->kept)->bytes, step->in, step->in_len);
        }
        b.block = step->kept;
    } else if (summed_UNLIKELY(b.block > 0xffffu)) {
        b = summed_keep_made(step, summed_COPY(b));
    }
    return b;
}


/* Bytes `at .. at + n`, clamped; a reference of its own. */
summed_PLAIN struct summed_bytes summed_slice(struct summed_step *step, struct summed_bytes b, uint64_t at, uint64_t n) {
    uint32_t from = at < b.len ? (uint32_t)at : b.len;
    uint32_t len = n < b.len - from ? (uint32_t)n : b.len - from;
    if (len == 0) { return (struct summed_bytes){.block = 0}; }

    b.offset += from;
    b.len = len;
    if (summed_SHORT(b) || b.block & summed_LONG) {
        uint32_t number = b.block & 0xffffu;
        for (; b.offset >= summed_BLOCK; b.offset -= summed_BLOCK) { number = summed_block(step->pool, number)->next; }
        b.block = summed_span(number, b.offset, b.len);
        summed_share(step->pool, b);
    }
    return b;
}

summed_PLAIN struct summed_bytes summed_rest(struct summed_step *step, struct summed_bytes b, uint64_t n) {
    struct summed_bytes rest = summed_slice(step, b, n, UINT32_MAX);
    summed_drop(step->pool, b);
    return rest;
}

/* Bytes made in this step begin at `from` in out->bytes. */
summed_PLAIN struct summed_bytes summed_made(const struct summed_step *step, uint32_t from) {
    uint32_t len = step->bytes - from;
    return (struct summed_bytes){.block = len ? summed_MADE : 0, .offset = len ? from : 0, .len = len};
}


/* ---- what leaves the stack ---- */

summed_COLD void summed_long_segments(struct summed_step *step, struct nacre_output *output, struct summed_bytes b) {
    struct nacre_out *out = step->out;
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = summed_run(step, b, at, &n);
        if (step->segments == out->segments_max) {
            step->counters[summed_BROKEN]++;
            return;
        }
        out->segments[step->segments++] = (struct nacre_segment){.at = from, .len = n, .reserved = 0};
        output->segments_len++;
        output->len += n;
    }
}

/* Adds the bytes of a message to an output and lets the message go: a block that is freed now is not used before the next call. */
summed_INLINE void summed_segments(struct summed_step *step, struct nacre_output *output, struct summed_bytes b) {
    struct nacre_out *out = step->out;
    const uint8_t *from;
    if (b.len == 0) { return; }
    if (summed_LIKELY(b.block == summed_IN)) {
        from = step->in + b.offset;
    } else if (summed_LIKELY(summed_SHORT(b))) {
        from = summed_block(step->pool, b.block)->bytes + b.offset;
    } else {
        summed_long_segments(step, output, b);
        summed_drop(step->pool, b);
        return;
    }
    if (summed_UNLIKELY(step->segments == out->segments_max)) {
        step->counters[summed_BROKEN]++;
    } else {
        struct nacre_segment *segment = &out->segments[step->segments++];
        segment->at = from;
        segment->len = b.len;
        output->segments_len++;
        output->len += b.len;
    }
    summed_drop(step->pool, b);
}

/* The next output; none, where the bound was wrong. */
summed_INLINE struct nacre_output *summed_output(struct summed_step *step, uint16_t port, uint16_t event) {
    struct nacre_out *out = step->out;
    if (summed_UNLIKELY(step->outputs == out->outputs_max)) {
        step->counters[summed_BROKEN]++;
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
summed_INLINE void summed_quick_segments(struct summed_step *step, struct nacre_output *output, const uint8_t *head, uint32_t size, struct summed_bytes b) {
    struct nacre_segment *segment = &step->out->segments[step->segments];
    uint32_t n = head != NULL && size > 0;
    output->segments = segment;
    if (n > 0) {
        segment[0].at = head;
        segment[0].len = size;
    }
    if (summed_LIKELY(b.len > 0)) {
        if (summed_LIKELY(b.block == summed_IN)) {
            segment[n].at = step->in + b.offset;
        } else if (summed_LIKELY(summed_SHORT(b))) {
            struct summed_block *block = summed_block(step->pool, b.block);
            segment[n].at = block->bytes + b.offset;
            if (--block->references == 0) { summed_free_block(step->pool, b.block); }
        } else {
            output->len = size;
            output->segments_len = n;
            step->segments += n;
            summed_long_segments(step, output, summed_COPY(b));
            summed_drop(step->pool, b);
            return;
        }
        segment[n].len = b.len;
        n++;
    }
    output->len = size + b.len;
    output->segments_len = n;
    step->segments += n;
}

/* Whether the caller's arrays hold what a step can make. */
summed_INLINE bool summed_room(const struct nacre_out *out) {
    return out->outputs_max >= summed_OUTPUTS && out->segments_max >= summed_SEGMENTS && out->bytes_max >= summed_BYTES;
}

/* A call that had no effect. */
summed_INLINE int summed_nothing(struct nacre_out *out, int result) {
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    return result;
}

/* Whether the pool has what a step may take, beyond `extra` for nothing: `copies` of the message. */
summed_INLINE bool summed_space(const struct summed_pool *pool, uint32_t copies, uint32_t extra, uint32_t len) {
    if (summed_LIKELY(len - 1u < summed_BLOCK)) { return copies + extra <= pool->free; }
    return (uint64_t)copies * (len / summed_BLOCK + (len % summed_BLOCK != 0)) + extra <= pool->free;
}

/* An armed timer is its deadline plus one; what is too far away is as far as can be said. */
summed_INLINE uint64_t summed_after(uint64_t now, uint64_t delay) {
    uint64_t armed = now + delay + 1u;
    return summed_UNLIKELY(armed <= now) ? UINT64_MAX : armed;
}

summed_PLAIN uint8_t summed_addr_byte(const struct nacre_addr *a, uint64_t i) {
    return i < 16u ? a->ip[i] : (uint8_t)((i < 18u ? a->port : a->family) >> (8u * (i & 1u)));
}

summed_PLAIN uint32_t summed_count_in(uint64_t word) { return summed_count(&word, 1); }
summed_PLAIN uint32_t summed_first_in(uint64_t word) { return summed_first(&word, 1); }

/* Bytes in one run: copied to where things are made, if they are not. */
summed_PLAIN const uint8_t *summed_flat(struct summed_step *step, struct summed_bytes b) {
    uint32_t n = 0;
    if (b.len == 0) { return step->out->bytes; }
    const uint8_t *from = summed_run(step, b, 0, &n);
    if (n == b.len) { return from; }
    if (!summed_can_make(step, b.len)) { return from; }
    uint8_t *to = step->out->bytes + step->bytes;
    summed_read(step, b, to);
    step->bytes += b.len;
    return to;
}

/* ---- the state as bytes ---- */

struct summed_teller {
    const struct summed_step *step;
    uint8_t *to;
    uint32_t max, len;
};

summed_PLAIN void summed_tell(struct summed_teller *t, uint64_t value, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, t->len++) {
        if (t->len < t->max) { t->to[t->len] = (uint8_t)(value >> (8u * i)); }
    }
}

summed_PLAIN void summed_tell_bytes(struct summed_teller *t, const uint8_t *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, t->len++) {
        if (t->len < t->max) { t->to[t->len] = from[i]; }
    }
}

summed_PLAIN void summed_tell_message(struct summed_teller *t, struct summed_bytes b, bool data) {
    summed_tell(t, b.len, 4);
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = summed_run(t->step, b, at, &n);
        summed_tell_bytes(t, from, n);
    }
    summed_tell(t, data, 1);
}

summed_PLAIN void summed_floor_down_close(struct summed_step *step);
summed_PLAIN void summed_floor_up_deliver(struct summed_step *step, struct nacre_addr from, struct summed_msg_floor m);
summed_PLAIN void summed_floor_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_floor_up_init(struct summed_step *step);
summed_PLAIN void summed_floor_down_send(struct summed_step *step, struct summed_msg_floor m);
summed_PLAIN void summed_floor_up_unknown(struct summed_step *step);
summed_PLAIN void summed_floor_confirm(struct summed_step *step);
summed_PLAIN void summed_on_floor_down_close(struct summed_step *step);
summed_PLAIN void summed_on_floor_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_on_floor_down_send(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_on_floor_up_deliver_Identified(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check);
summed_PLAIN void summed_on_floor_up_deliver_Short(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to);
summed_PLAIN void summed_on_floor_up_init(struct summed_step *step);
summed_PLAIN void summed_on_floor_up_unknown(struct summed_step *step);
summed_PLAIN void summed_crc32c_down_close(struct summed_step *step);
summed_PLAIN void summed_crc32c_up_closed(struct summed_step *step, uint8_t why);
summed_PLAIN void summed_crc32c_up_deliver(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_crc32c_up_init(struct summed_step *step);
summed_PLAIN void summed_crc32c_up_open(struct summed_step *step, struct nacre_addr from);
summed_PLAIN void summed_crc32c_down_send(struct summed_step *step, struct summed_msg_crc32c m);
summed_PLAIN void summed_on_crc32c_down_close(struct summed_step *step);
summed_PLAIN void summed_on_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n);
summed_PLAIN void summed_on_crc32c_down_send(struct summed_step *step, struct summed_msg m);
summed_PLAIN void summed_on_crc32c_up_closed(struct summed_step *step, uint8_t why);
summed_PLAIN void summed_on_crc32c_up_deliver_Sum(struct summed_step *step, struct summed_msg m, uint32_t sum);
summed_PLAIN void summed_on_crc32c_up_init(struct summed_step *step);
summed_PLAIN void summed_on_crc32c_up_open(struct summed_step *step, struct nacre_addr from);

/* Short Sum: 8 bytes, then 0 to 65459 of data */
summed_INLINE bool summed_shape_0_0(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (!(len - 8u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 1;
    m->crc32c = 1;
    {
        uint64_t value = (summed_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 4, 4u);
        m->crc32c_sum = (uint32_t)value;
    }
    return true;
}

/* Identified Sum: 48 bytes, then 0 to 65459 of data */
summed_INLINE bool summed_shape_0_1(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (!(len - 48u <= 65459u)) { return false; }
    m->data = true;
    m->floor = 2;
    m->crc32c = 1;
    {
        uint64_t value = (summed_get(at + 1, 4u) & 0xffffffu);
        m->floor_to = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 4, 8u);
        m->floor_stack = value;
    }
    {
        uint64_t value = summed_get(at + 12, 4u);
        m->floor_from = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 16, 8u);
        m->floor_identity = value;
    }
    {
        uint64_t value = summed_get(at + 24, 8u);
        m->floor_peer_identity = value;
    }
    {
        uint64_t value = summed_get(at + 32, 8u);
        m->floor_incarnation = value;
    }
    {
        uint64_t value = summed_get(at + 40, 4u);
        m->floor_check = (uint32_t)value;
    }
    {
        uint64_t value = summed_get(at + 44, 4u);
        m->crc32c_sum = (uint32_t)value;
    }
    return true;
}

summed_PLAIN uint32_t summed_parse_0(const uint8_t *at, uint32_t len, struct summed_msg_floor *m) {
    if (len == 0) { return UINT32_MAX; }
    uint32_t shape = at[0];
    switch (shape) {
        case 0: return summed_shape_0_0(at, len, m) ? 8u : UINT32_MAX;
        case 1: return summed_shape_0_1(at, len, m) ? 48u : UINT32_MAX;
        default: return UINT32_MAX;
    }
}

/* Where reading is in a row of pieces. */
struct summed_reader { const struct summed_bytes *piece, *end; uint32_t at; };
summed_PLAIN const uint8_t *summed_next_run(const struct summed_step *step, struct summed_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = summed_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}

summed_PLAIN uint32_t summed_filter_0_castagnoli(struct summed_step *step, const struct summed_bytes *pieces, uint32_t count, bool *accepted_2) {
    uint32_t crc = 0xffffffffu;
    (void)crc;
    const uint32_t made_from_2 = step->bytes;
    *accepted_2 = true;
    struct summed_reader reader = {pieces, pieces + count, 0};
    const uint8_t *bytes_2 = NULL;
    for (uint32_t run_2 = 0; run_2 > 0 || (bytes_2 = summed_next_run(step, &reader, &run_2)) != NULL;) {
        uint64_t unit_2 = *bytes_2++;
        run_2--;
        uint8_t b = (uint8_t)(unit_2);
        (void)b;
        crc = (crc ^ (uint32_t)b);
        const uint64_t from = 0u;
        const uint64_t to = 2u;
        const uint64_t left = to > from ? to - from : 0;
        for (uint64_t turn = 0; turn < left; turn++) {
            if (summed_UNLIKELY(turn == 2u)) {
                step->counters[summed_BOUND]++;
                break;
            }
            uint8_t t2 = (uint8_t)((from + turn));
            (void)t2;
            uint32_t remainder = 0u;
            uint32_t t4 = (crc & 15u);
            if (t4 == 0u) {
                remainder = 0u;
            } else {
                if (t4 == 1u) {
                    remainder = 0x105ec76fu;
                } else {
                    if (t4 == 2u) {
                        remainder = 0x20bd8edeu;
                    } else {
                        if (t4 == 3u) {
                            remainder = 0x30e349b1u;
                        } else {
                            if (t4 == 4u) {
                                remainder = 0x417b1dbcu;
                            } else {
                                if (t4 == 5u) {
                                    remainder = 0x5125dad3u;
                                } else {
                                    if (t4 == 6u) {
                                        remainder = 0x61c69362u;
                                    } else {
                                        if (t4 == 7u) {
                                            remainder = 0x7198540du;
                                        } else {
                                            if (t4 == 8u) {
                                                remainder = 0x82f63b78u;
                                            } else {
                                                if (t4 == 9u) {
                                                    remainder = 0x92a8fc17u;
                                                } else {
                                                    if (t4 == 10u) {
                                                        remainder = 0xa24bb5a6u;
                                                    } else {
                                                        if (t4 == 11u) {
                                                            remainder = 0xb21572c9u;
                                                        } else {
                                                            if (t4 == 12u) {
                                                                remainder = 0xc38d26c4u;
                                                            } else {
                                                                if (t4 == 13u) {
                                                                    remainder = 0xd3d3e1abu;
                                                                } else {
                                                                    if (t4 == 14u) {
                                                                        remainder = 0xe330a81au;
                                                                    } else {
                                                                        remainder = 0xf36e6f75u;
                                                                    }
                                                                }
                                                            }
                                                        }
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
            crc = ((crc >> 4u) ^ remainder);
        }
    }
    (void)made_from_2;
    return (crc ^ 0xffffffffu);
}

summed_PLAIN uint32_t summed_head_1(struct summed_msg_crc32c m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.crc32c) {
        case 3: /* Sum */
            summed_put(to + 0, (uint64_t)m.crc32c_sum, 4u);
            return 4u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_view_packed_1(struct summed_step *step, struct summed_msg_crc32c m, uint32_t temp, struct summed_bytes pieces[2]) {
    const uint32_t size = summed_head_1(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[summed_BROKEN]++; }
    pieces[0] = fits && size ? (struct summed_bytes){.block = summed_TEMP, .offset = temp, .len = size} : (struct summed_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct summed_bytes){.block = 0};
}

summed_PLAIN uint32_t summed_head_2(struct summed_msg m, uint8_t *to) {
    switch ((uint32_t)m.data) {
        case 1: /*  */
            return 0u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_view_packed_2(struct summed_step *step, struct summed_msg m, uint32_t temp, struct summed_bytes pieces[2]) {
    const uint32_t size = summed_head_2(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[summed_BROKEN]++; }
    pieces[0] = fits && size ? (struct summed_bytes){.block = summed_TEMP, .offset = temp, .len = size} : (struct summed_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct summed_bytes){.block = 0};
}

summed_PLAIN void summed_out_above_up_deliver(struct summed_step *step, struct summed_msg m) {
    struct nacre_output *output = summed_output(step, 1, 7);
    if (summed_UNLIKELY(output == NULL)) {
        summed_drop(step->pool, m.bytes);
        return;
    }
    output->segments = step->out->segments + step->segments;
    summed_segments(step, output, m.bytes);
}

summed_PLAIN void summed_out_above_up_open(struct summed_step *step, struct nacre_addr from) {
    struct nacre_output *output = summed_output(step, 1, 9);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
    output->address = from;
}

summed_PLAIN void summed_out_above_up_closed(struct summed_step *step, uint8_t why) {
    struct nacre_output *output = summed_output(step, 1, 10);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
    output->arguments[0] = (uint64_t)why;
}

summed_PLAIN uint32_t summed_head_0_send(struct summed_msg_floor m, uint8_t *to) {
    switch ((uint32_t)m.data + 2u * m.floor + 6u * m.crc32c) {
        case 9: /* Short Sum */
            summed_put(to + 0, (uint64_t)m.floor_to << 8 | (uint64_t)m.crc32c_sum << 32, 8u);
            return 8u;

        case 11: /* Identified Sum */
            summed_put(to + 0, 1u | (uint64_t)m.floor_to << 8 | (uint64_t)m.floor_stack << 32, 8u);
            summed_put(to + 8, (uint64_t)m.floor_stack >> 32 | (uint64_t)m.floor_from << 32, 8u);
            summed_put(to + 16, (uint64_t)m.floor_identity, 8u);
            summed_put(to + 24, (uint64_t)m.floor_peer_identity, 8u);
            summed_put(to + 32, (uint64_t)m.floor_incarnation, 8u);
            summed_put(to + 40, (uint64_t)m.floor_check | (uint64_t)m.crc32c_sum << 32, 8u);
            return 48u;

        default: break;
    }
    (void)to;
    return UINT32_MAX;
}

summed_PLAIN void summed_out_below_down_send(struct summed_step *step, struct nacre_addr to, struct summed_msg_floor m) {
    uint8_t *head = step->out->bytes + step->bytes;
    uint32_t size = summed_can_make(step, 48u) ? summed_head_0_send(m, head) : UINT32_MAX;
    if (summed_UNLIKELY(size == UINT32_MAX)) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_BROKEN]++;
        return;
    }
    struct nacre_output *output = summed_output(step, 0, 3);
    if (summed_UNLIKELY(output == NULL)) {
        summed_drop(step->pool, m.bytes);
        return;
    }
    output->address = to;
    output->segments = step->out->segments + step->segments;
    if (size > 0) {
        if (summed_UNLIKELY(step->segments == step->out->segments_max)) {
            step->counters[summed_BROKEN]++;
        } else {
            struct nacre_segment *segment = &step->out->segments[step->segments++];
            segment->at = head;
            segment->len = size;
            output->segments_len = 1;
            output->len = size;
            step->bytes += size;
        }
    }
    summed_segments(step, output, m.bytes);
}

summed_PLAIN void summed_out_above_up_init(struct summed_step *step) {
    struct nacre_output *output = summed_output(step, 1, 8);
    if (summed_UNLIKELY(output == NULL)) {
        return;
    }
}

/* floor takes close */
summed_PLAIN void summed_floor_down_close(struct summed_step *step) {
    summed_on_floor_down_close(step);
}

/* floor takes deliver */
summed_PLAIN void summed_floor_up_deliver(struct summed_step *step, struct nacre_addr from, struct summed_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            summed_on_floor_up_deliver_Short(step, from, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum}, m.floor_to);
            break;

        case 2: /* Identified */
            summed_on_floor_up_deliver_Identified(step, from, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum}, m.floor_to, m.floor_stack, m.floor_from, m.floor_identity, m.floor_peer_identity, m.floor_incarnation, m.floor_check);
            break;

        default:
            (void)from;
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

    }
}

/* floor takes grant_delivers */
summed_PLAIN void summed_floor_down_grant_delivers(struct summed_step *step, uint16_t n) {
    summed_on_floor_down_grant_delivers(step, n);
}

/* floor takes init */
summed_PLAIN void summed_floor_up_init(struct summed_step *step) {
    summed_on_floor_up_init(step);
}

/* floor takes send */
summed_PLAIN void summed_floor_down_send(struct summed_step *step, struct summed_msg_floor m) {
    switch (m.floor) {
        case 1: /* Short */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        case 2: /* Identified */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        default:
            summed_on_floor_down_send(step, (struct summed_msg_crc32c){.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum});
            break;

    }
}

/* floor takes unknown */
summed_PLAIN void summed_floor_up_unknown(struct summed_step *step) {
    summed_on_floor_up_unknown(step);
}

/* floor.confirm */
summed_PLAIN void summed_floor_confirm(struct summed_step *step) {
#line 88 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = true;
    if (!step->s->floor.opened) {
        step->s->floor.opened = true;
#line 92 "tests/golden/summed/../../../layers/floor/floor.nacre"
        summed_crc32c_up_open(step, step->s->floor.peer);
    }
#line 994 "summed.c"
}

/* floor.down.close */
summed_PLAIN void summed_on_floor_down_close(struct summed_step *step) {
#line 59 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
#line 59 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_closed(step, 0u);
#line 1003 "summed.c"
}

/* floor.down.grant_delivers */
summed_PLAIN void summed_on_floor_down_grant_delivers(struct summed_step *step, uint16_t n) {
#line 57 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)n;
    (void)step;
#line 1011 "summed.c"
}

/* floor.down.send */
summed_PLAIN void summed_on_floor_down_send(struct summed_step *step, struct summed_msg_crc32c m) {
#line 44 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    if (summed_LIKELY(step->s->floor.confirmed)) {
        struct summed_msg_floor carried = {.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum};
        carried.floor = 1;
        carried.floor_to = step->s->floor.theirs;
#line 46 "tests/golden/summed/../../../layers/floor/floor.nacre"
        summed_out_below_down_send(step, step->s->floor.peer, carried);
        return;
    }
    uint32_t from = step->s->floor.cookie;
    struct summed_bytes packed[2];
    summed_view_packed_1(step, m, 0u, packed);
    const uint64_t number = step->s->floor.theirs;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct summed_bytes view_2 = {.block = 3u ? summed_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct summed_bytes view_3 = {.block = 4u ? summed_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = step->s->floor.identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct summed_bytes view_4 = {.block = 8u ? summed_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = step->s->floor.peer_identity;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct summed_bytes view_5 = {.block = 8u ? summed_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = step->s->floor.incarnation;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct summed_bytes view_6 = {.block = 8u ? summed_TEMP : 0, .offset = 27u, .len = 8u};
    const struct summed_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t check = through;
    struct summed_msg_floor carried_2 = {.bytes = m.bytes, .data = m.data, .crc32c = m.crc32c, .crc32c_sum = m.crc32c_sum};
    carried_2.floor = 2;
    carried_2.floor_to = step->s->floor.theirs;
    carried_2.floor_stack = UINT64_C(0x2e919c3dae12aa6b);
    carried_2.floor_from = from;
    carried_2.floor_identity = step->s->floor.identity;
    carried_2.floor_peer_identity = step->s->floor.peer_identity;
    carried_2.floor_incarnation = step->s->floor.incarnation;
    carried_2.floor_check = check;
#line 52 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_out_below_down_send(step, step->s->floor.peer, carried_2);
#line 1069 "summed.c"
}

/* floor.up.deliver.Identified */
summed_PLAIN void summed_on_floor_up_deliver_Identified(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to, uint64_t spoken, uint32_t from_2, uint64_t name, uint64_t meant, uint64_t born, uint32_t check) {
#line 70 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_1(step, m, 0u, packed);
    const uint64_t number = to;
    for (uint32_t i = 0; i < 3u; i++) {
        step->more->temp[4u + i] = (uint8_t)(number >> (8u * i));
    }
    struct summed_bytes view_2 = {.block = 3u ? summed_TEMP : 0, .offset = 4u, .len = 3u};
    const uint64_t number_2 = from_2;
    for (uint32_t i = 0; i < 4u; i++) {
        step->more->temp[7u + i] = (uint8_t)(number_2 >> (8u * i));
    }
    struct summed_bytes view_3 = {.block = 4u ? summed_TEMP : 0, .offset = 7u, .len = 4u};
    const uint64_t number_3 = name;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[11u + i] = (uint8_t)(number_3 >> (8u * i));
    }
    struct summed_bytes view_4 = {.block = 8u ? summed_TEMP : 0, .offset = 11u, .len = 8u};
    const uint64_t number_4 = meant;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[19u + i] = (uint8_t)(number_4 >> (8u * i));
    }
    struct summed_bytes view_5 = {.block = 8u ? summed_TEMP : 0, .offset = 19u, .len = 8u};
    const uint64_t number_5 = born;
    for (uint32_t i = 0; i < 8u; i++) {
        step->more->temp[27u + i] = (uint8_t)(number_5 >> (8u * i));
    }
    struct summed_bytes view_6 = {.block = 8u ? summed_TEMP : 0, .offset = 27u, .len = 8u};
    const struct summed_bytes pieces[] = {packed[0], packed[1], view_2, view_3, view_4, view_5, view_6};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 7u, &accepted);
    uint32_t sum = through;
    bool damaged = ((((spoken != UINT64_C(0x2e919c3dae12aa6b)) || (check != sum)) || (from_2 == 0u)) || (0xffffffu < from_2));
    bool stranger = ((((step->s->floor.peer_identity != 0u) && (name != step->s->floor.peer_identity)) || ((meant != 0u) && (meant != step->s->floor.identity))) || ((to != 0u) && (to != step->s->floor.cookie)));
    bool another = ((step->s->floor.theirs != 0u) && ((from_2 != step->s->floor.theirs) || (born != step->s->floor.life)));
    if ((damaged || stranger) || another) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    step->s->floor.theirs = (uint32_t)(from_2 & 0xffffffu);
    step->s->floor.life = born;
    if ((to == step->s->floor.cookie) && !step->s->floor.confirmed) {
        summed_floor_confirm(step);
    }
#line 80 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_deliver(step, m);
#line 1124 "summed.c"
}

/* floor.up.deliver.Short */
summed_PLAIN void summed_on_floor_up_deliver_Short(struct summed_step *step, struct nacre_addr from, struct summed_msg_crc32c m, uint32_t to) {
#line 61 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)from;
    (void)step;
    if (summed_UNLIKELY((to != step->s->floor.cookie))) {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_IMPOSSIBLE]++;
        step->impossible = 1u;
        return;
    }
    if (summed_UNLIKELY(!step->s->floor.confirmed)) {
        if (step->s->floor.theirs == 0u) {
            summed_drop(step->pool, m.bytes);
            step->counters[summed_IMPOSSIBLE]++;
            step->impossible = 1u;
            return;
        }
        summed_floor_confirm(step);
    }
#line 67 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_deliver(step, m);
#line 1149 "summed.c"
}

/* floor.up.init */
summed_PLAIN void summed_on_floor_up_init(struct summed_step *step) {
#line 7 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
#line 7 "tests/golden/summed/../../../layers/floor/floor.nacre"
    summed_crc32c_up_init(step);
#line 1158 "summed.c"
}

/* floor.up.unknown */
summed_PLAIN void summed_on_floor_up_unknown(struct summed_step *step) {
#line 83 "tests/golden/summed/../../../layers/floor/floor.nacre"
    (void)step;
    step->s->floor.confirmed = false;
    step->counters[summed_COUNT_floor_unknown]++;
#line 1167 "summed.c"
}

/* crc32c takes close */
summed_PLAIN void summed_crc32c_down_close(struct summed_step *step) {
    summed_on_crc32c_down_close(step);
}

/* crc32c takes closed */
summed_PLAIN void summed_crc32c_up_closed(struct summed_step *step, uint8_t why) {
    summed_on_crc32c_up_closed(step, why);
}

/* crc32c takes deliver */
summed_PLAIN void summed_crc32c_up_deliver(struct summed_step *step, struct summed_msg_crc32c m) {
    switch (m.crc32c) {
        case 1: /* Sum */
            summed_on_crc32c_up_deliver_Sum(step, (struct summed_msg){.bytes = m.bytes, .data = m.data}, m.crc32c_sum);
            break;

        default:
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

    }
}

/* crc32c takes grant_delivers */
summed_PLAIN void summed_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n) {
    summed_on_crc32c_down_grant_delivers(step, n);
}

/* crc32c takes init */
summed_PLAIN void summed_crc32c_up_init(struct summed_step *step) {
    summed_on_crc32c_up_init(step);
}

/* crc32c takes open */
summed_PLAIN void summed_crc32c_up_open(struct summed_step *step, struct nacre_addr from) {
    summed_on_crc32c_up_open(step, from);
}

/* crc32c takes send */
summed_PLAIN void summed_crc32c_down_send(struct summed_step *step, struct summed_msg_crc32c m) {
    switch (m.crc32c) {
        case 1: /* Sum */
            summed_drop(step->pool, m.bytes);
            step->counters[summed_BROKEN]++;
            break;

        default:
            summed_on_crc32c_down_send(step, (struct summed_msg){.bytes = m.bytes, .data = m.data});
            break;

    }
}

/* crc32c.down.close */
summed_PLAIN void summed_on_crc32c_down_close(struct summed_step *step) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_floor_down_close(step);
#line 1231 "summed.c"
}

/* crc32c.down.grant_delivers */
summed_PLAIN void summed_on_crc32c_down_grant_delivers(struct summed_step *step, uint16_t n) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_floor_down_grant_delivers(step, n);
#line 1240 "summed.c"
}

/* crc32c.down.send */
summed_PLAIN void summed_on_crc32c_down_send(struct summed_step *step, struct summed_msg m) {
#line 14 "tests/golden/summed/source.nacre"
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_2(step, m, 0u, packed);
    const struct summed_bytes pieces[] = {packed[0], packed[1]};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 2u, &accepted);
    uint32_t sum = through;
    struct summed_msg_floor carried = {.bytes = m.bytes, .data = m.data};
    carried.crc32c = 1;
    carried.crc32c_sum = sum;
#line 16 "tests/golden/summed/source.nacre"
    summed_floor_down_send(step, carried);
#line 1258 "summed.c"
}

/* crc32c.up.closed */
summed_PLAIN void summed_on_crc32c_up_closed(struct summed_step *step, uint8_t why) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_closed(step, why);
#line 1267 "summed.c"
}

/* crc32c.up.deliver.Sum */
summed_PLAIN void summed_on_crc32c_up_deliver_Sum(struct summed_step *step, struct summed_msg m, uint32_t sum) {
#line 19 "tests/golden/summed/source.nacre"
    (void)step;
    struct summed_bytes packed[2];
    summed_view_packed_2(step, m, 0u, packed);
    const struct summed_bytes pieces[] = {packed[0], packed[1]};
    bool accepted = true;
    uint32_t through = summed_filter_0_castagnoli(step, pieces, 2u, &accepted);
    if (summed_LIKELY((sum == through))) {
#line 20 "tests/golden/summed/source.nacre"
        summed_out_above_up_deliver(step, m);
    } else {
        summed_drop(step->pool, m.bytes);
        step->counters[summed_COUNT_crc32c_damaged]++;
    }
#line 1286 "summed.c"
}

/* crc32c.up.init */
summed_PLAIN void summed_on_crc32c_up_init(struct summed_step *step) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_init(step);
#line 1295 "summed.c"
}

/* crc32c.up.open */
summed_PLAIN void summed_on_crc32c_up_open(struct summed_step *step, struct nacre_addr from) {
#line 6 "tests/golden/summed/source.nacre"
    (void)step;
#line 6 "tests/golden/summed/source.nacre"
    summed_out_above_up_open(step, from);
#line 1304 "summed.c"
}

summed_INLINE void summed_finish(struct summed_step *step) {
    if (summed_UNLIKELY(step->held)) {
        summed_drop_long(step->pool, (struct summed_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

void summed_config_default(struct summed_config *config) {
    memset(config, 0, sizeof *config);
    config->floor_identity = 0u;
    config->floor_peer_identity = 0u;
}

int summed_open(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, const struct summed_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!(config->floor_cookie <= 0xffffffu)) { return summed_nothing(out, NACRE_INVALID); }
    if (!summed_room(out)) { return summed_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    s->floor.peer = config->floor_peer;
    s->floor.cookie = config->floor_cookie;
    s->floor.identity = config->floor_identity;
    s->floor.peer_identity = config->floor_peer_identity;
    s->floor.incarnation = config->floor_incarnation;
    (void)seed;
    (void)config;
    summed_floor_up_init(step);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_below_unknown(const struct summed_step *step) {
    (void)step;
    return true;
}

int summed_below_unknown(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_floor_up_unknown(step);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_send(const struct summed_step *step, struct summed_msg_crc32c m) {
    (void)step;
    (void)m;
    if (summed_UNLIKELY(!(m.bytes.len <= 65459u))) { return false; }
    return true;
}

int summed_above_send(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len, .more = &more};
    struct summed_step *const step = &this_step;
    struct summed_msg_crc32c m = {.bytes = {.block = summed_IN, .offset = 0, .len = len}, .data = true};
    if (summed_UNLIKELY(!summed_admits_above_send(step, m))) {
        counters[summed_REFUSED]++;
        return summed_nothing(out, NACRE_REFUSED);
    }
    summed_crc32c_down_send(step, m);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_grant_delivers(const struct summed_step *step, uint16_t n) {
    (void)step;
    (void)n;
    return true;
}

int summed_above_grant_delivers(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint16_t n, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_crc32c_down_grant_delivers(step, n);
    summed_finish(step);
    return NACRE_OK;
}

summed_INLINE bool summed_admits_above_close(const struct summed_step *step) {
    (void)step;
    return true;
}

int summed_above_close(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    summed_crc32c_down_close(step);
    summed_finish(step);
    return NACRE_OK;
}

int summed_input(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) {
    if (summed_UNLIKELY(!summed_room(out))) { return summed_nothing(out, NACRE_INVALID); }
    struct summed_msg_floor whole = {.data = false};
    uint32_t size = summed_parse_0(frame, len, &whole);
    if (summed_UNLIKELY(size == UINT32_MAX)) {
        counters[summed_MALFORMED]++;
        return summed_nothing(out, NACRE_DROPPED);
    }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = frame + size, .in_len = len - size, .more = &more};
    struct summed_step *const step = &this_step;
    whole.bytes = (struct summed_bytes){.block = summed_IN, .offset = 0, .len = len - size};
    summed_floor_up_deliver(step, from == NULL ? (struct nacre_addr){.port = 0} : *from, whole);
    summed_finish(step);
    return summed_LIKELY(step->impossible == 0) ? NACRE_OK : NACRE_DROPPED;
}

struct summed_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
summed_PLAIN void summed_soonest(const struct summed_state *s, struct summed_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
}

int summed_tick(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct summed_due due = {.timer = 0};
    if (!summed_room(out)) { return summed_nothing(out, NACRE_INVALID); }
    summed_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return summed_nothing(out, NACRE_IDLE); }
    struct summed_more more;
    struct summed_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0, .more = &more};
    struct summed_step *const step = &this_step;
    switch (due.timer) {
        default: break;
    }
    summed_finish(step);
    return NACRE_OK;
}

uint64_t summed_deadline(const struct summed_state *s) {
    struct summed_due due = {.timer = 0};
    summed_soonest(s, &due);
    return due.deadline;
}

int summed_call(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* below_unknown */
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_below_unknown(s, pool, counters, now, out);
        }
        case 4: { /* above_send */
            return summed_above_send(s, pool, counters, now, data, len, out);
        }
        case 5: { /* above_grant_delivers */
            if (arguments == NULL) { return summed_nothing(out, NACRE_INVALID); }
            if (arguments[0] > 65535u) { return summed_nothing(out, NACRE_INVALID); }
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_above_grant_delivers(s, pool, counters, now, (uint16_t)arguments[0], out);
        }
        case 6: { /* above_close */
            if (len != 0) { return summed_nothing(out, NACRE_INVALID); }
            return summed_above_close(s, pool, counters, now, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return summed_nothing(out, NACRE_INVALID);

    }
}

bool summed_accepts(const struct summed_state *s, const struct summed_pool *pool, uint32_t event, uint32_t len) {
    struct summed_step this_step = {.s = (struct summed_state *)(uintptr_t)s, .pool = (struct summed_pool *)(uintptr_t)pool, .in_len = len};
    struct summed_step *const step = &this_step;
    switch (event) {
        case 2: return summed_admits_below_unknown(step) && summed_space(pool, 0u, 0u, len);
        case 4: return summed_admits_above_send(step, (struct summed_msg_crc32c){.bytes = {.len = len}, .data = true}) && summed_space(pool, 0u, 0u, len);
        case 5: return summed_admits_above_grant_delivers(step, 0) && summed_space(pool, 0u, 0u, len);
        case 6: return summed_admits_above_close(step) && summed_space(pool, 0u, 0u, len);
        default: return false;
    }
}

void summed_discard(struct summed_state *s, struct summed_pool *pool) {
    (void)pool;
    memset(s, 0, sizeof *s);
}

void summed_pool_init(struct summed_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->free = pool->last = blocks;
    pool->first = 1;
    pool->node = 0;
    for (uint32_t i = 0; i < blocks; i++) {
        memset(&pool->block[i], 0, sizeof pool->block[i]);
        pool->block[i].after = (uint16_t)(i + 2u);
    }
}

uint32_t summed_pool_free(const struct summed_pool *pool) { return pool->free; }

void summed_settle(struct summed_state *s, struct summed_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

uint32_t summed_canonical(const struct summed_state *s, const struct summed_pool *pool, uint8_t *to, uint32_t max) {
    struct summed_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct summed_pool *)(uintptr_t)pool;
    struct summed_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    summed_tell(t, (uint64_t)s->floor.theirs, 8);
    summed_tell(t, s->floor.life, 8);
    summed_tell(t, (uint64_t)s->floor.confirmed, 8);
    summed_tell(t, (uint64_t)s->floor.opened, 8);
    summed_tell(t, 0, 4);
    return teller.len;
}

/* ---- for drivers of any stack ---- */

static void summed_any_config_default(void *config) { summed_config_default(config); }
static void summed_any_pool_init(void *pool, uint32_t blocks) { summed_pool_init(pool, blocks); }
static uint32_t summed_any_pool_free(const void *pool) { return summed_pool_free(pool); }
static int summed_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return summed_open(s, pool, counters, config, seed, now, out); }
static int summed_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return summed_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int summed_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return summed_input(s, pool, counters, now, from, frame, len, out); }
static int summed_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return summed_tick(s, pool, counters, now, out); }
static uint64_t summed_any_deadline(const void *s) { return summed_deadline(s); }
static bool summed_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return summed_accepts(s, pool, event, len); }
static void summed_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { summed_settle(s, pool, counters, out); }
static void summed_any_discard(void *s, void *pool) { summed_discard(s, pool); }
static uint32_t summed_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return summed_canonical(s, pool, to, max); }

static const char *const summed_counter_names[] = {
    "malformed",
    "impossible",
    "no_space",
    "refused",
    "bound",
    "broken",
    "floor.unknown",
    "crc32c.damaged",
};
static const struct nacre_event summed_events[] = {
    {.name = "deliver", .port = 0, .input = 0, .has_message = 1, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "init", .port = 0, .input = 0, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "unknown", .port = 0, .input = 1, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "send", .port = 0, .input = 0, .has_message = 1, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "send", .port = 1, .input = 1, .has_message = 1, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "grant_delivers", .port = 1, .input = 1, .has_message = 0, .has_address = 0, .arguments = 1, .reserved = 0},
    {.name = "close", .port = 1, .input = 1, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "deliver", .port = 1, .input = 0, .has_message = 1, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "init", .port = 1, .input = 0, .has_message = 0, .has_address = 0, .arguments = 0, .reserved = 0},
    {.name = "open", .port = 1, .input = 0, .has_message = 0, .has_address = 1, .arguments = 0, .reserved = 0},
    {.name = "closed", .port = 1, .input = 0, .has_message = 0, .has_address = 0, .arguments = 1, .reserved = 0},
};
static const struct nacre_given summed_givens[] = {
    {.name = "floor.peer", .offset = offsetof(struct summed_config, floor_peer), .size = sizeof(((struct summed_config *)0)->floor_peer), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.cookie", .offset = offsetof(struct summed_config, floor_cookie), .size = sizeof(((struct summed_config *)0)->floor_cookie), .required = 1, .secret = 0, .reserved = 0},
    {.name = "floor.identity", .offset = offsetof(struct summed_config, floor_identity), .size = sizeof(((struct summed_config *)0)->floor_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.peer_identity", .offset = offsetof(struct summed_config, floor_peer_identity), .size = sizeof(((struct summed_config *)0)->floor_peer_identity), .required = 0, .secret = 0, .reserved = 0},
    {.name = "floor.incarnation", .offset = offsetof(struct summed_config, floor_incarnation), .size = sizeof(((struct summed_config *)0)->floor_incarnation), .required = 1, .secret = 0, .reserved = 0},
};

const struct nacre_stack summed_stack = {
    .abi = NACRE_ABI,
    .size = sizeof(struct nacre_stack),
    .name = "summed",
    .description = "crc32c / floor",
    .level = "call",
    .fingerprint = UINT64_C(0x2e919c3dae12aa6b),
    .has_preamble = 1,
    .state_size = sizeof(struct summed_state),
    .state_align = _Alignof(struct summed_state),
    .config_size = sizeof(struct summed_config),
    .pool_align = _Alignof(struct summed_pool),
    .pool_base = sizeof(struct summed_pool),
    .pool_per_block = sizeof(struct summed_block),
    .blocks_for_one = 0,
    .block_bytes = 64,
    .outputs_max = 2,
    .segments_max = 2,
    .bytes_max = 48,
    .frame_head_max = 48,
    .frame_data_max = 65459,
    .counters_len = 8,
    .counters = summed_counter_names,
    .events_len = 11,
    .givens_len = 5,
    .events = summed_events,
    .givens = summed_givens,
    .config_default = summed_any_config_default,
    .pool_init = summed_any_pool_init,
    .pool_free = summed_any_pool_free,
    .open = summed_any_open,
    .call = summed_any_call,
    .input = summed_any_input,
    .tick = summed_any_tick,
    .deadline = summed_any_deadline,
    .accepts = summed_any_accepts,
    .settle = summed_any_settle,
    .discard = summed_any_discard,
    .canonical = summed_any_canonical,
};
