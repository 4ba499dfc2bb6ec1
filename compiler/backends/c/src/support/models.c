/* ---- models of functions of the host: tests and checkers run them in place of the functions ---- */

@_PLAIN uint64_t @_model_add(uint64_t sum, const uint8_t *bytes, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29u;
    }
    return sum;
}

@_PLAIN uint64_t @_model_number(uint64_t sum, uint64_t number) {
    uint8_t bytes[8];
    @_put(bytes, number, 8);
    return @_model_add(sum, bytes, 8);
}

@_PLAIN uint64_t @_model_string(uint64_t sum, const uint8_t *bytes, uint32_t len) {
    return @_model_add(@_model_number(sum, len), bytes, len);
}

@_PLAIN uint64_t @_model_address(uint64_t sum, const struct nacre_addr *address) {
    uint8_t bytes[4];
    @_put(bytes, address->port, 2);
    @_put(bytes + 2, address->family, 2);
    return @_model_add(@_model_add(sum, address->ip, 16), bytes, 4);
}

@_PLAIN uint64_t @_model_word(uint64_t sum, uint32_t at) {
    uint64_t z = sum + (at + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30u)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27u)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31u);
}

@_PLAIN uint8_t @_model_byte(uint64_t sum, uint32_t at) { return (uint8_t)(@_model_word(sum, at / 8u) >> (8u * (at % 8u))); }

/* Hides bytes, and recovers them. */
@_PLAIN void @_model_turn(uint64_t sum, const uint8_t *bytes, uint32_t len, uint8_t *result) {
    for (uint32_t i = 0; i < len; i++) { result[i] = (uint8_t)(bytes[i] ^ @_model_byte(sum, i)); }
}

@_PLAIN void @_model_bytes(uint64_t sum, uint32_t len, uint8_t *result) {
    for (uint32_t i = 0; i < len; i++) { result[i] = @_model_byte(sum, i); }
}

/* Adds the bytes that another function makes, by their sum. */
@_PLAIN uint64_t @_model_half(uint64_t sum, uint64_t of_it, uint32_t len) {
    sum = @_model_number(sum, len);
    for (uint32_t i = 0; i < len; i++) {
        uint8_t byte = @_model_byte(of_it, i);
        sum = @_model_add(sum, &byte, 1);
    }
    return sum;
}

/* Hides the bytes of a message and recovers them, if they are hidden. */
@_PLAIN void @_model_hide(uint64_t sum, const uint8_t *bytes, uint32_t len, bool hides, uint8_t *result) {
    for (uint32_t i = 0; i < len; i++) { result[i] = hides ? (uint8_t)(bytes[i] ^ @_model_byte(sum, i)) : bytes[i]; }
}

@_PLAIN uint32_t @_model_seal(uint64_t sum, const uint8_t *bytes, uint32_t len, uint32_t tag, bool hides, uint8_t *result, uint32_t max) {
    if (len > max || tag > max - len) { return UINT32_MAX; }
    @_model_hide(sum, bytes, len, hides, result);
    @_model_bytes(@_model_string(sum, bytes, len), tag, result + len);
    return len + tag;
}

@_PLAIN uint32_t @_model_open(uint64_t sum, const uint8_t *bytes, uint32_t len, uint32_t tag, bool hides, bool rejects, uint8_t *result, uint32_t max) {
    bool forged = len < tag;
    uint32_t rest = forged ? 0 : len - tag;
    if (rest > max) { return UINT32_MAX; }
    @_model_hide(sum, bytes, rest, hides, result);
    uint64_t whole = @_model_string(sum, result, rest);
    for (uint32_t i = 0; i < tag && !forged; i++) { forged = bytes[rest + i] != @_model_byte(whole, i); }
    return forged && rejects ? UINT32_MAX : rest;
}
