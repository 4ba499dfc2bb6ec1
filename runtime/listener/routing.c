/* Routes a received frame to its connection: by cookie, by identification, or as a first frame. */

/* How a peer begins a connection. */
enum beginning {
    CLAIMED, /* it states who it is */
    PROVEN,  /* with the label that it was told: it receives frames at its address */
    BARE     /* its stack has no preamble: the address says who it is */
};
struct begin {
    enum beginning how;
    uint32_t kind;
    struct peer peer;
    struct identification who;
    struct label proof;
};

static uint32_t find_kind(const struct nacre_listener *l, uint64_t fingerprint) {
    for (uint32_t i = 0; i < l->options.stacks_len; i++) {
        if (l->kinds[i].is_known && l->kinds[i].given.stack->fingerprint == fingerprint) {
            return i;
        }
    }
    return NOWHERE;
}

static struct label label_of(const struct identification *who) {
    struct label label = {who->cookie, (uint32_t)who->incarnation};
    return label;
}

/* A first frame of a stack that is not served. */
static void refuse_stack(struct nacre_listener *l, const struct nacre_address *from, uint32_t len, uint64_t fingerprint,
                         struct label to) {
    uint32_t served = 0;
    l->statistics.other_stack++;
    for (uint32_t i = 0; i < l->options.stacks_len; i++) {
        if (l->kinds[i].given.served) {
            write_64(l->control + l->control_max + 8 * served, l->kinds[i].given.stack->fingerprint);
            served++;
        }
    }
    /* A listener that serves nothing is no server: it is silent, as a closed port. */
    if (served == 0) {
        return;
    }
    if (may_report(l, from)) {
        struct nacre_listener_event event;
        memset(&event, 0, sizeof event);
        event.kind = NACRE_STRANGER;
        event.address = from;
        event.fingerprint = fingerprint;
        push(l, &event);
    }
    if (may_answer(l, from)) {
        struct control control = control_to(REFUSED, to);
        control.number = fingerprint;
        control.serves = served < 255 ? served : 255;
        control.rest = l->control + l->control_max;
        control.rest_len = 8 * served;
        answer(l, from, len, &control);
    }
}

/* What an endpoint without keys says to a peer with keys: what is not served, and what is not known here. */
static bool route_secure_control(struct nacre_listener *l, const struct nacre_address *from, const uint8_t *frame,
                                 uint32_t len) {
    enum { INITIATE = 6, SEALED = 9, RESET = 10, INITIATE_MAX = 1400 };
    struct label label = {read_32(frame) >> 8, len >= 12 ? read_32(frame + 8) : 0};
    switch (frame[5]) {
    case INITIATE: {
        if (len < 32 || len > INITIATE_MAX || frame[28] > 2 || frame[29] > 1) {
            return false;
        }
        uint32_t message = (uint32_t)frame[30] | (uint32_t)frame[31] << 8;
        /* As long as the answer would be, if it were served. */
        uint32_t least = 118 + (frame[29] == 0 ? 1104u : 0u) + (frame[28] == 0 ? 48u : 0u);
        struct label own = {read_32(frame + 16), read_32(frame + 20)};
        if (own.cookie == 0 || own.cookie > COOKIE_MASK || message > len - 32 || len < least) {
            return false;
        }
        refuse_stack(l, from, len, read_64(frame + 8), own);
        return true;
    }
    case SEALED:
        if (len >= 20) {
            answer_unknown(l, from, len, label);
        }
        return false;
    case RESET:
        return len >= 28 && take_unknown(l, from, label);
    default:
        return false;
    }
}

/* Handles a control frame. */
static void route_control(struct nacre_listener *l, const struct nacre_address *from, const uint8_t *frame,
                          uint32_t len) {
    struct control control;
    bool used = false;
    l->statistics.controls_in++;
    if (read_control(frame, len, &control)) {
        used = take_control(l, from, len, &control);
    } else if (len >= CONTROL_HEAD && frame[4] == CONTROL_VERSION && frame[6] == 0 && frame[7] == 0) {
        used = route_secure_control(l, from, frame, len);
    }
    l->statistics.controls_ignored += used ? 0 : 1;
}

static struct label proof_of(const struct nacre_listener *l, const struct peer *peer, uint64_t incarnation,
                             uint64_t period) {
    struct claim claim = {peer->address->bytes, peer->address->len, peer->identity, peer->fingerprint, incarnation};
    uint64_t hash = hash_of_claim(l->key, &claim, period);
    struct label label = {(uint32_t)(hash >> 32) & COOKIE_MASK, (uint32_t)hash};
    label.cookie = label.cookie == 0 ? 1 : label.cookie;
    return label;
}

/* Whether this peer was told this label a short time ago. */
static bool is_proof(const struct nacre_listener *l, struct label label, const struct peer *peer,
                     uint64_t incarnation) {
    uint64_t period = l->time / PROOF_PERIOD_NS;
    return same_label(label, proof_of(l, peer, incarnation, period)) ||
           (period > 0 && same_label(label, proof_of(l, peer, incarnation, period - 1)));
}

