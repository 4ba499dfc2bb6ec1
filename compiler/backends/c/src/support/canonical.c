/* ---- the state as bytes ---- */

struct @_teller {
    const struct @_step *step;
    uint8_t *to;
    uint32_t max, len;
};

@_PLAIN void @_tell(struct @_teller *t, uint64_t value, uint32_t n) {
    uint32_t room = t->len < t->max ? t->max - t->len : 0;
    for (uint32_t i = 0; i < n && i < room; i++) { t->to[t->len + i] = (uint8_t)(value >> (8u * i)); }
    t->len += n;
}

@_PLAIN void @_tell_bytes(struct @_teller *t, const uint8_t *from, uint32_t n) {
    uint32_t room = t->len < t->max ? t->max - t->len : 0;
    if (n > 0 && room > 0) { memcpy(t->to + t->len, from, n < room ? n : room); }
    t->len += n;
}

@_PLAIN void @_tell_message(struct @_teller *t, struct @_bytes b, bool data) {
    @_tell(t, b.len, 4);
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = @_run(t->step, b, at, &n);
        @_tell_bytes(t, from, n);
    }
    @_tell(t, data, 1);
}
