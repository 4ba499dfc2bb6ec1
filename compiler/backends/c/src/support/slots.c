//@ find: the slot of a key; the capacity, if there is none.
@_PLAIN uint32_t @name(const @type *map, const @key *key) {
    for (uint32_t slot = 0; slot < @slots; slot++) {
        if (@_has(map->used, slot) && @same_key{map->key[slot], *key}) { return slot; }
    }
    return @slots;
}
//@ place: the slot for a key; the capacity, if there is no room. Whether it was there before.
@_PLAIN uint32_t @name(@type *map, const @key *key, bool *old) {
    uint32_t slot = @function{find}(map, key);
    *old = slot < @slots;
    if (*old) { return slot; }
    slot = @_lowest_free(map->used, @slots);
    if (slot < @slots) {
        @_mark(map->used, slot);
        map->key[slot] = *key;
    }
    return slot;
}
//@ add: the slot for a new entry; the capacity, if there is no room.
@_PLAIN uint32_t @name(@type *pool) {
    uint32_t slot = @_lowest_free(pool->used, @slots);
    if (slot < @slots) { @_mark(pool->used, slot); }
    return slot;
}
//@ clear: releases all entries.
@_PLAIN void @name(struct @_pool *pool, @type *all) {
    (void)pool;
    /*@holds for (uint32_t i = 0; i < @slots; i++) {
        if (@_has(all->used, i)) { @drop{all->at[i]} }
    }@*/
    memset(all->used, 0, sizeof all->used);
}
