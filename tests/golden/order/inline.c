/* echo takes deliver */
order_PLAIN void order_slow_echo_up_deliver(struct order_step *step, struct order_msg m) {
    order_slow_on_echo_up_deliver(step, m);
}

/* echo takes deliver, along the likely way */
order_INLINE void order_echo_up_deliver(struct order_step *step, struct order_msg m) {
    order_on_echo_up_deliver(step, m);
}

/* echo takes send, along the likely way */
order_INLINE void order_echo_down_send(struct order_step *step, struct order_msg m) {
    order_on_echo_down_send(step, m);
}

/* echo.down.send, along the likely way */
order_INLINE void order_on_echo_down_send(struct order_step *step, struct order_msg m) {
#line 13 "tests/golden/order/source.nacre"
    (void)step;
    order_put_off_counted_up_marked_aside(step, step->s->echo.last);
    order_share(step->pool, m.bytes);
#line 15 "tests/golden/order/source.nacre"
    order_counted_up_deliver(step, m);
    order_quick_out_below_down_send(step, m);
    step->s->echo.last = (uint8_t)((uint32_t)step->s->echo.last + 1u);
}

/* echo.up.deliver */
order_PLAIN void order_slow_on_echo_up_deliver(struct order_step *step, struct order_msg m) {
#line 10 "tests/golden/order/source.nacre"
    (void)step;
#line 10 "tests/golden/order/source.nacre"
    order_slow_counted_up_deliver(step, m);
}

/* echo.up.deliver, along the likely way */
order_INLINE void order_on_echo_up_deliver(struct order_step *step, struct order_msg m) {
#line 10 "tests/golden/order/source.nacre"
    (void)step;
#line 10 "tests/golden/order/source.nacre"
    order_counted_up_deliver(step, m);
}

/* counted takes deliver */
order_PLAIN void order_slow_counted_up_deliver(struct order_step *step, struct order_msg m) {
    order_slow_on_counted_up_deliver(step, m);
}

/* counted takes deliver, along the likely way */
order_INLINE void order_counted_up_deliver(struct order_step *step, struct order_msg m) {
    order_on_counted_up_deliver(step, m);
}

/* counted takes marked */
order_PLAIN void order_slow_counted_up_marked(struct order_step *step, uint8_t at) {
    order_slow_on_counted_up_marked(step, at);
}

/* counted takes send, along the likely way */
order_INLINE void order_counted_down_send(struct order_step *step, struct order_msg m) {
    order_on_counted_down_send(step, m);
}

/* counted.down.send, along the likely way */
order_INLINE void order_on_counted_down_send(struct order_step *step, struct order_msg m) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_echo_down_send(step, m);
}

/* counted.up.deliver */
order_PLAIN void order_slow_on_counted_up_deliver(struct order_step *step, struct order_msg m) {
#line 24 "tests/golden/order/source.nacre"
    (void)step;
    step->s->counted.seen = (uint8_t)((uint32_t)step->s->counted.seen + 1u);
    order_out_above_up_marked(step, step->s->counted.seen);
    order_out_above_up_deliver(step, m);
}

/* counted.up.deliver, along the likely way */
order_INLINE void order_on_counted_up_deliver(struct order_step *step, struct order_msg m) {
#line 24 "tests/golden/order/source.nacre"
    (void)step;
    step->s->counted.seen = (uint8_t)((uint32_t)step->s->counted.seen + 1u);
    order_quick_out_above_up_marked(step, step->s->counted.seen);
    order_quick_out_above_up_deliver(step, m);
}

/* counted.up.marked */
order_PLAIN void order_slow_on_counted_up_marked(struct order_step *step, uint8_t at) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_out_above_up_marked(step, at);
}

