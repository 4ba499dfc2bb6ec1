/* Control frames: refusals, unknown labels, pings, moves, and what applications tell each other at the end. */

#define PONG_EVERY_NS (100 * MILLISECOND)
#define UNKNOWN_FOR_NS SECOND
#define ASK_EVERY_NS (100 * MILLISECOND)
#define ASKED_FOR_NS (3 * SECOND)
#define REFUSED_FOR_NS (30 * SECOND)
#define HELLO_FIRST_NS (50 * MILLISECOND)

static bool has_begun(const struct connection *c) {
    return !c->arrived && !c->confirmed && !c->has_incarnation;
}

static uint64_t next_ping(const struct nacre_listener *l, const struct connection *c) {
    if (c->label.cookie == 0 || c->phase != LIVE) {
        return NACRE_NEVER;
    }
    if (c->has_budget) {
        return budget_next_ping(&c->budget, c->pinged_at);
    }
    /* A peer that seems not to know the connection is asked until that is certain. */
    uint64_t after = c->unknown_since != NACRE_NEVER ? at_most(l->options.ping_after, SECOND) : l->options.ping_after;
    return later_by(c->heard_at > c->pinged_at ? c->heard_at : c->pinged_at, after);
}

static uint64_t next_hello(const struct connection *c) {
    return c->hello_at != 0 && !c->confirmed && c->phase == LIVE ? c->hello_at : NACRE_NEVER;
}

static void heard(const struct nacre_listener *l, struct connection *c) {
    c->heard_at = l->time;
    c->unknown_since = NACRE_NEVER;
}

static struct control control_to(uint32_t kind, struct label to) {
    struct control control;
    memset(&control, 0, sizeof control);
    control.kind = kind;
    control.to = to;
    return control;
}

/* Sends a control frame unless it is larger than its cause. */
static void answer(struct nacre_listener *l, const struct nacre_address *to, uint32_t room,
                   const struct control *control) {
    uint32_t len = write_control(control, l->control, room < l->control_max ? room : l->control_max);
    if (len == 0) {
        l->statistics.answers_withheld++;
        return;
    }
    l->statistics.controls_out++;
    send_plain(l, to, l->control, len);
}

/* Sends a control frame to a peer whose label is known, unless its address may be forged and is sent enough. */
static void tell(struct nacre_listener *l, struct connection *c, const struct control *control) {
    uint32_t len = c->label.cookie != 0 ? write_control(control, l->control, l->control_max) : 0;
    if (len > 0 && count_out(l, c, len)) {
        l->statistics.controls_out++;
        send_plain(l, &c->address, l->control, len);
    }
}

static struct control ended(struct label to, enum ending why, const struct words *words) {
    struct control control = control_to(ENDED, to);
    control.why = why;
    if (words != NULL) {
        control.code = words->code;
        control.rest = words->text;
        control.rest_len = words->len;
    }
    return control;
}

/* Repeats the words of a connection that is being closed: they leave before each of its frames, as these may be the
 * last that the peer needs. */
static void say_farewell(struct nacre_listener *l, struct connection *c) {
    struct control control = ended(c->label, FAREWELL, &c->farewell);
    tell(l, c, &control);
}

static void say_over(struct nacre_listener *l, struct connection *c) {
    struct control control = ended(c->label, OVER, NULL);
    tell(l, c, &control);
}

/* Keeps a text, as far as there is room for it. */
static void set_words(const struct nacre_listener *l, struct words *words, uint32_t code, const uint8_t *text,
                      uint32_t len) {
    words->are_set = true;
    words->code = code;
    words->len = (uint8_t)cut_text(text, len, l->options.text_max);
    if (words->len > 0) {
        memcpy(words->text, text, words->len);
    }
}

/* Lets a stack greet the peer of a connection that this end began, now and, as long as it has not answered, later. */
static void say_hello(struct nacre_listener *l, struct connection *c) {
    uint16_t event = l->kinds[c->kind].hello;
    if (event == NACRE_NONE) {
        return;
    }
    c->hello_after = c->hello_after == 0 ? HELLO_FIRST_NS : at_most(2 * c->hello_after, SECOND);
    c->hello_at = later_by(l->time, c->hello_after);
    uint64_t arguments[4] = {c->label.cookie, c->label.key, 0, 0};
    call(l, c->id, event, arguments);
}

/* Sends a ping; its token is random, so that only who saw it can answer. */
static void send_ping(struct nacre_listener *l, struct connection *c) {
    uint64_t token = draw(l) | 1;
    if (c->has_budget && !budget_ping(&c->budget)) {
        return;
    }
    /* Before the peer has confirmed, the answer to any of the pings does so. */
    if (!c->has_budget || c->ping_token == 0) {
        c->pinged_at = l->time;
        c->ping_token = token;
    }
    struct control control = control_to(PING, c->label);
    control.number = c->ping_token;
    answer(l, &c->address, l->control_max, &control);
}

