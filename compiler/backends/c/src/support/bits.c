/* ---- parts of a head that are read and written by loops: at any bit, least significant bit first ---- */

/* Sets bits that are zero. */
@_PLAIN void @_put_bits(uint8_t *to, uint32_t bit, uint64_t value, uint32_t bits) {
    to += bit / 8u;
    for (uint32_t done = 0, shift = bit % 8u; done < bits; to++, done += 8u - shift, shift = 0) {
        *to = (uint8_t)(*to | (value >> done & 0xffu) << shift);
    }
}

@_PLAIN uint64_t @_get_bits(const uint8_t *from, uint32_t bit, uint32_t bits) {
    uint64_t value = 0;
    from += bit / 8u;
    for (uint32_t done = 0, shift = bit % 8u; done < bits; from++, done += 8u - shift, shift = 0) {
        value |= (uint64_t)(*from >> shift) << done;
    }
    return bits < 64u ? value & (((uint64_t)1 << bits) - 1u) : value;
}

@_PLAIN void @_put_bytes(uint8_t *to, uint32_t bit, const uint8_t *bytes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) { @_put_bits(to, bit + 8u * i, bytes[i], 8u); }
}

@_PLAIN void @_get_bytes(const uint8_t *from, uint32_t bit, uint8_t *bytes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) { bytes[i] = (uint8_t)@_get_bits(from, bit + 8u * i, 8u); }
}

/* The same, the last byte first. */
@_PLAIN void @_put_reversed(uint8_t *to, uint32_t bit, const uint8_t *bytes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) { @_put_bits(to, bit + 8u * i, bytes[n - 1u - i], 8u); }
}

@_PLAIN void @_get_reversed(const uint8_t *from, uint32_t bit, uint8_t *bytes, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) { bytes[n - 1u - i] = (uint8_t)@_get_bits(from, bit + 8u * i, 8u); }
}

@_PLAIN bool @_all_zero(const uint8_t *bytes, uint32_t n) {
    uint8_t any = 0;
    for (uint32_t i = 0; i < n; i++) { any = (uint8_t)(any | bytes[i]); }
    return any == 0;
}
