//@ members: whether two values are equal, by their type.
@_PLAIN bool @name(const @type *a, const @type *b) {
    return @same_members{a, b};
}
//@ option
@_PLAIN bool @name(const @type *a, const @type *b) {
    return a->some == b->some && (!a->some || (@same{a->value, b->value}));
}
//@ words
@_PLAIN bool @name(const @type *a, const @type *b) {
    return memcmp(a->word, b->word, sizeof a->word) == 0;
}
//@ few_words
@_PLAIN bool @name(const @type *a, const @type *b) {
    return @same_words{a, b};
}
//@ no_bytes
@_PLAIN bool @name(const @type *a, const @type *b) {
    return a == b || true;
}
//@ bytes
@_PLAIN bool @name(const @type *a, const @type *b) {
    return memcmp(a->at, b->at, @capacity) == 0;
}
//@ text
@_PLAIN bool @name(const @type *a, const @type *b) {
    return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}
//@ address
@_PLAIN bool @name(const @type *a, const @type *b) {
    return memcmp(a->ip, b->ip, 16) == 0 && a->port == b->port && a->family == b->family;
}
//@ array
@_PLAIN bool @name(const @type *a, const @type *b) {
    for (uint32_t i = 0; i < @capacity; i++) {
        if (!(@same{a->at[i], b->at[i]})) { return false; }
    }
    return true;
}
//@ row
@_PLAIN bool @name(const @type *a, const @type *b) {
    if (a->len != b->len) { return false; }
    for (uint32_t i = 0; i < a->len; i++) {
        if (!(@same{@at{a, i}, @at{b, i}})) { return false; }
    }
    return true;
}
//@ window: the same numbers, and equal entries.
@_PLAIN bool @name(const @type *a, const @type *b) {
    if (a->low != b->low || a->next != b->next || a->high != b->high || a->reported != b->reported) { return false; }
    if (memcmp(a->missing, b->missing, sizeof a->missing) != 0) { return false; }
    for (@number n = a->low; n != a->high; n = @next{n}) {
        if (@_has(a->missing, @slot{n})) { continue; }
        if (!(@same{a->at[@slot{n}], b->at[@slot{n}]})) { return false; }
    }
    return true;
}
//@ slots: the same slots are used, with equal entries.
@_PLAIN bool @name(const @type *a, const @type *b) {
    if (memcmp(a->used, b->used, sizeof a->used) != 0) { return false; }
    for (uint32_t i = 0; i < @slots; i++) {
        if (!@_has(a->used, i)) { continue; }
        /*@map if (!(@same_key{a->key[i], b->key[i]})) { return false; }@*/
        if (!(@same{a->at[i], b->at[i]})) { return false; }
    }
    return true;
}
