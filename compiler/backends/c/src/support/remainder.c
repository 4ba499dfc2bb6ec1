//@ table: the remainder of bytes, four at a time: its tables have the remainders of one byte, and of one that 1, 2 and 3 others follow
static const uint32_t @_@tables[4][256] = {
    @rows
};

@_INLINE uint32_t @in_place(uint32_t r, const uint8_t *at, uint32_t len) {
    for (; len >= 4u; at += 4, len -= 4u) {
        r ^= (uint32_t)@_get(at, 4u);
        r = @_@tables[3][r & 255u] ^ @_@tables[2][r >> 8 & 255u] ^ @_@tables[1][r >> 16 & 255u] ^ @_@tables[0][r >> 24];
    }
    for (; len > 0; at++, len--) { r = @_@tables[0][(r ^ *at) & 255u] ^ r >> 8; }
    return r;
}
//@ by: the same of the polynomial for which processors have an instruction
const uint8_t *const words = at + (len & ~7u), *const end = at + len;
uint64_t wide = r;
for (; at != words; at += 8) { wide = __builtin_ia32_crc32di(wide, @_get(at, 8u)); }
r = (uint32_t)wide;
if ((len & 4u) != 0) {
    r = __builtin_ia32_crc32si(r, (uint32_t)@_get(at, 4u));
    at += 4;
}
for (; at != end; at++) { r = __builtin_ia32_crc32qi(r, *at); }
return r;
//@ instruction: in place, the instruction serves where the compiler may use it
#if defined(__SSE4_2__) && defined(__x86_64__)
@_INLINE uint32_t @in_place(uint32_t r, const uint8_t *at, uint32_t len) {
    @by
}
#else
#if defined(__x86_64__) && defined(__GNUC__) && !defined(NACRE_NO_CPUID)
#define @_ASKS 1 /* `pool_init` asks the processor whether it has the instruction */
#endif
@table
#endif
//@ called: the same, called
@_PLAIN uint32_t @name(const struct @_pool *pool, uint32_t r, const uint8_t *at, uint32_t len) {
    (void)pool;
    return @in_place(r, at, len);
}
//@ asked: the same, called: by the instruction also where only the processor has it
#if defined(@_ASKS)
__attribute__((target("sse4.2"))) static uint32_t @by_instruction(uint32_t r, const uint8_t *at, uint32_t len) {
    @by
}
#endif
@_PLAIN uint32_t @name(const struct @_pool *pool, uint32_t r, const uint8_t *at, uint32_t len) {
#if defined(@_ASKS)
    if (@_LIKELY(pool->crc32 != 0)) { return @by_instruction(r, at, len); }
#endif
    (void)pool;
    return @in_place(r, at, len);
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
    if (b.block == @_TEMP) { return @in_place(r, step->more->temp + b.offset, b.len); }
    return @call;
}
