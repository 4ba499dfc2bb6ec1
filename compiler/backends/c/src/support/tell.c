//@ members: the bytes of a value, by its type.
static void @name(struct @_teller *t, const @type *v) {
    (void)t;
    (void)v;
    @tell_members{v}
}
//@ message
static void @name(struct @_teller *t, const @type *v) {
    @_tell_message(t, v->bytes, v->data);
    @headers
}
//@ option
static void @name(struct @_teller *t, const @type *v) {
    @_tell(t, v->some, 1);
    if (v->some) { @tell{v->value} }
}
//@ words
static void @name(struct @_teller *t, const @type *v) {
    for (uint32_t i = 0; i < sizeof v->word / sizeof v->word[0]; i++) { @_tell(t, v->word[i], 8); }
}
//@ bytes
static void @name(struct @_teller *t, const @type *v) {
    @_tell_bytes(t, v->at, @capacity);
}
//@ text
static void @name(struct @_teller *t, const @type *v) {
    @_tell(t, v->len, 4);
    @_tell_bytes(t, v->at, v->len);
}
//@ address
static void @name(struct @_teller *t, const @type *v) {
    @_tell_bytes(t, v->ip, 16);
    @_tell(t, v->port, 2);
    @_tell(t, v->family, 2);
}
//@ array
static void @name(struct @_teller *t, const @type *v) {
    (void)t;
    (void)v;
    for (uint32_t i = 0; i < @capacity; i++) { @tell{v->at[i]} }
}
//@ row
static void @name(struct @_teller *t, const @type *v) {
    @_tell(t, v->len, 4);
    for (uint32_t i = 0; i < v->len; i++) { @tell{@at{v, i}} }
}
//@ window
static void @name(struct @_teller *t, const @type *v) {
    @_tell(t, v->low, 8);
    @_tell(t, v->next, 8);
    @_tell(t, v->high, 8);
    @_tell(t, v->reported, 8);
    for (uint32_t i = 0; i < @span{v->high, v->low}; i++) {
        @_tell(t, !@_has(v->missing, @slot{(v->low + i)}), 1);
        if (!@_has(v->missing, @slot{(v->low + i)})) { @tell{v->at[@slot{(v->low + i)}]} }
    }
}
//@ slots
static void @name(struct @_teller *t, const @type *v) {
    for (uint32_t i = 0; i < @slots; i++) {
        @_tell(t, @_has(v->used, i), 1);
        if (!@_has(v->used, i)) { continue; }
        /*@map @tell_key{v->key[i]}@*/
        @tell{v->at[i]}
    }
}
//@ state: the function that the host calls; `which` says which bytes.
@linkage uint32_t @_@which(const struct @_state *s, const struct @_pool *pool, uint8_t *to, uint32_t max) {
    struct @_step step;
    memset(&step, 0, sizeof step);
    step.pool = (struct @_pool *)(uintptr_t)pool;
    struct @_teller teller = {.step = &step, .to = to, .max = max, .len = 0}, *t = &teller;
    (void)s;
    @cells
    @waiting
    return teller.len;
}
//@ waiting: events that come later.
@_tell(t, s->waiting.len, 4);
for (uint32_t i = 0; i < s->waiting.len; i++) {
    const struct @_waiting *e = &s->waiting.at[(s->waiting.head + i) % @_WAITING];
    switch (e->what) {
    @events
    default: break;
    }
}
