//@ tables: the remainders of one byte, and of one that 1, 2 and 3 others follow
static const uint32_t @_@tables[4][256] = {
    @rows
};
//@ by_tables: the remainder of bytes, four at a time
for (uint32_t words = len >> 2; words > 0; at += 4, words--) {
    r ^= (uint32_t)@_get(at, 4u);
    r = @_@tables[3][r & 255u] ^ @_@tables[2][r >> 8 & 255u] ^ @_@tables[1][r >> 16 & 255u] ^ @_@tables[0][r >> 24];
}
for (len &= 3u; len > 0; at++, len--) { r = @_@tables[0][(r ^ *at) & 255u] ^ r >> 8; }
return r;
//@ table: of any polynomial: in place, and called
@of_bytes

@_INLINE uint32_t @in_place(const struct @_pool *pool, uint32_t r, const uint8_t *at, uint32_t len) {
    (void)pool;
    @by_tables
}

@_PLAIN uint32_t @called(const struct @_pool *pool, uint32_t r, const uint8_t *at, uint32_t len) {
    return @in_place(pool, r, at, len);
}
//@ instruction: of the polynomial that processors have an instruction for: in place by it, called by tables
#if defined(__x86_64__) && defined(__SSE4_2__) && defined(__GNUC__)
#define @_CRC32_OF_8(r, value) (r = __builtin_ia32_crc32di(r, value))
#define @_CRC32_OF_4(r, value) (r = __builtin_ia32_crc32si(r, value))
#define @_CRC32_OF_1(r, value) (r = __builtin_ia32_crc32qi(r, value))
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(NACRE_NO_CPUID)
#define @_ASKS 1 /* `pool_init` asks the processor for the instruction, which the compiler may not use by itself */
#if defined(__clang__) /* stores what may be in memory */
#define @_CRC32_FROM "r"
#else
#define @_CRC32_FROM "rm"
#endif
#define @_CRC32_OF_8(r, value) __asm__("{crc32q %1, %0|crc32 %0, %1}" : "+r"(r) : @_CRC32_FROM(value))
#define @_CRC32_OF_4(r, value) __asm__("{crc32l %1, %0|crc32 %0, %1}" : "+r"(r) : @_CRC32_FROM(value))
#define @_CRC32_OF_1(r, value) __asm__("{crc32b %1, %0|crc32 %0, %1}" : "+r"(r) : @_CRC32_FROM(value))
#define @_BY_TABLES @_PLAIN
#else
#define @_BY_TABLES @_INLINE
#endif

#if defined(@_BY_TABLES)
@of_bytes

@_BY_TABLES uint32_t @called(uint32_t r, const uint8_t *at, uint32_t len) {
    @by_tables
}
#endif

@_INLINE uint32_t @in_place(const struct @_pool *pool, uint32_t r, const uint8_t *at, uint32_t len) {
#if defined(@_ASKS)
    if (@_UNLIKELY(pool->crc32 == 0)) { return @called(r, at, len); }
#endif
    (void)pool;
#if defined(@_CRC32_OF_8)
    const uint8_t *const words = at + (len & ~7u), *const end = at + len;
    uint64_t wide = r;
    for (; at != words; at += 8) { @_CRC32_OF_8(wide, @_get(at, 8u)); }
    r = (uint32_t)wide;
    if ((len & 4u) != 0) {
        @_CRC32_OF_4(r, (uint32_t)@_get(at, 4u));
        at += 4;
    }
    for (; at != end; at++) { @_CRC32_OF_1(r, *at); }
    return r;
#else
    return @called(r, at, len);
#endif
}
//@ of_runs: the remainder of a string of bytes, run by run
@head {
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = @_run(step, b, at, &n);
        r = @function(step->pool, r, from, n);
    }
    return r;
}
//@ of: the same of a string that mostly lies in one run; packed heads are short, and mostly of known length
@head {
    if (@_LIKELY(b.block == @_IN)) { return @function(step->pool, r, step->in + b.offset, b.len); }
    if (b.block == @_TEMP) { return @in_place(step->pool, r, step->more->temp + b.offset, b.len); }
    return @call;
}
