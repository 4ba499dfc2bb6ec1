/* The upper half of a product, with the lower half in low. */
@_PLAIN uint64_t @_multiply(uint64_t a, uint64_t b, uint64_t *low) {
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product = a;
    product *= b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    uint64_t a0 = a & UINT64_C(0xffffffff), a1 = a >> 32, b0 = b & UINT64_C(0xffffffff), b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & UINT64_C(0xffffffff));
    *low = a * b;
    return a1 * b1 + (middle >> 32) + (other >> 32);
#endif
}

/* One digit of 32 bits of (high, low) / c, where the top bit of c is set and high is below c. */
@_PLAIN uint64_t @_digit(uint64_t high, uint64_t low, uint64_t c) {
    uint64_t c1 = c >> 32, c0 = c & UINT64_C(0xffffffff), digit = high / c1, rest = high % c1;
    while (digit >> 32 != 0 || digit * c0 > (rest << 32 | low)) {
        digit--;
        rest += c1;
        if (rest >> 32 != 0) { break; }
    }
    return digit;
}

/* The low 64 bits of a * b / c. Divides digit by digit: a division of 128 bits would ask for a library. */
@_PLAIN uint64_t @_mul_div(uint64_t a, uint64_t b, uint64_t c) {
    if (c == 0) { return 0; }
    uint64_t low, high = @_multiply(a, b, &low);
    if (high == 0) { return low / c; }
    high %= c;
    while (c >> 63 == 0) {
        c <<= 1;
        high = high << 1 | low >> 63;
        low <<= 1;
    }
    uint64_t first = @_digit(high, low >> 32, c);
    high = (high << 32 | low >> 32) - first * c;
    return first << 32 | @_digit(high, low & UINT64_C(0xffffffff), c);
}
