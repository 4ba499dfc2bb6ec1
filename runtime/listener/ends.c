/* How connections become confirmed, are limited, replace one another, and end. */

/* Those that compete with a peer for room. */
struct census {
    uint32_t unconfirmed, of_network, begun;
    uint64_t oldest, oldest_of_network; /* 0: none */
};

static struct census count_peers(const struct nacre_listener *l, const struct nacre_address *from) {
    struct census census = {0, 0, 0, 0, 0};
    for (uint32_t i = 0; i < l->options.connections; i++) {
        const struct connection *c = &l->connections[i];
        if (c->id == 0 || !c->counts) {
            continue;
        }
        bool is_near = same_network(&c->address, from);
        census.begun += is_near;
        if (c->confirmed) {
            continue;
        }
        census.unconfirmed++;
        census.oldest = census.oldest == 0 ? c->id : at_most(census.oldest, c->id);
        if (is_near) {
            census.of_network++;
            census.oldest_of_network = census.oldest_of_network == 0 ? c->id : at_most(census.oldest_of_network, c->id);
        }
    }
    return census;
}

enum room { THERE, AFTER, NEVER };

/* Whether a peer may begin a connection: at once, after `*oldest` has ended, or never. Of a peer that has proven its
 * address only the limit of its network is asked. */
static enum room room_for(const struct nacre_listener *l, const struct nacre_address *from, bool is_proven,
                          uint64_t *oldest) {
    struct census census = count_peers(l, from);
    bool has_all = census.begun >= l->options.connections_per_network;
    if (has_all || (!is_proven && census.of_network >= l->options.unconfirmed_per_network)) {
        *oldest = census.oldest_of_network;
    } else if (!is_proven && census.unconfirmed >= l->options.unconfirmed) {
        *oldest = census.oldest;
    } else {
        return THERE;
    }
    return *oldest == 0 ? NEVER : AFTER;
}

/* Whether a peer must prove its address before anything is kept of it: as the option says, and at the latest when a
 * quarter of the places that confirmed connections leave is taken, so that a flood never reaches the end of them. */
static bool asks_for_proof(const struct nacre_listener *l, const struct nacre_address *from) {
    const struct nacre_listener_options *o = &l->options;
    struct census census = count_peers(l, from);
    uint64_t places = at_most(o->connections - l->count + census.unconfirmed, o->unconfirmed);
    uint64_t all = at_most(o->retry_above, larger((places + 3) / 4, 1));
    uint64_t each = at_most(o->retry_above / 16, at_most(all / 4, o->unconfirmed_per_network / 4));
    return census.unconfirmed >= all || census.of_network > each;
}

/* The hash of a network or an address, by which it is remembered. */
static uint64_t hash_of_bytes(const struct nacre_listener *l, const uint8_t *bytes, uint32_t len) {
    uint8_t text[NACRE_ADDRESS_MAX + 1];
    memset(text, 0, sizeof text);
    memcpy(text, bytes, len);
    text[NACRE_ADDRESS_MAX] = (uint8_t)len;
    return sip_hash(l->key, text, sizeof text);
}

/* Whether an answer may be sent to this address now; if so it counts as sent. */
static bool take_answer(struct nacre_listener *l, const struct nacre_address *to) {
    uint64_t network = hash_of_bytes(l, to->bytes, network_len(to));
    uint32_t at = 0;
    fill_bucket(&l->answers, l->time);
    if (l->answers.level < SECOND) {
        return false;
    }
    while (at < l->answered_len && l->answered[at].network != network) {
        at++;
    }
    if (at == l->answered_len && at == l->options.networks) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < l->answered_len; i++) {
            fill_bucket(&l->answered[i].bucket, l->time);
            if (l->answered[i].bucket.level < ANSWERS_PER_SECOND_AND_NETWORK * SECOND) {
                l->answered[kept++] = l->answered[i];
            }
        }
        l->answered_len = kept;
        at = kept;
    }
    if (at == l->options.networks) {
        return false;
    }
    if (at == l->answered_len) {
        l->answered[at].network = network;
        l->answered[at].bucket = full_bucket(ANSWERS_PER_SECOND_AND_NETWORK, l->time);
        l->answered_len++;
    }
    struct bucket *one = &l->answered[at].bucket;
    fill_bucket(one, l->time);
    if (one->level < SECOND) {
        return false;
    }
    one->level -= SECOND;
    l->answers.level -= SECOND;
    return true;
}

static bool may_answer(struct nacre_listener *l, const struct nacre_address *to) {
    bool may = take_answer(l, to);
    l->statistics.answers_withheld += may ? 0 : 1;
    return may;
}

/* Whether a stranger may be reported now: each once a second, and 16 at most. */
static bool may_report(struct nacre_listener *l, const struct nacre_address *from) {
    uint64_t peer = hash_of_bytes(l, from->bytes, from->len);
    struct report *spare = NULL;
    for (uint32_t i = 0; i < REPORTS; i++) {
        struct report *report = &l->reports[i];
        bool is_fresh = report->is_used && since(report->at, l->time) < SECOND;
        if (is_fresh && report->peer == peer) {
            return false;
        }
        if (!is_fresh) {
            spare = report;
        }
    }
    if (spare != NULL) {
        spare->peer = peer;
        spare->at = l->time;
        spare->is_used = true;
    }
    return spare != NULL;
}

static uint64_t hash_of_life(const struct nacre_listener *l, const struct peer *peer, uint64_t incarnation) {
    struct claim claim = {peer->address->bytes, peer->address->len, peer->identity, peer->fingerprint, incarnation};
    return hash_of_claim(l->key, &claim, UINT64_MAX);
}

