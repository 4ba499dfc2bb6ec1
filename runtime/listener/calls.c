/* Calls of the application. */

/* More must not be sent before the peer has confirmed the connection: it is asked to. */
static void ask_to_confirm(struct nacre_listener *l, struct connection *c) {
    if (c->has_budget) {
        c->budget.was_short = 1;
    }
    reschedule(l, c);
}

static struct connection *usable(const struct nacre_listener *l, uint64_t id) {
    struct connection *c = connection(l, id);
    return c != NULL && c->phase == LIVE ? c : NULL;
}

int nacre_listener_call(struct nacre_listener *l, uint64_t now, uint64_t id, uint32_t event, const uint64_t *arguments,
                        const uint8_t *data, uint32_t len) {
    struct step step = {CALL, event, arguments, data, len};
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    struct connection *c = usable(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    const struct nacre_stack *stack = stack_of(l, c);
    if (event >= stack->events_len || stack->events[event].input == 0 || (data == NULL && len > 0)) {
        return NACRE_INVALID;
    }
    if (stack->events[event].has_message && len > stack->events[event].message_max) {
        return NACRE_TOO_LONG;
    }
    int result = NACRE_REFUSED;
    if (c->has_budget && !budget_covers(&c->budget, len)) {
        ask_to_confirm(l, c);
    } else {
        result = run(l, id, &step);
        /* What was copied no longer lies in the caller's message. */
        release(l);
    }
    c = connection(l, id);
    if (result == NACRE_OK || result == NACRE_IDLE) {
        return NACRE_OK;
    }
    if (result != NACRE_INVALID && c != NULL) {
        c->was_refused = true;
        c->refused_event = (uint16_t)event;
        c->refused_len = len;
        if (result == NACRE_BUSY) {
            look_again(l, c);
        }
        return NACRE_REFUSED;
    }
    return c == NULL ? NACRE_GONE : NACRE_INVALID;
}

int nacre_listener_send(struct nacre_listener *l, uint64_t now, uint64_t id, const uint8_t *data, uint32_t len) {
    const struct connection *c = connection(l, id);
    if (c == NULL || l->kinds[c->kind].send == NACRE_NONE) {
        int result = c == NULL ? NACRE_GONE : NACRE_INVALID;
        return prepare(l, now) ? result : NACRE_BUSY;
    }
    return nacre_listener_call(l, now, id, l->kinds[c->kind].send, NULL, data, len);
}

bool nacre_listener_accepts(const struct nacre_listener *l, uint64_t id, uint32_t len) {
    const struct connection *c = usable(l, id);
    return c != NULL && l->kinds[c->kind].send != NACRE_NONE && would_accept(l, c, l->kinds[c->kind].send, len);
}

/* Two connections of one identity with one peer would be taken by it for a restart. */
static bool is_unconnected(const struct nacre_listener *l, const struct peer *peer, uint64_t own) {
    for (uint32_t i = 0; i < l->options.connections; i++) {
        const struct connection *c = &l->connections[i];
        if (is_of_peer(l, c, peer) && c->phase == LIVE && c->own_identity == own) {
            return false;
        }
    }
    return true;
}

/* Prepares for the next connection with a peer. Reports the orderly end of earlier connections again: if the first report
 * was delayed or lost, the peer would take the next connection for a sign of a restart. Removes connections that never
 * received a frame of the peer: their own first frames may still arrive after those of the next connection, and the
 * answers to them must be ignored. */
static void end_before_next(struct nacre_listener *l, const struct peer *peer) {
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        if (!is_of_peer(l, c, peer) || c->phase == LIVE) {
            continue;
        }
        if (c->label.cookie == 0) {
            remove_connection(l, c);
        } else {
            say_over(l, c);
        }
    }
}

/* Whether the application must set a value of the stack that has no default. */
static bool needs_config(const struct nacre_stack *stack) {
    for (uint32_t i = 0; i < stack->givens_len; i++) {
        uint8_t role = stack->givens[i].role;
        if (stack->givens[i].required && (role == NACRE_GIVEN_PLAIN || role == NACRE_GIVEN_SIGNING_KEY)) {
            return true;
        }
    }
    return false;
}

