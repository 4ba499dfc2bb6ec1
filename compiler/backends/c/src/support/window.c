//@ push: makes room for the next number.
@_INLINE @entry *@name(@type *w, @number *number) {
    if (@_UNLIKELY(@span{w->high, w->low} == @capacity)) { return NULL; }
    *number = w->high;
    w->high = @next{w->high};
    return &w->at[@slot{*number}];
}
//@ lengthen: `high` is raised to a number within the window; what is between is missing.
@_INLINE void @name(@type *w, @number n) {
    for (; @_UNLIKELY(w->high != n); w->high = @next{w->high}) { @_mark(w->missing, @slot{w->high}); }
}
//@ put: makes room for a number, if it is within the window and not taken.
@_INLINE @entry *@name(@type *w, @number n) {
    if (@span{n, w->next} >= @capacity - @span{w->next, w->low}) { return NULL; }
    if (@span{n, w->low} >= @span{w->high, w->low}) {
        @function{lengthen}(w, n);
        w->high = @next{n};
    } else if (@_has(w->missing, @slot{n})) {
        @_unmark(w->missing, @slot{n});
    } else {
        return NULL;
    }
    return &w->at[@slot{n}];
}
//@ take: the entry at `next`, below which everything is released. It must be copied at once.
@_PLAIN @entry *@name(struct @_pool *pool, @type *w) {
    (void)pool;
    if (w->next == w->high || @_has(w->missing, @slot{w->next})) { return NULL; }
    for (; w->low != w->next; w->low = @next{w->low}) {
        /*@holds if (!@_has(w->missing, @slot{w->low})) { @drop{w->at[@slot{w->low}]} }@*/
        @_unmark(w->missing, @slot{w->low});
    }
    w->next = @next{w->next};
    @number taken = w->low;
    w->low = w->next;
    return &w->at[@slot{taken}];
}
//@ read: the entry at `next`, which stays.
@_PLAIN @entry *@name(@type *w) {
    if (w->next == w->high || @_has(w->missing, @slot{w->next})) { return NULL; }
    @number read = w->next;
    w->next = @next{w->next};
    return &w->at[@slot{read}];
}
//@ release_low: the entry at `low`; how many numbers these are.
@_INLINE uint32_t @name(struct @_pool *pool, @type *w) {
    (void)pool;
    if (w->low == w->high) { return 0; }
    if (@_LIKELY(!@_has(w->missing, @slot{w->low}))) {
        /*@holds @drop{w->at[@slot{w->low}]}@*/
    } else {
        @_unmark(w->missing, @slot{w->low});
    }
    bool taken = w->next != w->low;
    w->low = @next{w->low};
    if (!taken) { w->next = w->low; }
    return 1;
}
//@ release: all entries below a number; how many numbers these are.
@_PLAIN uint32_t @name(struct @_pool *pool, @type *w, @number n) {
    (void)pool;
    uint32_t count = (uint32_t)@span{n, w->low};
    if (@span{n, w->low} > @span{w->high, w->low}) { return 0; }
    /*@messages uint16_t freed = 0;
    struct @_chain chain = {&freed, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = @slot{(w->low + i)};
        if (!@_has(w->missing, slot)) { @_drop_into(pool, &chain, &freed, &w->at[slot].bytes); }
    }
    @_free_chain(pool, &chain, freed);@*/
    /*@holds_messages for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = @slot{(w->low + i)};
        if (!@_has(w->missing, slot)) { @drop{w->at[slot]} }
    }@*/
    /*@one_word if (w->missing[0] != 0) { w->missing[0] &= ~@_around(@slot{w->low}, count, @slots); }@*/
    /*@many_words for (uint32_t i = 0; i < count; i++) { @_unmark(w->missing, @slot{(w->low + i)}); }@*/
    if (@span{w->next, w->low} < @span{n, w->low}) { w->next = n; }
    w->low = n;
    return count;
}
//@ raise: the window ends at a number, if it is not shorter then.
@_PLAIN void @name(@type *w, @number n) {
    uint64_t by = @span{n, w->high};
    if (by <= @capacity - @span{w->high, w->low}) { @function{lengthen}(w, n); }
}
//@ skip_to: the next entry to be taken is at a number, if that is ahead (`- 1`: nothing to skip is too much).
@_INLINE void @name(@type *w, @number n) {
    if ((@unsigned)(@span{n, w->next} - 1u) >= @capacity - @span{w->next, w->low}) { return; }
    if (@span{n, w->low} > @span{w->high, w->low}) { @function{lengthen}(w, n); }
    w->next = n;
}
//@ pass: `skip_to`, then `release` to the same number; mostly nothing is kept.
@_INLINE void @name(struct @_pool *pool, @type *w, @number n) {
    if (@_LIKELY(w->low == w->high)) {
        if ((@unsigned)(@span{n, w->low} - 1u) < @capacity) { w->low = w->next = w->high = n; }
    } else {
        @function{skip_to}(w, n);
        (void)@function{release}(pool, w, n);
    }
}
//@ hole: the first numbers that are missing below one that is there.
@_PLAIN bool @name(const @type *w, @number *from, @number *to) {
    *from = w->next;
    while (*from != w->high && !@_has(w->missing, @slot{*from})) { *from = @next{*from}; }
    *to = *from;
    while (*to != w->high && @_has(w->missing, @slot{*to})) { *to = @next{*to}; }
    return *from != w->high;
}
//@ new_hole: the same, if it ends behind the last that was reported and of which the window still holds something.
@_PLAIN bool @name(@type *w, @number *from, @number *to) {
    if (@span{w->reported, w->next} > @span{w->high, w->next}) { w->reported = w->next; }
    if (!@function{hole}(w, from, to)) { return false; }
    if ((@signed)(((@unsigned)*to - (@unsigned)w->reported) << @unused) <= 0) { return false; }
    w->reported = *to;
    return true;
}
//@ clear: releases all entries, and begins anew.
@_PLAIN void @name(struct @_pool *pool, @type *w) {
    (void)pool;
    for (; w->low != w->high; w->low = @next{w->low}) {
        /*@holds if (!@_has(w->missing, @slot{w->low})) { @drop{w->at[@slot{w->low}]} }@*/
        @_unmark(w->missing, @slot{w->low});
    }
    w->low = w->next = w->high = w->reported = 0;
}
//@ clear_undelivered: releases the entries that were not taken yet.
@_PLAIN void @name(struct @_pool *pool, @type *w) {
    (void)pool;
    for (@number n = w->next; n != w->high; n = @next{n}) {
        /*@holds if (!@_has(w->missing, @slot{n})) { @drop{w->at[@slot{n}]} }@*/
        @_unmark(w->missing, @slot{n});
    }
    w->high = w->next;
}
