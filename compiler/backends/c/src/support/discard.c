//@ discard: releases all messages that a state holds.
void @_discard(struct @_state *s, struct @_pool *pool) {
    (void)pool;
    @cells
    @waiting
    memset(s, 0, sizeof *s);
}
//@ waiting: those of events that come later.
for (uint32_t i = 0; i < s->waiting.len; i++) {
    struct @_waiting *e = &s->waiting.at[(s->waiting.head + i) % @_WAITING];
    @events
}
