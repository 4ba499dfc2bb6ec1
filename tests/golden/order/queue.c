
/* Bytes of a message: pool block (from 1) or where else they are, first byte, how many. */
struct order_bytes { uint32_t block, offset, len; };
struct order_msg { /* a message without headers */
    struct order_bytes bytes;
    bool data;
};
struct order_waiting {
    uint32_t what;
    union {
        uint8_t nothing;
        struct {
            uint8_t at;
        } counted_up_marked;
    } with;
};

struct order_state {
    struct { /* echo */
        uint8_t last;
    } echo;
    struct { /* counted */
        uint8_t seen;
    } counted;
    struct {
        uint32_t head, len;
        struct order_waiting at[16];
    } waiting;
    uint8_t nacre_nothing;
};

struct order_config {
    uint8_t nothing;
};

/* An event that waits for its turn. */
struct order_event {
    uint32_t what;
    union {
        uint8_t nothing;
        struct {
            struct order_msg m;
        } echo_down_send;
        struct {
            struct order_msg m;
        } counted_up_deliver;
    } with;
};

/* echo takes deliver */
order_PLAIN void order_echo_up_deliver(struct order_step *step, struct order_msg m) {
    order_on_echo_up_deliver(step, m);
}

/* echo takes send */
order_PLAIN void order_echo_down_send(struct order_step *step, struct order_msg m) {
    order_on_echo_down_send(step, m);
}

/* echo.down.send */
order_PLAIN void order_on_echo_down_send(struct order_step *step, struct order_msg m) {
#line 13 "tests/golden/order/source.nacre"
    (void)step;
    order_put_off_counted_up_marked(step, step->s->echo.last);
    order_share(step->pool, m.bytes);
#line 15 "tests/golden/order/source.nacre"
    order_queue_counted_up_deliver(step, m);
    order_out_below_down_send(step, m);
    step->s->echo.last = (uint8_t)((uint32_t)step->s->echo.last + 1u);
}

/* echo.up.deliver */
order_PLAIN void order_on_echo_up_deliver(struct order_step *step, struct order_msg m) {
#line 10 "tests/golden/order/source.nacre"
    (void)step;
#line 10 "tests/golden/order/source.nacre"
    order_queue_counted_up_deliver(step, m);
}

/* counted takes deliver */
order_PLAIN void order_counted_up_deliver(struct order_step *step, struct order_msg m) {
    order_on_counted_up_deliver(step, m);
}

/* counted takes marked */
order_PLAIN void order_counted_up_marked(struct order_step *step, uint8_t at) {
    order_on_counted_up_marked(step, at);
}

/* counted takes send */
order_PLAIN void order_counted_down_send(struct order_step *step, struct order_msg m) {
    order_on_counted_down_send(step, m);
}

/* counted.down.send */
order_PLAIN void order_on_counted_down_send(struct order_step *step, struct order_msg m) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_queue_echo_down_send(step, m);
}

/* counted.up.deliver */
order_PLAIN void order_on_counted_up_deliver(struct order_step *step, struct order_msg m) {
#line 24 "tests/golden/order/source.nacre"
    (void)step;
    step->s->counted.seen = (uint8_t)((uint32_t)step->s->counted.seen + 1u);
    order_out_above_up_marked(step, step->s->counted.seen);
    order_out_above_up_deliver(step, m);
}

/* counted.up.marked */
order_PLAIN void order_on_counted_up_marked(struct order_step *step, uint8_t at) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_out_above_up_marked(step, at);
}

order_PLAIN void order_queue_echo_down_send(struct order_step *step, struct order_msg m) {
    if (order_UNLIKELY(step->len == order_QUEUE)) {
        order_drop(step->pool, m.bytes);
        step->counters[order_BROKEN]++;
        return;
    }
    struct order_event *e = &step->more->queue[step->first + step->len < order_QUEUE ? step->first + step->len : step->first + step->len - order_QUEUE]; step->len++;
    e->what = 0; /* echo_down_send */
    e->with.echo_down_send.m = m;
}

order_PLAIN void order_queue_counted_up_deliver(struct order_step *step, struct order_msg m) {
    if (order_UNLIKELY(step->len == order_QUEUE)) {
        order_drop(step->pool, m.bytes);
        step->counters[order_BROKEN]++;
        return;
    }
    struct order_event *e = &step->more->queue[step->first + step->len < order_QUEUE ? step->first + step->len : step->first + step->len - order_QUEUE]; step->len++;
    e->what = 1; /* counted_up_deliver */
    e->with.counted_up_deliver.m = m;
}

order_PLAIN void order_put_off_counted_up_marked(struct order_step *step, uint8_t at) {
    if (order_UNLIKELY(step->s->waiting.len == order_WAITING)) {
        step->counters[order_BROKEN]++;
        return;
    }
    struct order_waiting *e = &step->s->waiting.at[(step->s->waiting.head + step->s->waiting.len++) % order_WAITING];
    e->what = 0; /* counted_up_marked */
    e->with.counted_up_marked.at = at;
}

/* The scheduler: hands the events in the queue to the layers, first come, first served. */
order_PLAIN void order_run_queue(struct order_step *step) {
    while (step->len > 0) {
        struct order_event e = step->more->queue[step->first];
        step->first = step->first + 1u < order_QUEUE ? step->first + 1u : step->first + 1u - order_QUEUE;
        step->len--;
        switch (e.what) {
            case 0: order_echo_down_send(step, e.with.echo_down_send.m); break;
            case 1: order_counted_up_deliver(step, e.with.counted_up_deliver.m); break;
            default: break;
        }
    }
}

