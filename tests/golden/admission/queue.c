
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct admission_bytes { uint32_t block, offset, len; };
struct admission_msg { /* a message without headers */
    struct admission_bytes bytes;
    bool data;
};

struct admission_state {
    struct { /* quota<LONGEST = 50> */
        uint16_t quota;
        uint16_t left;
    } quota;
    uint8_t nacre_nothing;
};

struct admission_config {
    uint16_t quota_quota;
};

/* quota takes deliver */
admission_PLAIN void admission_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
    admission_on_quota_up_deliver(step, m);
}

/* quota takes send */
admission_PLAIN void admission_quota_down_send(struct admission_step *step, struct admission_msg m) {
    admission_on_quota_down_send(step, m);
}

/* quota.down.send */
admission_PLAIN void admission_on_quota_down_send(struct admission_step *step, struct admission_msg m) {
#line 10 "tests/golden/admission/source.nacre"
    (void)step;
    step->s->quota.left = (uint16_t)((uint32_t)step->s->quota.left - 1u);
    admission_out_below_down_send(step, m);
}

/* quota.up.deliver */
admission_PLAIN void admission_on_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
#line 4 "tests/golden/admission/source.nacre"
    (void)step;
#line 4 "tests/golden/admission/source.nacre"
    admission_out_above_up_deliver(step, m);
}

void admission_config_default(struct admission_config *config) {
    memset(config, 0, sizeof *config);
    config->quota_quota = 3u;
}

int admission_open(struct admission_state *s, struct admission_pool *pool, uint64_t *counters, const struct admission_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out) {
    if (!admission_room(out)) { return admission_nothing(out, NACRE_INVALID); }
    memset(s, 0, sizeof *s);
    struct admission_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0};
    struct admission_step *const step = &this_step;
    s->quota.quota = config->quota_quota;
    (void)seed;
    (void)config;
    {
        s->quota.left = step->s->quota.quota;
    }
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
    admission_quota_down_send(step, m);
    admission_finish(step);
    return NACRE_OK;
}
int admission_call(struct admission_state *s, struct admission_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) {
    (void)arguments;
    (void)address;
    (void)data;
    switch (event) {
        case 2: { /* above_send */
            return admission_above_send(s, pool, counters, now, data, len, out);
        }
        default:
            (void)s;
            (void)pool;
            (void)counters;
            (void)now;
            (void)len;
            (void)out;
            return admission_nothing(out, NACRE_INVALID);

    }
}

bool admission_accepts(const struct admission_state *s, const struct admission_pool *pool, uint32_t event, uint32_t len) {
    struct admission_step this_step = {.s = (struct admission_state *)(uintptr_t)s, .pool = (struct admission_pool *)(uintptr_t)pool, .in_len = len};
    struct admission_step *const step = &this_step;
    switch (event) {
        case 2: return admission_admits_above_send(step, (struct admission_msg){.bytes = {.len = len}, .data = true}) && admission_needed(0u, 0u, len) <= (uint64_t)pool->free + pool->fresh;
        default: return false;
    }
}

