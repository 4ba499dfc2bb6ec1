/* again takes deliver */
timer_PLAIN void timer_slow_again_up_deliver(struct timer_step *step, struct timer_msg m) {
    timer_slow_on_again_up_deliver(step, m);
}

/* again takes deliver, along the likely way */
timer_INLINE void timer_again_up_deliver(struct timer_step *step, struct timer_msg m) {
    timer_on_again_up_deliver(step, m);
}

/* again takes send */
timer_PLAIN void timer_slow_again_down_send(struct timer_step *step, struct timer_msg m) {
    timer_slow_on_again_down_send(step, m);
}

/* again takes send, along the likely way */
timer_INLINE void timer_again_down_send(struct timer_step *step, struct timer_msg m) {
    timer_on_again_down_send(step, m);
}

/* again.down.send */
timer_PLAIN void timer_slow_on_again_down_send(struct timer_step *step, struct timer_msg m) {
#line 7 "tests/golden/timer/source.nacre"
    (void)step;
    timer_share(step->pool, m.bytes);
#line 8 "tests/golden/timer/source.nacre"
    struct timer_maybe_msg some = {.some = true, .value = m};
#line 8 "tests/golden/timer/source.nacre"
    timer_keep_maybe_msg(step, &some);
#line 8 "tests/golden/timer/source.nacre"
    timer_drop_maybe_msg(step->pool, &step->s->again.last);
#line 8 "tests/golden/timer/source.nacre"
    step->s->again.last = some;
    step->s->again.repeat = timer_after(step->now, UINT64_C(0x1312d00));
    timer_out_below_down_send(step, m);
}

/* again.down.send, along the likely way */
timer_INLINE void timer_on_again_down_send(struct timer_step *step, struct timer_msg m) {
#line 7 "tests/golden/timer/source.nacre"
    (void)step;
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
    timer_quick_out_below_down_send(step, m);
}

/* again.on.repeat */
timer_PLAIN void timer_slow_on_again_on_repeat(struct timer_step *step) {
#line 19 "tests/golden/timer/source.nacre"
    (void)step;
    if (step->s->again.last.some) {
#line 20 "tests/golden/timer/source.nacre"
        timer_share(step->pool, step->s->again.last.value.bytes);
#line 20 "tests/golden/timer/source.nacre"
        struct timer_msg copy = step->s->again.last.value;
#line 20 "tests/golden/timer/source.nacre"
        timer_out_below_down_send(step, copy);
    }
#line 21 "tests/golden/timer/source.nacre"
    step->s->again.repeat = timer_after(step->now, UINT64_C(0x1312d00));
}

/* again.up.deliver */
timer_PLAIN void timer_slow_on_again_up_deliver(struct timer_step *step, struct timer_msg m) {
#line 13 "tests/golden/timer/source.nacre"
    (void)step;
    timer_drop_maybe_msg(step->pool, &step->s->again.last);
#line 14 "tests/golden/timer/source.nacre"
    memset(&step->s->again.last, 0, sizeof step->s->again.last);
    step->s->again.repeat = 0;
    timer_out_above_up_deliver(step, m);
}

/* again.up.deliver, along the likely way */
timer_INLINE void timer_on_again_up_deliver(struct timer_step *step, struct timer_msg m) {
#line 13 "tests/golden/timer/source.nacre"
    (void)step;
    timer_drop_maybe_msg(step->pool, &step->s->again.last);
#line 14 "tests/golden/timer/source.nacre"
    memset(&step->s->again.last, 0, sizeof step->s->again.last);
    step->s->again.repeat = 0;
    timer_quick_out_above_up_deliver(step, m);
}

struct timer_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[1];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
timer_PLAIN void timer_soonest(const struct timer_state *s, struct timer_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
    /* again.repeat */
    if (s->again.repeat - 1u < due->deadline) {
        due->deadline = s->again.repeat - 1u;
        due->timer = 0;
    }
}

int timer_tick(struct timer_state *s, struct timer_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) {
    struct timer_due due = {.timer = 0};
    if (!timer_room(out)) { return timer_nothing(out, NACRE_INVALID); }
    timer_soonest(s, &due);
    if ((due.deadline == NACRE_NEVER || due.deadline > now)) { return timer_nothing(out, NACRE_IDLE); }
    struct timer_step this_step = {.s = s, .pool = pool, .counters = counters, .out = out, .now = now, .in = NULL, .in_len = 0};
    struct timer_step *const step = &this_step;
    switch (due.timer) {
        case 0: /* again.repeat */
            s->again.repeat = 0;
            timer_slow_on_again_on_repeat(step);
            break;

        default: break;
    }
    timer_finish(step);
    return NACRE_OK;
}

uint64_t timer_deadline(const struct timer_state *s) {
    struct timer_due due = {.timer = 0};
    timer_soonest(s, &due);
    return due.deadline;
}

