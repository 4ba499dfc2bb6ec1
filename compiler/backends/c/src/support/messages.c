//@ members: what is done to each message in a value, by the type of the value; @with is the pool or, to keep, the step.
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    @act_members{value}
}
//@ option
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    if (value->some) { @act{value->value} }
}
//@ array
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    for (uint32_t i = 0; i < @capacity; i++) { @act{value->at[i]} }
}
//@ row
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    for (uint32_t i = 0; i < value->len; i++) { @act{@at{value, i}} }
}
//@ window
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    for (@number n = value->low; n != value->high; n = @next{n}) {
        if (!@_has(value->missing, @slot{n})) { @act{value->at[@slot{n}]} }
    }
}
//@ slots
@_PLAIN void @name(struct @_@with *@with, @type *value) {
    for (uint32_t i = 0; i < @slots; i++) {
        if (@_has(value->used, i)) { @act{value->at[i]} }
    }
}