/* Whether each end is certain that the other one exists. */
static bool is_movable(const struct connection *c) {
    return c->confirmed && !c->has_budget && c->phase == LIVE && c->label.cookie != 0;
}

/* A frame with this label came from an address without such a connection. Returns whether it is of a connection that
 * may have moved there; then the address is asked. */
static bool may_have_moved(struct nacre_listener *l, const struct nacre_address *from, uint32_t len,
                           struct label label) {
    if (!l->options.moves) {
        return false;
    }
    uint64_t token = draw(l) | 1;
    struct connection *c = with_cookie(l, label.cookie);
    if (c == NULL || c->key != label.key || !is_movable(c)) {
        return false;
    }
    struct asked *asked = &c->asked;
    bool is_other = asked->is_set && !same_address(&asked->address, from);
    if (!asked->is_set || (is_other && since(asked->first_at, l->time) >= ASKED_FOR_NS)) {
        memset(asked, 0, sizeof *asked);
        asked->is_set = true;
        asked->address = *from;
        asked->token = token;
        asked->first_at = l->time;
    } else if (is_other) {
        return true;
    }
    asked->credit += len;
    bool is_early = asked->last_at != 0 && since(asked->last_at, l->time) < ASK_EVERY_NS;
    if (is_early || asked->credit < PING_BYTES) {
        return true;
    }
    asked->last_at = l->time;
    asked->credit = 0;
    if (may_answer(l, from)) {
        struct control control = control_to(PING, c->label);
        control.number = asked->token;
        answer(l, from, PING_BYTES, &control);
    }
    return true;
}

/* A pong has come from an address without such a connection; whether it makes a connection move there. */
static bool has_moved(struct nacre_listener *l, const struct nacre_address *from, uint32_t cookie, uint64_t token) {
    struct connection *c = with_cookie(l, cookie);
    if (c == NULL || !is_movable(c) || !c->asked.is_set || c->asked.token != token ||
        !same_address(&c->asked.address, from)) {
        return false;
    }
    c->asked.is_set = false;
    if (c->counts && count_peers(l, from).begun >= l->options.connections_per_network) {
        l->statistics.limited++;
        return false;
    }
    c->address = *from;
    heard(l, c);
    c->round_trip = since(c->asked.last_at, l->time);
    l->statistics.moved++;
    struct nacre_listener_event event;
    memset(&event, 0, sizeof event);
    event.kind = NACRE_MOVED;
    event.connection = c->id;
    event.stack = c->kind;
    event.address = &c->address;
    push(l, &event);
    uint64_t id = c->id;
    uint16_t moved = l->kinds[c->kind].moved;
    if (moved != NACRE_NONE) {
        c->name = name_of(from);
        call(l, id, moved, NULL);
    }
    c = connection(l, id);
    if (c != NULL) {
        reschedule(l, c);
    }
    return true;
}

/* Tells the peer of a connection that was refused so again. */
static bool repeat_refusal(struct nacre_listener *l, const struct nacre_address *from, uint32_t len, struct label to,
                           const struct refusal *refusal) {
    struct preamble preamble = {0, 0, false};
    /* As an answer to a short frame the text might be cut; what is answered with *unknown* comes back identified. */
    if (!refusal->is_proven && (!read_preamble(l->frame, len, &preamble) || !preamble.identified)) {
        return false;
    }
    if (to.cookie != 0 && may_answer(l, from)) {
        struct control control = ended(to, REFUSED_BY_PEER, &refusal->words);
        answer(l, from, refusal->is_proven ? l->control_max : len, &control);
    }
    return true;
}

/* The refusal of the connection that a frame with a label was meant for, or that a first frame began (`peer`). */
static const struct refusal *find_refusal(struct nacre_listener *l, const struct nacre_address *from,
                                          struct label own, const struct peer *peer, uint64_t incarnation) {
    while (l->refusals_len > 0 && l->refusals[l->refusals_first].until <= l->time) {
        l->refusals_first = (l->refusals_first + 1) % l->options.refusals;
        l->refusals_len--;
    }
    for (uint32_t i = 0; i < l->refusals_len; i++) {
        const struct refusal *one = &l->refusals[(l->refusals_first + i) % l->options.refusals];
        bool is_it = peer == NULL ? same_label(one->own, own)
                                  : one->has_incarnation && one->incarnation == incarnation &&
                                        one->identity == peer->identity && one->fingerprint == peer->fingerprint;
        if (is_it && same_address(&one->address, from)) {
            return one;
        }
    }
    return NULL;
}

/* A frame with a label that this end does not know. */
static void answer_unknown(struct nacre_listener *l, const struct nacre_address *from, uint32_t len,
                           struct label unknown) {
    l->statistics.unknown_labels++;
    const struct refusal *refusal = find_refusal(l, from, unknown, NULL, 0);
    if (refusal != NULL && repeat_refusal(l, from, len, refusal->to, refusal)) {
        return;
    }
    if (unknown.cookie != 0 && may_answer(l, from)) {
        struct control control = control_to(UNKNOWN, unknown);
        answer(l, from, len, &control);
    }
}

