/* ---- what quick entries have returned, as outputs ---- */

//@ frame: a frame: its head lies in the bytes of `out`
@_INLINE int @_left_frame(struct nacre_out *out, uint16_t event, uint32_t head, const uint8_t *data, uint32_t len) {
    struct nacre_output *output = out->outputs;
    output->port = 0;
    output->event = event;
    output->session = 0;
    output->len = head + len;
    output->segments = out->segments;
    output->segments_len = 1 + (len > 0);
    out->segments[0].at = out->bytes;
    out->segments[0].len = head;
    if (@_LIKELY(len > 0)) {
        out->segments[1].at = data;
        out->segments[1].len = len;
    }
    out->outputs_len = 1;
    out->segments_len = 1 + (len > 0);
    out->bytes_len = head;
    return NACRE_OK;
}

//@ delivery: what came of a frame
@_INLINE int @_left_delivery(struct nacre_out *out, struct nacre_delivery left) {
    struct nacre_output *output = out->outputs;
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    if (left.event != NACRE_NONE) {
        output->port = @port;
        output->event = left.event;
        output->session = 0;
        output->len = output->segments_len = 0;
        output->segments = NULL;
        output->arguments[0] = left.argument;
        output++;
        out->outputs_len++;
    }
    if (@_LIKELY(left.len > 0)) {
        output->port = @port;
        output->event = @event;
        output->session = 0;
        output->len = left.len;
        output->segments = out->segments;
        output->segments_len = out->segments_len = 1;
        out->segments[0].at = left.at;
        out->segments[0].len = left.len;
        out->outputs_len++;
    }
    return NACRE_OK;
}

//@ any_send: the quick entry of the event that sends, for drivers of any stack
static uint32_t @_any_send_quick(void *s, void *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len,
        uint8_t *head) { return @name(s, pool, counters, now, data, len, head); }

//@ any_input: the quick entry of frames
static struct nacre_delivery @_any_input_quick(void *s, void *pool, uint64_t *counters, uint64_t now,
        const struct nacre_addr *from, const uint8_t *frame, uint32_t len) { return @_input_quick(s, pool, counters, now, from, frame, len); }