/* The stack has accepted the peer's identification. */
static void learn(struct connection *c, const struct identification *who) {
    if (!c->has_incarnation) {
        c->has_incarnation = true;
        c->incarnation = who->incarnation;
    }
    if (who->cookie != 0) {
        c->label = label_of(who);
    }
}

/* Gives a frame to a connection's stack. */
static void input(struct nacre_listener *l, struct connection *c, const uint8_t *frame, uint32_t len,
                  const struct identification *who) {
    struct step step = {INPUT, 0, NULL, frame, len};
    uint64_t id = c->id;
    /* Counted before the step, which may send as much more. */
    c->budget.received += len;
    if (c->has_budget) {
        look_again(l, c);
    }
    int result = run(l, id, &step);
    c = connection(l, id);
    if (result == NACRE_NO_SPACE || result == NACRE_BUSY) {
        l->statistics.no_space++;
    } else if (result != NACRE_OK) {
        l->statistics.dropped++;
    } else if (c != NULL) {
        heard(l, c);
        if (who != NULL) {
            learn(c, who);
        }
    }
}

static void have_no_room(struct nacre_listener *l, const struct begin *begin, uint32_t len) {
    if (begin->how != BARE && may_answer(l, begin->peer.address)) {
        struct control control = ended(label_of(&begin->who), BUSY, NULL);
        answer(l, begin->peer.address, len, &control);
    }
}

/* Sends what was held back, if the budget allows it. */
static void send_held(struct nacre_listener *l, struct connection *c, uint32_t mark) {
    for (uint32_t at = mark; at < l->queue.tail;) {
        struct record record;
        memcpy(&record, l->queue.at + at, sizeof record);
        if (record.kind == HELD) {
            const uint8_t *held = l->queue.at + at + sizeof record;
            record.kind = SKIPPED;
            memcpy(l->queue.at + at, &record, sizeof record);
            if (count_out(l, c, read_32(held))) {
                send_plain(l, &c->address, held + 4, read_32(held));
            }
        }
        at += record.size;
    }
}

/* The stack has accepted the first frame. */
static void keep(struct nacre_listener *l, struct connection *c, const struct begin *begin, uint32_t mark,
                 uint32_t len) {
    uint64_t oldest = 0;
    c->phase = LIVE;
    c->arrived = true;
    c->has_budget = true;
    c->budget.received += len;
    l->statistics.arrived++;
    if (begin->how != BARE && room_for(l, begin->peer.address, begin->how == PROVEN, &oldest) == AFTER) {
        l->after.evicted = oldest;
    }
    c->counts = true;
    if (begin->how != CLAIMED) {
        confirm(l, c);
    }
    if (begin->how != BARE) {
        learn(c, &begin->who);
    }
    send_held(l, c, mark);
}

/* Undoes a connection that is not accepted, with everything that came out of it. */
static void forget(struct nacre_listener *l, struct connection *c, uint32_t mark) {
    l->statistics.not_accepted++;
    l->queue.tail = mark;
    end_step(l);
    memset(&l->after, 0, sizeof l->after);
    if (c != NULL) {
        forget_about(l, c);
    }
}

/* A first frame: the connection exists only if its stack accepts the frame. */
static void begin_connection(struct nacre_listener *l, const struct begin *begin, const uint8_t *frame, uint32_t len) {
    uint64_t oldest = 0;
    uint32_t cookie = 0;
    struct connection *c = NULL;
    if (room_for(l, begin->peer.address, begin->how == PROVEN, &oldest) != NEVER) {
        c = propose(l, &cookie);
    }
    if (c != NULL && begin->how == PROVEN) {
        cookie = begin->proof.cookie;
        c = with_cookie(l, cookie) == NULL ? c : NULL;
    }
    if (c == NULL) {
        l->statistics.limited++;
        have_no_room(l, begin, len);
        return;
    }
    const struct kind *kind = &l->kinds[begin->kind];
    kind->given.stack->config_default(l->config);
    uint64_t incarnation = fill_in(l, kind, cookie, l->options.identity, &begin->peer);
    if (begin->how == PROVEN) {
        incarnation = (uint64_t)begin->proof.key << 32 | (uint32_t)draw(l);
        set_role(l, kind, NACRE_GIVEN_INCARNATION, incarnation);
    } else if (begin->how == CLAIMED) {
        set_role(l, kind, NACRE_GIVEN_UNCONFIRMED, 1);
    }
    struct nacre_listener_event arrived;
    memset(&arrived, 0, sizeof arrived);
    arrived.kind = NACRE_ARRIVED;
    arrived.stack = begin->kind;
    arrived.fingerprint = begin->peer.fingerprint;
    arrived.address = begin->peer.address;
    arrived.connection = next_id(l, c);
    uint32_t mark = l->queue.tail;
    bool is_welcome =
        kind->given.prepare == NULL || kind->given.prepare(l->options.host, l->config, begin->peer.address);
    push(l, &arrived);
    if (!is_welcome || !open_connection(l, c, begin->kind, cookie, &begin->peer, TENTATIVE)) {
        l->queue.tail = mark;
        l->statistics.not_accepted++;
        have_no_room(l, begin, len);
        return;
    }
    struct step step = {INPUT, 0, NULL, frame, len};
    int result = run(l, c->id, &step);
    c = connection(l, arrived.connection);
    if (result == NACRE_OK && c != NULL) {
        keep(l, c, begin, mark, len);
    } else {
        forget(l, c, mark);
    }
}

