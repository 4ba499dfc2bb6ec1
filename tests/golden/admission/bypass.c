/* bypass 00: deliver, along the likely way */
admission_INLINE void admission_bypass_0(struct admission_step *step, struct admission_msg m) {
    (void)step;
#line 4 "tests/golden/admission/source.nacre"
    struct admission_msg m_2 = m;
#line 4 "tests/golden/admission/source.nacre"
    admission_quick_out_above_up_deliver(step, m_2);
}

/* bypass 01: send, along the likely way */
admission_INLINE bool admission_bypass_1(struct admission_step *step, struct admission_msg m) {
    (void)step;
    if (admission_UNLIKELY(!(true))) { return false; }
#line 11 "tests/golden/admission/source.nacre"
    step->s->quota.left = (uint16_t)((uint32_t)step->s->quota.left - 1u);
    struct admission_msg m_2 = m;
#line 12 "tests/golden/admission/source.nacre"
    admission_quick_out_below_down_send(step, m_2);
#line 12 "tests/golden/admission/source.nacre"
    return true;
}

/* quota takes send */
admission_PLAIN void admission_slow_quota_down_send(struct admission_step *step, struct admission_msg m) {
    admission_slow_on_quota_down_send(step, m);
}

/* quota.down.send */
admission_PLAIN void admission_slow_on_quota_down_send(struct admission_step *step, struct admission_msg m) {
#line 10 "tests/golden/admission/source.nacre"
    (void)step;
    step->s->quota.left = (uint16_t)((uint32_t)step->s->quota.left - 1u);
    admission_out_below_down_send(step, m);
}

admission_INLINE int admission_left_delivery(struct nacre_out *out, struct nacre_delivery left) {
    struct nacre_output *output = out->outputs;
    out->outputs_len = out->segments_len = out->bytes_len = 0;
    if (left.event != NACRE_NONE) {
        output->port = 1;
        output->event = left.event;
        output->session = 0;
        output->len = output->segments_len = 0;
        output->segments = NULL;
        output->arguments[0] = left.argument;
        output++;
        out->outputs_len++;
    }
    if (admission_LIKELY(left.len > 0)) {
        output->port = 1;
        output->event = 3;
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


admission_APART int admission_rest_above_send(struct admission_state *s, struct admission_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (admission_UNLIKELY(data == NULL)) {
        if (len != 0) { return admission_nothing(out, NACRE_INVALID); }
        data = (const uint8_t *)"";
    }
    struct admission_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len};
    struct admission_step *const step = &this_step;
    struct admission_msg m = {.bytes = {.block = admission_IN, .offset = 0, .len = len}, .data = true};
    admission_slow_quota_down_send(step, m);
    admission_finish(step);
    return NACRE_OK;
}

admission_INLINE bool admission_admits_above_send(struct admission_step *step, struct admission_msg m) {
    (void)step;
    (void)m;
    if (admission_UNLIKELY(!((step->s->quota.left != 0) && (m.bytes.len <= 50u)))) { return false; }
    return true;
}

int admission_above_send(struct admission_state *s, struct admission_pool *pool, uint64_t *counters, uint64_t now, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    if (admission_UNLIKELY(!admission_room(out))) { return admission_nothing(out, NACRE_INVALID); }
    if (admission_UNLIKELY(data == NULL)) {
        if (len != 0) { return admission_nothing(out, NACRE_INVALID); }
        data = (const uint8_t *)"";
    }
    struct admission_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = data, .in_len = len};
    struct admission_step *const step = &this_step;
    struct admission_msg m = {.bytes = {.block = admission_IN, .offset = 0, .len = len}, .data = true};
    if (admission_UNLIKELY(!admission_admits_above_send(step, m))) {
        counters[admission_REFUSED]++;
        return admission_nothing(out, NACRE_REFUSED);
    }
    if (admission_LIKELY(admission_bypass_1(step, (struct admission_msg){.bytes = m.bytes, .data = m.data}))) {
        admission_finish(step);
        return NACRE_OK;
    }
    return admission_rest_above_send(s, pool, counters, now, data, len, out);
}
