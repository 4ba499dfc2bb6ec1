/* bypass 00: deliver, along the likely way */
timer_INLINE void timer_bypass_0(struct timer_step *step, struct timer_msg m) {
    (void)step;
#line 14 "tests/golden/timer/source.nacre"
    timer_drop_maybe_msg(step->pool, &step->s->again.last);
#line 14 "tests/golden/timer/source.nacre"
    memset(&step->s->again.last, 0, sizeof step->s->again.last);
    step->s->again.repeat = 0;
    struct timer_msg m_2 = m;
#line 16 "tests/golden/timer/source.nacre"
    timer_quick_out_above_up_deliver(step, m_2);
}

/* bypass 01: send, along the likely way */
timer_INLINE bool timer_bypass_1(struct timer_step *step, struct timer_msg m) {
    (void)step;
    if (timer_UNLIKELY(!(true))) { return false; }
#line 8 "tests/golden/timer/source.nacre"
    timer_share(step->pool, m.bytes);
#line 8 "tests/golden/timer/source.nacre"
    struct timer_maybe_msg some = {.some = true, .value = m};
#line 8 "tests/golden/timer/source.nacre"
    timer_keep_maybe_msg_aside(step, &some);
#line 8 "tests/golden/timer/source.nacre"
    timer_drop_maybe_msg(step->pool, &step->s->again.last);
#line 8 "tests/golden/timer/source.nacre"
    step->s->again.last = some;
    step->s->again.repeat = timer_after(step->now, UINT64_C(0x1312d00));
    struct timer_msg m_2 = m;
#line 10 "tests/golden/timer/source.nacre"
    timer_quick_out_below_down_send(step, m_2);
#line 10 "tests/golden/timer/source.nacre"
    return true;
}

