//@ soonest: the armed timer that fires first.
struct @_due {
    uint64_t deadline;
    uint32_t timer;
    uint64_t index[@depth];
};

/* The armed timer that fires first: by deadline, layer from the bottom, declaration, index. */
@_PLAIN void @_soonest(const struct @_state *s, struct @_due *due) {
    (void)s;
    due->deadline = NACRE_NEVER;
    due->timer = 0;
    @timers
}
//@ deadline: when the host calls `tick` next.
uint64_t @_deadline(const struct @_state *s) {
    @waits
    struct @_due due = {.timer = 0};
    @_soonest(s, &due);
    return due.deadline;
}
