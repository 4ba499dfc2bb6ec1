/* bypass 00: deliver, along the likely way */
order_INLINE void order_bypass_0(struct order_step *step, struct order_msg m) {
    (void)step;
#line 10 "tests/golden/order/source.nacre"
    struct order_msg m_2 = m;
#line 25 "tests/golden/order/source.nacre"
    step->s->counted.seen = (uint8_t)((uint32_t)step->s->counted.seen + 1u);
    uint8_t at = step->s->counted.seen;
    struct order_msg m_3 = m_2;
#line 27 "tests/golden/order/source.nacre"
    order_quick_out_above_up_marked(step, at);
#line 27 "tests/golden/order/source.nacre"
    order_quick_out_above_up_deliver(step, m_3);
}

/* bypass 01: send, along the likely way */
order_INLINE bool order_bypass_1(struct order_step *step, struct order_msg m) {
    (void)step;
    if (order_UNLIKELY(!(true))) { return false; }
#line 21 "tests/golden/order/source.nacre"
    struct order_msg m_2 = m;
#line 14 "tests/golden/order/source.nacre"
    order_put_off_counted_up_marked_aside(step, step->s->echo.last);
    order_share(step->pool, m_2.bytes);
#line 15 "tests/golden/order/source.nacre"
    struct order_msg m_3 = m_2;
    struct order_msg m_4 = m_2;
    step->s->echo.last = (uint8_t)((uint32_t)step->s->echo.last + 1u);
#line 17 "tests/golden/order/source.nacre"
    struct order_msg m_5 = m_3;
#line 25 "tests/golden/order/source.nacre"
    step->s->counted.seen = (uint8_t)((uint32_t)step->s->counted.seen + 1u);
    uint8_t at = step->s->counted.seen;
    struct order_msg m_6 = m_5;
#line 27 "tests/golden/order/source.nacre"
    order_quick_out_below_down_send(step, m_4);
#line 27 "tests/golden/order/source.nacre"
    order_quick_out_above_up_marked(step, at);
#line 27 "tests/golden/order/source.nacre"
    order_quick_out_above_up_deliver(step, m_6);
#line 27 "tests/golden/order/source.nacre"
    return true;
}

/* echo takes send */
order_PLAIN void order_slow_echo_down_send(struct order_step *step, struct order_msg m) {
    order_slow_on_echo_down_send(step, m);
}

/* echo.down.send */
order_PLAIN void order_slow_on_echo_down_send(struct order_step *step, struct order_msg m) {
#line 13 "tests/golden/order/source.nacre"
    (void)step;
    order_put_off_counted_up_marked(step, step->s->echo.last);
    order_share(step->pool, m.bytes);
#line 15 "tests/golden/order/source.nacre"
    order_slow_counted_up_deliver(step, m);
    order_out_below_down_send(step, m);
    step->s->echo.last = (uint8_t)((uint32_t)step->s->echo.last + 1u);
}

/* counted takes send */
order_PLAIN void order_slow_counted_down_send(struct order_step *step, struct order_msg m) {
    order_slow_on_counted_down_send(step, m);
}

/* counted.down.send */
order_PLAIN void order_slow_on_counted_down_send(struct order_step *step, struct order_msg m) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_slow_echo_down_send(step, m);
}

