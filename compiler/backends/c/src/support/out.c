/* ---- what leaves the stack ---- */

@_COLD void @_long_segments(struct @_step *step, struct nacre_output *output, struct @_bytes b) {
    struct nacre_out *out = step->out;
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = @_run(step, b, at, &n);
        if (step->segments == out->segments_max) {
            step->counters[@_BROKEN]++;
            return;
        }
        out->segments[step->segments++] = (struct nacre_segment){.at = from, .len = n, .reserved = 0};
        output->segments_len++;
        output->len += n;
    }
}
/*@aside long_segments@*/

/* Adds the bytes of a message to an output and lets the message go: a block that is freed now is not used before the next call. */
@_INLINE void @_segments(struct @_step *step, struct nacre_output *output, struct @_bytes b) {
    struct nacre_out *out = step->out;
    const uint8_t *from;
    if (b.len == 0) { return; }
    if (@_LIKELY(b.block == @_IN)) {
        from = step->in + b.offset;
    } else if (@_LIKELY(@_SHORT(b))) {
        from = @_block(step->pool, b.block)->bytes + b.offset;
    } else if (b.block == @_MADE) {
        from = step->out->bytes + b.offset;
    } else {
        @_long_segments@aside(step, output, b);
        @_drop(step->pool, b);
        return;
    }
    if (@_UNLIKELY(step->segments == out->segments_max)) {
        step->counters[@_BROKEN]++;
    } else {
        struct nacre_segment *segment = &out->segments[step->segments++];
        segment->at = from;
        segment->len = b.len;
        output->segments_len++;
        output->len += b.len;
    }
    @_drop(step->pool, b);
}

/* The next output; none, where the bound was wrong. */
@_INLINE struct nacre_output *@_output(struct @_step *step, uint16_t port, uint16_t event) {
    struct nacre_out *out = step->out;
    if (@_UNLIKELY(step->outputs == out->outputs_max)) {
        step->counters[@_BROKEN]++;
        return NULL;
    }
    struct nacre_output *output = &out->outputs[step->outputs++];
    output->port = port;
    output->event = event;
    output->session = 0;
    output->len = 0;
    output->segments_len = 0;
    output->segments = NULL;
    return output;
}

/* The segments of an output along the likely way, head (if any) and data: the room was checked when the step began. */
@_INLINE void @_quick_segments(struct @_step *step, struct nacre_output *output, const uint8_t *head, uint32_t size, struct @_bytes b) {
    struct nacre_segment *segment = &step->out->segments[step->segments];
    uint32_t n = head != NULL && size > 0;
    output->segments = segment;
    if (n > 0) {
        segment[0].at = head;
        segment[0].len = size;
    }
    if (@_LIKELY(b.len > 0)) {
        if (@_LIKELY(b.block == @_IN)) {
            segment[n].at = step->in + b.offset;
        } else if (@_LIKELY(@_SHORT(b))) {
            struct @_block *block = @_block(step->pool, b.block);
            segment[n].at = block->bytes + b.offset;
            if (--block->references == 0) { @_free_block(step->pool, b.block); }
        } else if (b.block == @_MADE) {
            segment[n].at = step->out->bytes + b.offset;
        } else {
            output->len = size;
            output->segments_len = n;
            step->segments += n;
            @_long_segments@aside(step, output, @_COPY(b));
            @_drop(step->pool, b);
            return;
        }
        segment[n].len = b.len;
        n++;
    }
    output->len = size + b.len;
    output->segments_len = n;
    step->segments += n;
}

/* Whether the caller's arrays hold what a step can make. A bound of 0 is not compared: compilers warn of that. */
@_INLINE bool @_room(const struct nacre_out *out) {
    (void)out;
    return true
#if @_OUTPUTS > 0
        && out->outputs_max >= @_OUTPUTS
#endif
#if @_SEGMENTS > 0
        && out->segments_max >= @_SEGMENTS
#endif
#if @_BYTES > 0
        && out->bytes_max >= @_BYTES
#endif
        ;
}

/* A call that had no effect. */
@_INLINE int @_nothing(struct nacre_out *out, int result) {
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    return result;
}

/* The maximum number of blocks that a step takes: `copies` copies of the message, and `extra` others. */
@_INLINE uint64_t @_needed(uint32_t copies, uint32_t extra, uint32_t len) {
    if (@_LIKELY(len - 1u < @_BLOCK)) { return copies + extra; }
    return (uint64_t)copies * (len / @_BLOCK + (len % @_BLOCK != 0)) + extra;
}

/* An armed timer is its deadline plus one; what is too far away is as far as can be said. */
@_INLINE uint64_t @_after(uint64_t now, uint64_t delay) {
    uint64_t armed = now + delay + 1u;
    return @_UNLIKELY(armed <= now) ? UINT64_MAX : armed;
}

@_PLAIN uint8_t @_addr_byte(const struct nacre_addr *a, uint64_t i) {
    return i < 16u ? a->ip[i] : (uint8_t)((i < 18u ? a->port : a->family) >> (8u * (i & 1u)));
}

@_PLAIN uint32_t @_count_in(uint64_t word) { return @_count(&word, 1); }
@_PLAIN uint32_t @_first_in(uint64_t word) { return @_first(&word, 1); }

@_PLAIN const uint8_t *@_long_flat(struct @_step *step, struct @_bytes b) {
    uint32_t n = 0;
    if (b.len == 0) { return step->out->bytes; }
    const uint8_t *from = @_run(step, b, 0, &n);
    if (n == b.len) { return from; }
    if (!@_can_make(step, b.len)) { return from; }
    uint8_t *to = step->out->bytes + step->bytes;
    @_read(step, b, to);
    step->bytes += b.len;
    return to;
}
/*@aside long_flat@*/

/* Bytes in one run: copied to where things are made, if they are not. */
@_INLINE const uint8_t *@_flat(struct @_step *step, struct @_bytes b) {
    if (b.block == @_IN && b.len > 0) { return step->in + b.offset; }
    if (b.block == @_MADE) { return step->out->bytes + b.offset; }
    return @_long_flat@aside(step, b);
}
