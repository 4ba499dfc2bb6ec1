//@ discard: releases all messages that a state holds.
void @_discard(struct @_state *s, struct @_pool *pool) {
    (void)pool;
    @cells
    @waiting
    @secrets
    memset(s, 0, sizeof *s);
}
//@ waiting: those of events that come later.
for (uint32_t i = 0; i < s->waiting.len; i++) {
    struct @_waiting *e = &s->waiting.at[(s->waiting.head + i) % @_WAITING];
    @events
}
//@ erase: overwrites bytes, also where nothing reads them again.
@_PLAIN void @_erase(void *bytes, size_t len) {
    volatile uint8_t *at = bytes;
    for (size_t i = 0; i < len; i++) { at[i] = 0; }
}
