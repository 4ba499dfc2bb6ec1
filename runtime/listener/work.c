/* The work of a listener without a datagram: timers, and connections that wait for their stack. */

#define AGAIN_NS MILLISECOND

static void owe(struct nacre_listener *l) {
    struct connection *c = connection(l, l->handed_out);
    l->handed_out = 0;
    if (c != NULL && c->grants_by_listener && l->kinds[c->kind].grant_delivers != NACRE_NONE) {
        c->owed++;
        look_again(l, c);
    }
}

static void set_time(struct nacre_listener *l, uint64_t now) {
    l->time = now > l->time ? now : l->time;
}

/* Whether a call may begin: there is room for what it reports itself, and for what was not taken of the last step. */
static bool prepare(struct nacre_listener *l, uint64_t now) {
    set_time(l, now);
    compact(&l->queue);
    if (l->queue.size - l->queue.tail < reserve(&l->options) || !release(l)) {
        return false;
    }
    return l->queue.size - l->queue.tail >= reserve(&l->options);
}

/* A connection's time has come: its stack's, or the keepalive's. */
static void look_after(struct nacre_listener *l, struct connection *c) {
    static const struct step tick = {TICK, 0, NULL, NULL, 0};
    uint64_t id = c->id;
    if (c->phase == LINGERING && c->linger_until <= l->time) {
        remove_connection(l, c);
        return;
    }
    /* Frames that arrived while this process was stopped or busy come before the peer's silence. */
    if (c->phase == LIVE && silence_ends(l, c) <= l->handled_until) {
        end(l, c, NACRE_TIMEOUT);
        return;
    }
    if (next_ping(l, c) <= l->time) {
        send_ping(l, c);
    }
    if (next_hello(c) <= l->time) {
        say_hello(l, c);
    }
    c = connection(l, id);
    bool is_due = c != NULL && larger(stack_of(l, c)->deadline(c->state), c->tick_after) <= l->time;
    if (is_due && run(l, id, &tick) != NACRE_OK && (c = connection(l, id)) != NULL) {
        c->tick_after = later_by(l->time, AGAIN_NS);
    }
    /* Entered at once, not when the outputs have been handed out: an application that takes no events must not stop
     * the timers. */
    c = connection(l, id);
    if (c != NULL) {
        reschedule(l, c);
    }
}

static bool one_timer(struct nacre_listener *l) {
    if (l->heap_len == 0) {
        return false;
    }
    struct connection *c = &l->connections[l->heap[0]];
    if (c->wake > l->time) {
        return false;
    }
    leave_heap(l, c);
    look_after(l, c);
    return true;
}

/* Makes a call that the stack may refuse: once it has changed, the connection is looked at again. */
static bool attempt(struct nacre_listener *l, uint64_t id, uint16_t event, const uint64_t *arguments) {
    int result = call(l, id, event, arguments);
    release(l);
    struct connection *c = connection(l, id);
    if (result == NACRE_BUSY && c != NULL) {
        look_again(l, c);
    }
    return result == NACRE_OK;
}

/* Grants the stack the messages that the application has taken. */
static bool pay_grants(struct nacre_listener *l, uint64_t id) {
    struct connection *c = connection(l, id);
    uint16_t event = c != NULL ? l->kinds[c->kind].grant_delivers : NACRE_NONE;
    if (event == NACRE_NONE || c->owed == 0) {
        return false;
    }
    uint64_t arguments[4] = {at_most(c->owed, UINT16_MAX), 0, 0, 0};
    bool done = attempt(l, id, event, arguments);
    c = connection(l, id);
    if (c != NULL && done) {
        c->owed -= arguments[0];
    }
    return done;
}

/* Closes a connection at the application's request, if its stack accepts it now. */
static bool try_close(struct nacre_listener *l, uint64_t id) {
    struct connection *c = connection(l, id);
    if (c == NULL || !c->close_wanted) {
        return false;
    }
    bool done = attempt(l, id, l->kinds[c->kind].close, NULL);
    c = connection(l, id);
    if (c != NULL) {
        c->close_wanted = !done;
    }
    return done;
}

static bool would_accept(const struct nacre_listener *l, const struct connection *c, uint32_t event, uint32_t len) {
    return (!c->has_budget || budget_covers(&c->budget, len)) &&
           stack_of(l, c)->accepts(c->state, c->pool, event, len);
}

/* Reports that a call that was refused would be accepted. */
static bool look_whether_writable(struct nacre_listener *l, uint64_t id) {
    struct connection *c = connection(l, id);
    if (c == NULL || c->phase != LIVE || !c->was_refused || !would_accept(l, c, c->refused_event, c->refused_len)) {
        return false;
    }
    struct nacre_listener_event event;
    memset(&event, 0, sizeof event);
    event.kind = NACRE_WRITABLE;
    event.connection = id;
    event.stack = c->kind;
    c->was_refused = false;
    push(l, &event);
    return true;
}

/* Checks whether stacks now accept what they refused: a grant, a close, a call of the application. */
static bool serve_due(struct nacre_listener *l) {
    bool done = false;
    for (uint32_t i = 0; i < AT_ONCE && l->due_len > 0 && l->active.id == 0; i++) {
        struct connection *c = &l->connections[l->due[l->due_len - 1]];
        uint64_t id = c->id;
        leave_due(l, c);
        done |= pay_grants(l, id);
        done |= try_close(l, id);
        done |= look_whether_writable(l, id);
    }
    return done;
}

bool nacre_listener_next(struct nacre_listener *l, uint64_t now, struct nacre_listener_event *event) {
    set_time(l, now);
    owe(l);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (pop(l, event) || next_of_active(l, event)) {
            l->handed_out = event->kind == NACRE_DELIVERED ? event->connection : 0;
            return true;
        }
        if (!release(l)) {
            continue;
        }
        bool done = one_timer(l);
        if (l->active.id == 0) {
            l->handled_until = l->time;
            done |= serve_due(l);
        }
        if (!done && l->active.id == 0 && l->due_len == 0 && l->queue.head == l->queue.tail) {
            return false;
        }
    }
    return false;
}

uint64_t nacre_listener_deadline(const struct nacre_listener *l) {
    if (l->queue.head != l->queue.tail || l->active.id != 0 || l->due_len > 0) {
        return 0;
    }
    return l->heap_len > 0 ? l->connections[l->heap[0]].wake : NACRE_NEVER;
}

int nacre_listener_receive(struct nacre_listener *l, uint64_t now, const struct nacre_address *from,
                           const uint8_t *frame, uint32_t len) {
    owe(l);
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    if (from->len > NACRE_ADDRESS_MAX || (frame == NULL && len > 0)) {
        return NACRE_INVALID;
    }
    l->statistics.frames_in++;
    l->frame = frame;
    route(l, from, frame, len);
    l->frame = NULL;
    return NACRE_OK;
}
