//@ push: makes room for the youngest entry.
@_INLINE @entry *@name(@type *row) {
    if (@_UNLIKELY(row->len >= @capacity)) { return NULL; }
    row->len++;
    return &@at{row, row->len - 1u};
}
//@ pop: the oldest entry of a ring, the youngest of a list. It must be copied at once.
@_PLAIN @entry *@name(@type *row) {
    if (row->len == 0) { return NULL; }
    /*@ring uint32_t oldest = row->head;
    row->head = row->head + 1u == @capacity ? 0 : row->head + 1u;@*/
    row->len--;
    return &row->at[/*@ring oldest@*//*@list row->len@*/];
}
//@ find: the index of an entry; the length, if there is none.
@_PLAIN uint32_t @name(const @type *row, const @entry *value) {
    uint32_t i = 0;
    while (i < row->len && !(@same{@at{row, i}, *value})) { i++; }
    return i;
}
//@ remove: takes an entry out; those that are younger move up.
@_PLAIN void @name(@type *row, uint32_t i) {
    for (; i + 1u < row->len; i++) { @at{row, i} = @at{row, i + 1u}; }
    row->len--;
}
//@ clear: releases all entries.
@_PLAIN void @name(struct @_pool *pool, @type *row) {
    (void)pool;
    /*@holds for (uint32_t i = 0; i < row->len; i++) { @drop{@at{row, i}} }@*/
    row->len = 0;
}
