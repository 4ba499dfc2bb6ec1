/* Opens connections. */

/* The address of a peer as its stack sees it. */
static struct nacre_addr name_of(const struct nacre_address *address) {
    struct nacre_addr name;
    uint8_t bytes[18];
    memset(&name, 0, sizeof name);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes, address->bytes, address->len < 18 ? address->len : 18);
    if (address->len == 6) {
        name.family = 4;
        memcpy(name.ip + 12, bytes, 4);
        name.port = (uint16_t)(bytes[4] << 8 | bytes[5]);
    } else {
        name.family = 6;
        memcpy(name.ip, bytes, 16);
        name.port = (uint16_t)(bytes[16] << 8 | bytes[17]);
    }
    return name;
}

/* Sets all numbers of a role in the config that is being filled. */
static void set_role(struct nacre_listener *l, const struct kind *kind, uint8_t role, uint64_t value) {
    for (uint32_t i = 0; i < kind->given.stack->givens_len; i++) {
        const struct nacre_given *given = &kind->given.stack->givens[i];
        uint8_t *at = (uint8_t *)l->config + given->offset;
        uint8_t byte = (uint8_t)value;
        uint16_t half = (uint16_t)value;
        uint32_t word = (uint32_t)value;
        if (given->role != role) {
            continue;
        }
        switch (given->size) {
        case 1:
            memcpy(at, &byte, 1);
            break;
        case 2:
            memcpy(at, &half, 2);
            break;
        case 4:
            memcpy(at, &word, 4);
            break;
        case 8:
            memcpy(at, &value, 8);
            break;
        default:
            break;
        }
    }
}

/* The number of a role in the config; 0: the stack is given none. */
static uint64_t get_role(const struct nacre_listener *l, const struct kind *kind, uint8_t role) {
    for (uint32_t i = 0; i < kind->given.stack->givens_len; i++) {
        const struct nacre_given *given = &kind->given.stack->givens[i];
        const uint8_t *at = (const uint8_t *)l->config + given->offset;
        uint64_t number = 0;
        uint32_t word = 0;
        if (given->role == role && given->size == 8) {
            memcpy(&number, at, 8);
            return number;
        }
        if (given->role == role && given->size == 4) {
            memcpy(&word, at, 4);
            return word;
        }
    }
    return 0;
}

/* Sets the given values that the listener knows; returns the incarnation. */
static uint64_t fill_in(struct nacre_listener *l, const struct kind *kind, uint32_t cookie, uint64_t identity,
                        const struct peer *peer) {
    struct nacre_addr name = name_of(peer->address);
    for (uint32_t i = 0; i < kind->given.stack->givens_len; i++) {
        const struct nacre_given *given = &kind->given.stack->givens[i];
        if (given->role == NACRE_GIVEN_PEER && given->size == sizeof name) {
            memcpy((uint8_t *)l->config + given->offset, &name, sizeof name);
        }
    }
    uint64_t incarnation = draw(l);
    set_role(l, kind, NACRE_GIVEN_COOKIE, cookie);
    set_role(l, kind, NACRE_GIVEN_IDENTITY, identity);
    set_role(l, kind, NACRE_GIVEN_PEER_IDENTITY, peer->identity);
    set_role(l, kind, NACRE_GIVEN_INCARNATION, incarnation);
    return incarnation;
}

static bool ends_first(const struct connection *one, const struct connection *other) {
    return one->linger_until != other->linger_until ? one->linger_until < other->linger_until : one->id < other->id;
}

/* A place for the next connection, and a cookie; if there is no room, the one makes it that lingers for the longest
 * time, or the oldest that is not confirmed. NULL: all are confirmed. */
static struct connection *propose(struct nacre_listener *l, uint32_t *cookie) {
    struct connection *place = NULL, *lingers = NULL, *oldest = NULL;
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        if (c->id == 0) {
            place = place == NULL ? c : place;
        } else if (c->phase == LINGERING) {
            lingers = lingers == NULL || ends_first(c, lingers) ? c : lingers;
        } else if (c->counts && !c->confirmed && (oldest == NULL || c->id < oldest->id)) {
            oldest = c;
        }
    }
    if (place == NULL && lingers != NULL) {
        place = lingers;
        remove_connection(l, lingers);
    } else if (place == NULL && oldest != NULL) {
        place = oldest;
        evict(l, oldest);
    }
    if (place == NULL) {
        return NULL;
    }
    do {
        *cookie = (uint32_t)draw(l) & COOKIE_MASK;
        *cookie = *cookie == 0 ? 1 : *cookie;
    } while (*cookie == place->cookie || with_cookie(l, *cookie) != NULL);
    return place;
}

/* The id of the next connection, in this place. */
static uint64_t next_id(const struct nacre_listener *l, const struct connection *place) {
    return l->serial << 24 | (uint64_t)(place - l->connections);
}

/* Erases the config: it may have had secrets. */
static void wipe(void *memory, size_t size) {
    volatile uint8_t *at = memory;
    for (size_t i = 0; i < size; i++) {
        at[i] = 0;
    }
}

/* Opens a connection with the config that was filled. Its outputs are active afterwards. false: the stack refuses. */
static bool open_connection(struct nacre_listener *l, struct connection *c, uint32_t number, uint32_t cookie,
                            const struct peer *peer, enum phase phase) {
    const struct kind *kind = &l->kinds[number];
    const struct nacre_stack *stack = kind->given.stack;
    struct words farewell = c->farewell, peer_words = c->peer_words;
    void *state = c->state, *pool = c->pool;
    uint64_t seed = draw(l), id = next_id(l, c);
    uint32_t last = c->cookie;
    uint32_t key = (uint32_t)get_role(l, kind, NACRE_GIVEN_INCARNATION);
    uint64_t own = get_role(l, kind, NACRE_GIVEN_IDENTITY);
    stack->pool_init(pool, kind->given.blocks);
    l->out.outputs_len = 0;
    int result = stack->open(state, pool, kind->counters, l->config, seed, l->time, &l->out);
    wipe(l->config, stack->config_size);
    if (result != NACRE_OK) {
        l->out.outputs_len = 0;
        return false;
    }
    memset(c, 0, sizeof *c);
    c->cookie = last;
    c->state = state;
    c->pool = pool;
    c->farewell.text = farewell.text;
    c->peer_words.text = peer_words.text;
    c->id = id;
    c->phase = phase;
    c->kind = number;
    c->cookie = cookie;
    c->key = key;
    c->address = *peer->address;
    c->name = name_of(peer->address);
    c->identity = peer->identity;
    c->own_identity = own;
    c->grants_by_listener = true;
    c->heap_at = NOWHERE;
    c->due_at = NOWHERE;
    c->wake = NACRE_NEVER;
    c->unknown_since = NACRE_NEVER;
    c->heard_at = l->time;
    c->pinged_at = l->time;
    c->owed = kind->grant_delivers != NACRE_NONE ? FIRST_GRANTS : 0;
    l->serial++;
    l->count++;
    enter_cookie(l, c);
    l->active.id = id;
    l->active.next = 0;
    send_frames(l, c);
    look_again(l, c);
    return true;
}
