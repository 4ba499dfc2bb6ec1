/* Runs steps of stacks and deals with what comes out: frames leave at once, events are lent one by one, and when they
 * are no longer lent the stack settles. */

enum operation { INPUT, CALL, TICK };
struct step {
    enum operation operation;
    uint32_t event;
    const uint64_t *arguments; /* NULL: zeros */
    const uint8_t *data;
    uint32_t len;
};

static const struct nacre_stack *stack_of(const struct nacre_listener *l, const struct connection *c) {
    return l->kinds[c->kind].given.stack;
}

/* The earliest of the times at which something is to be done for a connection. */
static uint64_t next_ping(const struct nacre_listener *l, const struct connection *c);
static uint64_t next_hello(const struct connection *c);
static void do_after(struct nacre_listener *l);
static void say_farewell(struct nacre_listener *l, struct connection *c);

static uint64_t silence_ends(const struct nacre_listener *l, const struct connection *c) {
    return later_by(c->heard_at, l->options.timeout);
}

/* Enters a connection's deadline into the timers. */
static void reschedule(struct nacre_listener *l, struct connection *c) {
    uint64_t at = larger(stack_of(l, c)->deadline(c->state), c->tick_after);
    if (c->phase == LINGERING) {
        at = at_most(at, c->linger_until);
    } else {
        at = at_most(at_most(at, silence_ends(l, c)), at_most(next_ping(l, c), next_hello(c)));
    }
    wake_at(l, c, at > l->time ? at : l->time);
}

/* Whether a frame may be sent. If so it counts as sent, otherwise as withheld. */
static bool count_out(struct nacre_listener *l, struct connection *c, uint64_t len) {
    if (c->has_budget && !budget_spend(&c->budget, len)) {
        l->statistics.withheld++;
        return false;
    }
    l->statistics.frames_out++;
    return true;
}

/* Sends the frames of the active step; those of a connection that is not accepted yet are held back. */
static void send_frames(struct nacre_listener *l, struct connection *c) {
    if (c->farewell.are_set) {
        say_farewell(l, c);
    }
    for (uint32_t i = 0; i < l->out.outputs_len; i++) {
        const struct nacre_output *output = &l->out.outputs[i];
        if (output->port != 0) {
            continue;
        }
        if (c->phase == TENTATIVE) {
            uint8_t *at = append(&l->queue, HELD, 4 + (uint64_t)output->len, reserve(&l->options));
            if (at == NULL) {
                l->statistics.withheld++;
            } else {
                write_32(at, output->len);
                copy_segments(at + 4, output->segments, output->segments_len);
            }
        } else if (count_out(l, c, output->len)) {
            l->options.send(l->options.host, &c->address, output->segments, output->segments_len);
        }
    }
}

static void end_step(struct nacre_listener *l) {
    l->active.id = 0;
    l->out.outputs_len = 0;
}

/* Runs one step; its outputs are active afterwards. */
static int run_step(struct nacre_listener *l, struct connection *c, const struct step *step) {
    static const uint64_t zeros[4] = {0, 0, 0, 0};
    const struct nacre_stack *stack = stack_of(l, c);
    uint64_t *counters = l->kinds[c->kind].counters;
    int result;
    l->out.outputs_len = 0;
    switch (step->operation) {
    case INPUT:
        result = stack->input(c->state, c->pool, counters, l->time, &c->name, step->data, step->len, &l->out);
        break;
    case CALL:
        result = stack->call(c->state, c->pool, counters, l->time, step->event,
                             step->arguments != NULL ? step->arguments : zeros, &c->name, step->data, step->len,
                             &l->out);
        break;
    default:
        result = stack->tick(c->state, c->pool, counters, l->time, &l->out);
        break;
    }
    l->active.id = c->id;
    l->active.next = 0;
    if (result == NACRE_OK) {
        look_again(l, c);
    }
    return result;
}

