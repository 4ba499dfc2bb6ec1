/* echo.down.send */
order_PLAIN void order_on_echo_down_send(struct order_step *step, struct order_msg m) {
#line 13 "tests/golden/order/source.nacre"
    (void)step;
    order_put_off_counted_up_marked(step, step->s->echo.last);
    order_share(step->pool, m.bytes);
#line 15 "tests/golden/order/source.nacre"
    order_counted_up_deliver(step, m);
    order_out_below_down_send(step, m);
    step->s->echo.last = (uint8_t)((uint32_t)step->s->echo.last + 1u);
}

/* echo.up.deliver */
order_PLAIN void order_on_echo_up_deliver(struct order_step *step, struct order_msg m) {
#line 10 "tests/golden/order/source.nacre"
    (void)step;
#line 10 "tests/golden/order/source.nacre"
    order_counted_up_deliver(step, m);
}

/* counted.down.send */
order_PLAIN void order_on_counted_down_send(struct order_step *step, struct order_msg m) {
#line 21 "tests/golden/order/source.nacre"
    (void)step;
#line 21 "tests/golden/order/source.nacre"
    order_echo_down_send(step, m);
}

