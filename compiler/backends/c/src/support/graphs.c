//@ enter: a frame at one of several ports.
static int @_any_enter(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_in *in,
        struct nacre_out *out) {
    if (in == NULL) { return @_nothing(out, NACRE_INVALID); }
    switch (in->port) {
    @ports
    default: return @_nothing(out, NACRE_INVALID);
    }
}
//@ view: a new view.
static int @_any_view(void *s, void *pool, uint64_t *counters, const void *config, uint64_t now,
        struct nacre_out *out) {
    return @_view(s, pool, counters, config, now, out);
}