/* Interprets an output for the application; false: it does not concern it. */
static bool translate(struct nacre_listener *l, const struct connection *c, const struct nacre_output *output,
                      struct nacre_listener_event *event) {
    const struct kind *kind = &l->kinds[c->kind];
    if (c->phase == LINGERING || output->port == 0 || output->event >= kind->given.stack->events_len) {
        return false;
    }
    memset(event, 0, sizeof *event);
    event->connection = c->id;
    event->stack = c->kind;
    event->event = output->event;
    event->segments = output->segments;
    event->segments_len = output->segments_len;
    event->len = output->segments_len > 0 ? output->len : 0;
    if (output->event == kind->deliver) {
        event->kind = NACRE_DELIVERED;
        /* The frame that brings it may be what proves its sender. */
        event->is_proven = c->confirmed || !c->arrived || l->after.confirmed == c->id;
        return true;
    }
    if (output->event == kind->grant_sends) {
        return false;
    }
    if (output->event == kind->opened) {
        l->after.confirmed = c->id;
        event->kind = NACRE_OPENED;
        return true;
    }
    if (output->event == kind->closed) {
        l->after.ended = c->id;
        /* One without a number has none. */
        bool is_told = kind->given.stack->events[output->event].arguments > 0;
        l->after.reason = is_told ? (uint32_t)output->arguments[0] : NACRE_CLOSED;
        event->kind = NACRE_ENDED;
        event->reason = l->after.reason;
        event->has_words = c->peer_words.are_set;
        event->code = c->peer_words.code;
        event->text = c->peer_words.text;
        event->text_len = c->peer_words.len;
        return true;
    }
    if (kind->given.stack->events[output->event].role == NACRE_EVENT_OPENING) {
        return false;
    }
    event->kind = NACRE_OTHER;
    uint32_t numbers = kind->given.stack->events[output->event].arguments;
    memcpy(event->arguments, output->arguments, 8 * (numbers < 4 ? numbers : 4));
    return true;
}

/* The next event of the active step that concerns the application. */
static bool next_of_active(struct nacre_listener *l, struct nacre_listener_event *event) {
    const struct connection *c = connection(l, l->active.id);
    while (c != NULL && l->active.next < l->out.outputs_len) {
        if (translate(l, c, &l->out.outputs[l->active.next++], event)) {
            return true;
        }
    }
    return false;
}

/* Copies the events of the active step that were not handed out; false: there is no room for the next one. */
static bool copy_rest(struct nacre_listener *l) {
    struct nacre_listener_event event;
    while (next_of_active(l, &event)) {
        if (!append_event(l, &event, reserve(&l->options))) {
            l->active.next--;
            return false;
        }
    }
    return true;
}

/* Ends the loan of the active step: what the application has not seen is copied, the stack settles, and what had to
 * wait for that is done. false: there is no room for what the application has not seen. */
static bool end_loan(struct nacre_listener *l) {
    struct connection *c = connection(l, l->active.id);
    if (!copy_rest(l)) {
        return false;
    }
    if (c != NULL) {
        l->out.outputs_len = 0;
        stack_of(l, c)->settle(c->state, c->pool, l->kinds[c->kind].counters, &l->out);
        l->active.next = 0;
        if (l->out.outputs_len > 0) {
            send_frames(l, c);
            if (!copy_rest(l)) {
                return false;
            }
        }
    }
    end_step(l);
    do_after(l);
    return true;
}

/* The same with the timers of its connection. */
static bool release(struct nacre_listener *l) {
    uint64_t id = l->active.id;
    if (id == 0) {
        return true;
    }
    if (!end_loan(l)) {
        return false;
    }
    struct connection *c = connection(l, id);
    if (c != NULL) {
        reschedule(l, c);
    }
    return true;
}

/* Runs the `later` events that wait: they come before all others. */
static bool catch_up(struct nacre_listener *l, struct connection *c) {
    static const struct step tick = {TICK, 0, NULL, NULL, 0};
    for (uint32_t i = 0; i < CATCH_UP_MAX && stack_of(l, c)->deadline(c->state) == 0; i++) {
        if (run_step(l, c, &tick) != NACRE_OK) {
            break;
        }
        send_frames(l, c);
        if (!copy_rest(l)) {
            return false;
        }
    }
    end_step(l);
    return true;
}

/* Runs one step of a connection; it is active afterwards. NACRE_BUSY: there is no room for events that were not taken;
 * NACRE_GONE: the connection has ended. */
static int run(struct nacre_listener *l, uint64_t id, const struct step *step) {
    uint64_t last = l->active.id;
    if (last != 0 && !end_loan(l)) {
        return NACRE_BUSY;
    }
    struct connection *c = connection(l, last);
    if (c != NULL && last != id) {
        reschedule(l, c);
    }
    c = connection(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    if (!catch_up(l, c)) {
        return NACRE_BUSY;
    }
    int result = run_step(l, c, step);
    send_frames(l, c);
    return result;
}

/* Calls an event without a message. */
static int call(struct nacre_listener *l, uint64_t id, uint16_t event, const uint64_t *arguments) {
    struct step step = {CALL, event, arguments, NULL, 0};
    return run(l, id, &step);
}
