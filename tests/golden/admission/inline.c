/* quota takes deliver */
admission_PLAIN void admission_slow_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
    admission_slow_on_quota_up_deliver(step, m);
}

/* quota takes deliver, along the likely way */
admission_INLINE void admission_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
    admission_on_quota_up_deliver(step, m);
}

/* quota takes send, along the likely way */
admission_INLINE void admission_quota_down_send(struct admission_step *step, struct admission_msg m) {
    admission_on_quota_down_send(step, m);
}

/* quota.down.send, along the likely way */
admission_INLINE void admission_on_quota_down_send(struct admission_step *step, struct admission_msg m) {
#line 10 "tests/golden/admission/source.nacre"
    (void)step;
    step->s->quota.left = (uint16_t)((uint32_t)step->s->quota.left - 1u);
    admission_quick_out_below_down_send(step, m);
}

/* quota.up.deliver */
admission_PLAIN void admission_slow_on_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
#line 4 "tests/golden/admission/source.nacre"
    (void)step;
#line 4 "tests/golden/admission/source.nacre"
    admission_out_above_up_deliver(step, m);
}

/* quota.up.deliver, along the likely way */
admission_INLINE void admission_on_quota_up_deliver(struct admission_step *step, struct admission_msg m) {
#line 4 "tests/golden/admission/source.nacre"
    (void)step;
#line 4 "tests/golden/admission/source.nacre"
    admission_quick_out_above_up_deliver(step, m);
}