int nacre_listener_connect(struct nacre_listener *l, uint64_t now, const struct nacre_address *to, uint32_t number,
                           const void *config, uint64_t *id) {
    uint32_t cookie = 0;
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    if (number >= l->options.stacks_len || to->len == 0 || to->len > NACRE_ADDRESS_MAX) {
        return NACRE_INVALID;
    }
    struct kind *kind = &l->kinds[number];
    const struct nacre_stack *stack = kind->given.stack;
    if (config == NULL && needs_config(stack)) {
        return NACRE_INVALID;
    }
    if (config != NULL) {
        memcpy(l->config, config, stack->config_size);
    } else {
        stack->config_default(l->config);
    }
    kind->is_known = true;
    uint64_t own = get_role(l, kind, NACRE_GIVEN_IDENTITY);
    own = own != 0 ? own : l->options.identity;
    struct peer peer = {to, get_role(l, kind, NACRE_GIVEN_PEER_IDENTITY), stack->fingerprint};
    if (!is_unconnected(l, &peer, own)) {
        return NACRE_INVALID;
    }
    end_before_next(l, &peer);
    struct connection *c = propose(l, &cookie);
    if (c == NULL) {
        return NACRE_FULL;
    }
    fill_in(l, kind, cookie, own, &peer);
    if (!open_connection(l, c, number, cookie, &peer, LIVE)) {
        return NACRE_INVALID;
    }
    *id = c->id;
    l->statistics.connected++;
    if (kind->open_to != NACRE_NONE) {
        call(l, *id, kind->open_to, NULL);
    }
    c = connection(l, *id);
    if (c != NULL) {
        say_hello(l, c);
    }
    release(l);
    return NACRE_OK;
}

static bool are_words(const struct nacre_listener *l, const char *text, uint32_t len) {
    return len <= l->options.text_max && (text != NULL || len == 0);
}

int nacre_listener_close(struct nacre_listener *l, uint64_t now, uint64_t id, uint32_t code, const char *text,
                         uint32_t text_len) {
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    if (!are_words(l, text, text_len)) {
        return NACRE_INVALID;
    }
    struct connection *c = usable(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    if (text != NULL) {
        set_words(l, &c->farewell, code, (const uint8_t *)text, text_len);
        say_farewell(l, c);
    }
    if (l->kinds[c->kind].close == NACRE_NONE) {
        end(l, c, NACRE_CLOSED);
        return NACRE_OK;
    }
    c->close_wanted = true;
    try_close(l, id);
    return NACRE_OK;
}

int nacre_listener_discard(struct nacre_listener *l, uint64_t now, uint64_t id) {
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    struct connection *c = connection(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    remove_connection(l, c);
    return NACRE_OK;
}

int nacre_listener_refuse(struct nacre_listener *l, uint64_t now, uint64_t id, uint32_t code, const char *text,
                          uint32_t text_len) {
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    if (!are_words(l, text, text_len)) {
        return NACRE_INVALID;
    }
    struct connection *c = usable(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    set_words(l, &c->farewell, code, (const uint8_t *)text, text_len);
    struct control control = ended(c->label, REFUSED_BY_PEER, &c->farewell);
    tell(l, c, &control);
    if (l->options.refusals > 0) {
        find_refusal(l, &c->address, c->label, NULL, 0); /* forgets those whose time is over */
        if (l->refusals_len == l->options.refusals) {
            l->refusals_first = (l->refusals_first + 1) % l->options.refusals;
            l->refusals_len--;
        }
        struct refusal *one = &l->refusals[(l->refusals_first + l->refusals_len++) % l->options.refusals];
        one->until = later_by(l->time, REFUSED_FOR_NS);
        one->identity = c->identity;
        one->fingerprint = fingerprint_of(l, c);
        one->has_incarnation = c->has_incarnation;
        one->incarnation = c->incarnation;
        one->address = c->address;
        one->own = (struct label){c->cookie, c->key};
        one->to = c->label;
        one->is_proven = c->confirmed || !c->arrived;
        set_words(l, &one->words, code, (const uint8_t *)text, text_len);
    }
    remove_connection(l, c);
    return NACRE_OK;
}

int nacre_listener_grant(struct nacre_listener *l, uint64_t now, uint64_t id, uint32_t messages) {
    if (!prepare(l, now)) {
        return NACRE_BUSY;
    }
    struct connection *c = connection(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    if (l->kinds[c->kind].grant_delivers != NACRE_NONE) {
        c->owed += messages;
        pay_grants(l, id);
    }
    return NACRE_OK;
}

int nacre_listener_set_grants(struct nacre_listener *l, uint64_t id, bool by_listener) {
    struct connection *c = connection(l, id);
    if (c == NULL) {
        return NACRE_GONE;
    }
    c->grants_by_listener = by_listener;
    return NACRE_OK;
}

const struct nacre_address *nacre_listener_address(const struct nacre_listener *l, uint64_t id) {
    const struct connection *c = connection(l, id);
    return c != NULL ? &c->address : NULL;
}

bool nacre_listener_is_confirmed(const struct nacre_listener *l, uint64_t id) {
    const struct connection *c = connection(l, id);
    return c != NULL && c->confirmed;
}

uint64_t nacre_listener_round_trip(const struct nacre_listener *l, uint64_t id) {
    const struct connection *c = connection(l, id);
    return c != NULL ? c->round_trip : 0;
}

uint32_t nacre_listener_count(const struct nacre_listener *l) {
    return l->count;
}

const uint64_t *nacre_listener_counters(const struct nacre_listener *l, uint32_t stack) {
    return stack < l->options.stacks_len ? l->kinds[stack].counters : NULL;
}

const struct nacre_listener_statistics *nacre_listener_statistics(const struct nacre_listener *l) {
    return &l->statistics;
}
