/* ---- what compilers want to be told ---- */

#if defined(__GNUC__)
#define @_LIKELY(x) __builtin_expect((x), 1)
#define @_UNLIKELY(x) __builtin_expect((x), 0)
#define @_ASSUME(x) do { if (!(x)) { __builtin_unreachable(); } } while (0)
#define @_INLINE static inline __attribute__((always_inline, unused))
#define @_COLD static __attribute__((cold, noinline, unused))
#define @_APART static __attribute__((noinline, unused))
#define @_PLAIN static __attribute__((unused))
#else
#define @_LIKELY(x) (x)
#define @_UNLIKELY(x) (x)
#define @_ASSUME(x) ((void)0)
#define @_INLINE static inline
#define @_COLD static
#define @_APART static
#define @_PLAIN static
#endif

/* ---- numbers ---- */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define @_LITTLE 1
#else
#define @_LITTLE 0
#endif

/* A few moves, where the number of bytes is known. */
@_INLINE void @_put(uint8_t *to, uint64_t value, uint32_t n) {
    if (@_LITTLE && n == 8u) {
        memcpy(to, &value, 8);
    } else if (@_LITTLE && n < 8u) {
        const uint32_t word = (uint32_t)value;
        const uint16_t half = (uint16_t)(n & 4u ? value >> 32 : value);
        if (n & 4u) { memcpy(to, &word, 4); }
        if (n & 2u) { memcpy(to + (n & 4u), &half, 2); }
        if (n & 1u) { to[n - 1u] = (uint8_t)(value >> (8u * (n - 1u))); }
    } else {
        for (uint32_t i = 0; i < n; i++) { to[i] = (uint8_t)(value >> (8u * i)); }
    }
}

@_INLINE uint64_t @_get(const uint8_t *from, uint32_t n) {
    uint64_t value = 0;
    if (@_LITTLE && n == 8u) {
        memcpy(&value, from, 8);
    } else if (@_LITTLE && n < 8u) {
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
@_PLAIN uint64_t @_swap(uint64_t value, uint32_t bytes) {
    uint64_t swapped = 0;
    for (uint32_t i = 0; i < bytes; i++) { swapped = swapped << 8 | (value >> (8u * i) & 0xffu); }
    return swapped;
}

@_PLAIN int64_t @_sign(uint64_t value, uint32_t bits) {
    uint64_t top = (uint64_t)1 << (bits - 1u);
    value &= (top << 1) - 1u;
    return (int64_t)((value ^ top) - top);
}

@_PLAIN uint64_t @_shl(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a << b; }
@_PLAIN uint64_t @_shr(uint64_t a, uint64_t b, uint32_t bits) { return b >= bits ? 0 : a >> b; }
/* Of a negative number the sign comes in from the left. */
@_PLAIN int64_t @_shr_signed(int64_t a, uint64_t b, uint32_t bits) {
    if (b >= bits) { return 0; }
    return a < 0 ? (int64_t)~(~(uint64_t)a >> b) : (int64_t)((uint64_t)a >> b);
}
@_PLAIN uint64_t @_div(uint64_t a, uint64_t b) { return b == 0 ? 0 : a / b; }
@_PLAIN uint64_t @_rem(uint64_t a, uint64_t b) { return b == 0 ? 0 : a % b; }
@_PLAIN int64_t @_div_signed(int64_t a, int64_t b) {
    return b == 0 ? 0 : b == -1 ? (int64_t)(0u - (uint64_t)a) : a / b;
}
@_PLAIN int64_t @_rem_signed(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

@_PLAIN uint64_t @_fold16(uint64_t sum) {
    while (sum >> 16) { sum = (sum & 0xffffu) + (sum >> 16); }
    return ~sum & 0xffffu;
}

@_PLAIN uint32_t @_count(const uint64_t *words, uint32_t n) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint64_t w = words[i]; w != 0; w &= w - 1u) { count++; }
    }
    return count;
}

/* The lowest element, 0 if there is none. */
@_PLAIN uint32_t @_first(const uint64_t *words, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t bit = 0; words[i] != 0 && bit < 64u; bit++) {
            if (words[i] >> bit & 1u) { return 64u * i + bit; }
        }
    }
    return 0;
}

/* The lowest slot that is free, n if none is. */
@_PLAIN uint32_t @_lowest_free(const uint64_t *used, uint32_t n) {
    uint32_t slot = 0;
    while (slot < n && (used[slot / 64u] >> (slot % 64u) & 1u)) { slot++; }
    return slot;
}

@_INLINE bool @_has(const uint64_t *used, uint32_t slot) { return used[slot / 64u] >> (slot % 64u) & 1u; }
/* The bits of `count` slots from `first` on, wrapping around at `slots`, which is a power of two of at most 64. */
@_INLINE uint64_t @_around(uint32_t first, uint32_t count, uint32_t slots) {
    uint64_t bits = count >= 64u ? UINT64_MAX : ((uint64_t)1 << count) - 1u;
    if (slots == 64u) { return bits << first | bits >> (-first & 63u); }
    return (bits << first | bits << first >> slots) & (((uint64_t)1 << (slots & 63u)) - 1u);
}

@_INLINE void @_mark(uint64_t *used, uint32_t slot) { used[slot / 64u] |= (uint64_t)1 << (slot % 64u); }
@_INLINE void @_unmark(uint64_t *used, uint32_t slot) { used[slot / 64u] &= ~((uint64_t)1 << (slot % 64u)); }

/* SplitMix64, and the high half of a product: a number below `below`. */
@_PLAIN uint64_t @_random(uint64_t *state, uint64_t below) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    uint64_t low = (z & 0xffffffffu) * (below & 0xffffffffu);
    uint64_t one = (z >> 32) * (below & 0xffffffffu), two = (z & 0xffffffffu) * (below >> 32);
    uint64_t middle = (low >> 32) + (one & 0xffffffffu) + (two & 0xffffffffu);
    return (z >> 32) * (below >> 32) + (one >> 32) + (two >> 32) + (middle >> 32);
}