static void forget_departed(struct nacre_listener *l) {
    while (l->departed_len > 0 && l->departed[l->departed_first].until <= l->time) {
        l->departed_first = (l->departed_first + 1) % l->options.departed;
        l->departed_len--;
    }
}

/* Whether a connection of this peer and incarnation has ended a short while ago. */
static bool has_departed(struct nacre_listener *l, const struct peer *peer, uint64_t incarnation) {
    uint64_t hash = hash_of_life(l, peer, incarnation);
    forget_departed(l);
    for (uint32_t i = 0; i < l->departed_len; i++) {
        if (l->departed[(l->departed_first + i) % l->options.departed].hash == hash) {
            return true;
        }
    }
    return false;
}

static void remember_departed(struct nacre_listener *l, const struct connection *c) {
    struct peer peer = {&c->address, c->identity, fingerprint_of(l, c)};
    if (!c->has_incarnation || l->options.departed == 0 || has_departed(l, &peer, c->incarnation)) {
        return;
    }
    if (l->departed_len == l->options.departed) {
        l->departed_first = (l->departed_first + 1) % l->options.departed;
        l->departed_len--;
    }
    struct departed *one = &l->departed[(l->departed_first + l->departed_len) % l->options.departed];
    one->hash = hash_of_life(l, &peer, c->incarnation);
    one->until = later_by(l->time, 120 * SECOND);
    l->departed_len++;
}

/* Takes a connection out of everything and discards its state. The caller has ended the loan of its outputs. */
static void forget_about(struct nacre_listener *l, struct connection *c) {
    if (l->active.id == c->id) {
        end_step(l);
    }
    stack_of(l, c)->discard(c->state, c->pool);
    leave_cookie(l, c);
    leave_heap(l, c);
    leave_due(l, c);
    c->id = 0;
    c->phase = FREE;
    l->count--;
}

/* The same, and remembers it for a while. */
static void remove_connection(struct nacre_listener *l, struct connection *c) {
    remember_departed(l, c);
    forget_about(l, c);
}

/* Notifies the application of an end that no stack has reported. */
static void report_end(struct nacre_listener *l, const struct connection *c, uint32_t reason) {
    if (c->phase != LIVE) {
        return;
    }
    struct nacre_listener_event event;
    memset(&event, 0, sizeof event);
    event.kind = NACRE_ENDED;
    event.connection = c->id;
    event.stack = c->kind;
    event.reason = reason;
    event.has_words = c->peer_words.are_set;
    event.code = c->peer_words.code;
    event.text = c->peer_words.text;
    event.text_len = c->peer_words.len;
    push(l, &event);
}

/* Ends a connection now, and notifies the application if needed. */
static void end(struct nacre_listener *l, struct connection *c, uint32_t reason) {
    report_end(l, c, reason);
    remove_connection(l, c);
}

/* Ends an unconfirmed connection to make room for another. Its peer may begin again, if it exists. */
static void evict(struct nacre_listener *l, struct connection *c) {
    l->statistics.evicted++;
    report_end(l, c, NACRE_NO_ROOM);
    forget_about(l, c);
}

/* The peer has shown that it receives frames at its address. */
static void confirm(struct nacre_listener *l, struct connection *c) {
    c->has_budget = false;
    c->confirmed = true;
    look_again(l, c);
}

/* The oldest connection of a peer that was begun before another one, and that neither end has closed in order. Those end
 * by themselves: the peer still answers there, and what was sent last may not have arrived yet. */
static struct connection *older(const struct nacre_listener *l, const struct peer *peer, uint64_t id) {
    struct connection *found = NULL;
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        bool is_open = c->phase == LIVE && !c->peer_is_over;
        if (is_open && is_of_peer(l, c, peer) && c->id >> 24 < id >> 24 && (found == NULL || c->id < found->id)) {
            found = c;
        }
    }
    return found;
}

/* A connection is confirmed: older ones with the same peer are from before its restart. Newer ones are not: what
 * confirms this one may be a late frame of a peer that has restarted since. */
static void replace_older(struct nacre_listener *l, struct connection *c) {
    struct peer peer = {&c->address, c->identity, fingerprint_of(l, c)};
    confirm(l, c);
    for (struct connection *other; c->arrived && (other = older(l, &peer, c->id)) != NULL;) {
        l->statistics.restarted++;
        end(l, other, NACRE_RESTARTED);
    }
}

static void say_over(struct nacre_listener *l, struct connection *c);

/* The stack has said that the connection ended. After an orderly close it still answers for a while, in case the peer
 * missed the last acknowledgement, unless the peer's stack has said the same. */
static void linger_or_remove(struct nacre_listener *l, struct connection *c, uint32_t reason) {
    bool is_orderly = reason == NACRE_CLOSED || reason == NACRE_INCOMPLETE;
    bool is_needed = is_orderly && stack_of(l, c)->has_preamble != 0;
    if (is_needed) {
        say_over(l, c);
    }
    if (!is_needed || c->peer_is_over) {
        remove_connection(l, c);
        return;
    }
    c->phase = LINGERING;
    c->linger_until = later_by(l->time, l->options.linger);
    c->counts = false;
    reschedule(l, c);
}

/* Does what had to wait until outputs were no longer lent. */
static void do_after(struct nacre_listener *l) {
    struct after after = l->after;
    memset(&l->after, 0, sizeof l->after);
    struct connection *c = connection(l, after.evicted);
    if (c != NULL) {
        evict(l, c);
    }
    c = connection(l, after.confirmed);
    if (c != NULL) {
        replace_older(l, c);
    }
    c = connection(l, after.ended);
    if (c != NULL) {
        linger_or_remove(l, c, after.reason);
    }
}
