//@ same_view
@_PLAIN bool @_same_view(const struct @_step *step, struct @_bytes a, struct @_bytes b) {
    if (a.len != b.len) { return false; }
    for (uint32_t at = 0; at < a.len; at++) {
        if (@_byte(step, a, at) != @_byte(step, b, at)) { return false; }
    }
    return true;
}
//@ reader
/* Where reading is in a row of pieces. */
struct @_reader { const struct @_bytes *piece, *end; uint32_t at; };
//@ next_run: the next run of bytes in a row of pieces; none at the end.
@_PLAIN const uint8_t *@_next_run(const struct @_step *step, struct @_reader *reader, uint32_t *run) {
    for (; reader->piece != reader->end; reader->piece++, reader->at = 0) {
        if (reader->at == reader->piece->len) { continue; }
        const uint8_t *bytes = @_run(step, *reader->piece, reader->at, run);
        reader->at += *run;
        return bytes;
    }
    return NULL;
}
//@ join_pieces: copies pieces to where things are made, as one string of bytes.
@_PLAIN struct @_bytes @_join_pieces(struct @_step *step, const struct @_bytes *piece, uint32_t pieces) {
    const uint32_t from = step->bytes;
    for (uint32_t i = 0; i < pieces; i++) {
        if (!@_can_make(step, piece[i].len)) { break; }
        @_read(step, piece[i], step->out->bytes + step->bytes);
        step->bytes += piece[i].len;
    }
    return @_made(step, from);
}
//@ view_packed: puts the head of a message into `step->more->temp`, and gives it and the data as two pieces. Nothing is
//@ taken over.
@head {
    const uint32_t size = @head_function(m, step->more->temp + temp);
    const bool fits = size != UINT32_MAX;
    if (!fits) { step->counters[@_BROKEN]++; }
    pieces[0] = fits && size ? (struct @_bytes){.block = @_TEMP, .offset = temp, .len = size}
                             : (struct @_bytes){.block = 0};
    pieces[1] = fits ? m.bytes : (struct @_bytes){.block = 0};
}
//@ pack: puts the headers of a message and then its bytes where things are made, as one string.
@head {
    const uint32_t from = step->bytes;
    uint32_t size = UINT32_MAX;
    if (@_can_make(step, @longest + m.bytes.len)) { size = @head_function(m, step->out->bytes + from); }
    if (size == UINT32_MAX) {
        step->counters[@_BROKEN]++;
        @_drop(step->pool, m.bytes);
        return (struct @_bytes){.block = 0};
    }
    @_read(step, m.bytes, step->out->bytes + from + size);
    step->bytes += size + m.bytes.len;
    @_drop(step->pool, m.bytes);
    return @_made(step, from);
}