static void route_identified(struct nacre_listener *l, const struct nacre_address *from, const uint8_t *frame,
                             uint32_t len, uint32_t cookie, uint32_t kind, const struct identification *who) {
    struct connection *c = with(l, from, cookie);
    /* The stack also takes the key of a proof, which only who begins a connection has. */
    if (c != NULL && c->kind == kind && (c->arrived || c->key == who->key)) {
        input(l, c, frame, len, who);
        return;
    }
    struct begin begin = {CLAIMED, kind, {from, who->sender, who->fingerprint}, *who, {cookie, who->key}};
    struct connection *same = of_incarnation(l, &begin.peer, &who->incarnation);
    if (cookie == 0 && same != NULL) {
        input(l, same, frame, len, who);
        return;
    }
    if (cookie != 0 && is_proof(l, begin.proof, &begin.peer, who->incarnation)) {
        begin.how = PROVEN;
    }
    if (begin.how == PROVEN && same != NULL) {
        /* Another copy of its first frame has begun the connection, which has another label. Its peer greets again
         * without one. */
        answer_unknown(l, from, len, begin.proof);
        return;
    }
    if (cookie != 0 && begin.how != PROVEN) {
        /* Meant for a connection that this end does not have any more, perhaps not since it started; or moved. */
        if (!may_have_moved(l, from, len, begin.proof)) {
            answer_unknown(l, from, len, begin.proof);
        }
        return;
    }
    if (!l->kinds[kind].given.served) {
        refuse_stack(l, from, len, who->fingerprint, label_of(who));
        return;
    }
    /* Both began at once. Only where peers may begin connections: everybody could send this frame to a client that
     * waits for its first answer, which names its cookie. */
    c = of_incarnation(l, &begin.peer, NULL);
    if (c != NULL) {
        input(l, c, frame, len, who);
        return;
    }
    if (has_departed(l, &begin.peer, who->incarnation)) {
        const struct refusal *refusal = find_refusal(l, from, begin.proof, &begin.peer, who->incarnation);
        l->statistics.late++;
        if (refusal != NULL) {
            repeat_refusal(l, from, len, label_of(who), refusal);
        }
        return;
    }
    if (begin.how == CLAIMED && l->kinds[kind].hello != NACRE_NONE && asks_for_proof(l, from)) {
        struct control control = control_to(RETRY, label_of(who));
        l->statistics.retried++;
        control.label = proof_of(l, &begin.peer, who->incarnation, l->time / PROOF_PERIOD_NS);
        answer(l, from, len, &control);
        return;
    }
    begin_connection(l, &begin, frame, len);
}

/* For stacks without a preamble, the address alone identifies the connection. */
static void route_bare(struct nacre_listener *l, const struct nacre_address *from, const uint8_t *frame, uint32_t len) {
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        if (c->id != 0 && same_address(&c->address, from)) {
            input(l, c, frame, len, NULL);
            return;
        }
    }
    if (!l->kinds[0].given.served) {
        l->statistics.unknown_labels++;
        return;
    }
    struct begin begin;
    memset(&begin, 0, sizeof begin);
    begin.how = BARE;
    begin.peer.address = from;
    begin.peer.fingerprint = l->kinds[0].given.stack->fingerprint;
    begin_connection(l, &begin, frame, len);
}

/* Handles a datagram. */
static void route(struct nacre_listener *l, const struct nacre_address *from, const uint8_t *frame, uint32_t len) {
    struct preamble preamble;
    struct identification who;
    if (l->kinds[0].given.stack->has_preamble == 0) {
        route_bare(l, from, frame, len);
        return;
    }
    if (!read_preamble(frame, len, &preamble)) {
        l->statistics.malformed++;
        return;
    }
    if (is_control(&preamble)) {
        route_control(l, from, frame, len);
        return;
    }
    if (!preamble.identified) {
        struct connection *c = with(l, from, preamble.cookie);
        struct label label = {preamble.cookie, short_key(frame, len)};
        if (c != NULL) {
            input(l, c, frame, len, NULL);
        } else if (!may_have_moved(l, from, len, label)) {
            answer_unknown(l, from, len, label);
        }
        return;
    }
    if (len < 12) {
        l->statistics.malformed++;
        return;
    }
    uint64_t fingerprint = read_64(frame + 4);
    uint32_t kind = find_kind(l, fingerprint);
    bool is_whole = read_identification(frame, len, &who);
    if (kind == NOWHERE) {
        struct label nobody = {0, 0};
        refuse_stack(l, from, len, fingerprint, is_whole ? label_of(&who) : nobody);
    } else if (is_whole) {
        route_identified(l, from, frame, len, preamble.cookie, kind, &who);
    } else {
        l->statistics.malformed++;
    }
}
