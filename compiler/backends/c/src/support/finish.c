@_INLINE void @_finish(struct @_step *step) {
    /*@queue if (@_UNLIKELY(step->len > 0)) { @_run_queue@aside(step); } @*/
    if (@_UNLIKELY(step->held)) {
        @_drop_long(step->pool, (struct @_bytes){.block = step->kept, .offset = 0, .len = step->in_len});
    }
    step->out->outputs_len = step->outputs;
    step->out->segments_len = step->segments;
    step->out->bytes_len = step->bytes;
}