/* The peer does not serve the stack of a connection. Believed only before the peer has ever answered, and only of the
 * fingerprint that was sent. */
static bool take_refused(struct nacre_listener *l, const struct nacre_address *from, const struct control *control) {
    struct connection *c = meant(l, from, control->to);
    if (c == NULL || c->confirmed || c->has_incarnation || fingerprint_of(l, c) != control->number) {
        return false;
    }
    end(l, c, NACRE_OTHER_STACK);
    return true;
}

/* The peer keeps nothing before this end has shown that it is at its address: frames carry this label from now on. */
static bool take_retry(struct nacre_listener *l, const struct nacre_address *from, const struct control *control) {
    struct connection *c = meant(l, from, control->to);
    if (c == NULL || !has_begun(c)) {
        return false;
    }
    c->label = control->label;
    say_hello(l, c);
    return true;
}

/* The peer says that it does not know the label that this end uses. It may be a lie: the stack says everything again,
 * and a ping asks. If the peer still says so later and nothing else came from it, it has forgotten the connection. */
static bool take_unknown(struct nacre_listener *l, const struct nacre_address *from, struct label label) {
    struct connection *c = labelled(l, from, label);
    if (c == NULL) {
        return false;
    }
    if (has_begun(c)) {
        /* The label came with a retry, too long ago: begin again. */
        c->label = (struct label){0, 0};
        say_hello(l, c);
        return true;
    }
    bool is_first = c->unknown_since == NACRE_NEVER;
    if (is_first) {
        c->unknown_since = l->time;
    }
    /* The next ping of a peer that has moved comes from where it is now; somebody else may have its old address. */
    uint64_t after_a_move = l->options.moves ? l->options.timeout / 2 : 0;
    uint64_t unknown_for = after_a_move > UNKNOWN_FOR_NS ? after_a_move : UNKNOWN_FOR_NS;
    if (since(c->unknown_since, l->time) >= unknown_for) {
        end(l, c, NACRE_UNKNOWN);
        return true;
    }
    if (is_first) {
        send_ping(l, c);
    }
    if (l->kinds[c->kind].unknown != NACRE_NONE) {
        call(l, c->id, l->kinds[c->kind].unknown, NULL);
    }
    return true;
}

static bool take_ping(struct nacre_listener *l, const struct nacre_address *from, uint32_t len,
                      const struct control *control) {
    struct connection *c = meant(l, from, control->to);
    if (c == NULL) {
        bool is_its = may_have_moved(l, from, len, control->to);
        if (!is_its) {
            answer_unknown(l, from, len, control->to);
        }
        return is_its;
    }
    heard(l, c);
    bool is_soon = c->ponged_at != 0 && since(c->ponged_at, l->time) < PONG_EVERY_NS;
    if (c->label.cookie != 0 && !is_soon) {
        c->ponged_at = l->time;
        struct control pong = control_to(PONG, c->label);
        pong.number = control->number;
        answer(l, from, len, &pong);
    }
    /* A peer that knows this end's cookie has heard this end. */
    replace_older(l, c);
    return true;
}

static bool take_pong(struct nacre_listener *l, const struct nacre_address *from, uint32_t cookie, uint64_t token) {
    struct connection *c = with(l, from, cookie);
    if (c == NULL) {
        return has_moved(l, from, cookie, token);
    }
    if (token == 0 || c->ping_token != token) {
        return false;
    }
    c->ping_token = 0;
    c->round_trip = since(c->pinged_at, l->time);
    heard(l, c);
    confirm(l, c);
    return true;
}

/* The peer says why it ends or ended a connection. That it has no room is believed only before it has answered. */
static bool take_ended(struct nacre_listener *l, const struct nacre_address *from, const struct control *control) {
    struct connection *c = meant(l, from, control->to);
    if (c == NULL || (control->why == BUSY && !has_begun(c))) {
        return false;
    }
    switch (control->why) {
    case BUSY:
        end(l, c, NACRE_NO_ROOM);
        break;
    case REFUSED_BY_PEER:
        set_words(l, &c->peer_words, control->code, control->rest, control->rest_len);
        end(l, c, NACRE_REFUSED_BY_PEER);
        break;
    case FAREWELL:
        set_words(l, &c->peer_words, control->code, control->rest, control->rest_len);
        break;
    default:
        c->peer_is_over = true;
        if (c->phase == LINGERING) {
            remove_connection(l, c);
        }
        break;
    }
    return true;
}

/* Handles a control frame of a stack without keys; whether it has an effect. */
static bool take_control(struct nacre_listener *l, const struct nacre_address *from, uint32_t len,
                         const struct control *control) {
    switch (control->kind) {
    case REFUSED:
        return take_refused(l, from, control);
    case UNKNOWN:
        return take_unknown(l, from, control->to);
    case PING:
        return take_ping(l, from, len, control);
    case PONG:
        return take_pong(l, from, control->to.cookie, control->number);
    case RETRY:
        return take_retry(l, from, control);
    default:
        return take_ended(l, from, control);
    }
}
