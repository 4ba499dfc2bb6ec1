/* The memory of a listener: one region of the host's, in which everything has its place. */

/* Gives out places one after another. Without memory it only counts. */
struct places {
    uint8_t *at; /* NULL: only count */
    uint64_t used;
};

static void *take(struct places *places, uint64_t count, uint64_t size) {
    uint64_t at = (places->used + (ALIGNMENT - 1)) & ~(uint64_t)(ALIGNMENT - 1);
    places->used = at + count * size;
    return places->at != NULL ? places->at + at : NULL;
}

static bool has_name(const struct nacre_event *event, const char *name) {
    const char *at = event->name;
    while (*at != 0 && *at == *name) {
        at++;
        name++;
    }
    return *at == *name;
}

/* An event of a port by its name, above the transport or at it; the lowest port wins. */
static uint16_t find_event(const struct nacre_stack *stack, const char *name, bool input, bool above) {
    uint32_t found = NACRE_NONE;
    for (uint32_t i = 0; i < stack->events_len && i < NACRE_NONE; i++) {
        const struct nacre_event *event = &stack->events[i];
        bool fits = (event->input != 0) == input && (event->port != 0) == above && has_name(event, name);
        if (fits && (found == NACRE_NONE || event->port < stack->events[found].port)) {
            found = i;
        }
    }
    return (uint16_t)found;
}

static uint16_t find_moved(const struct nacre_stack *stack) {
    for (uint32_t i = 0; i < stack->events_len && i < NACRE_NONE; i++) {
        if (stack->events[i].input && stack->events[i].role == NACRE_EVENT_MOVED) {
            return (uint16_t)i;
        }
    }
    return NACRE_NONE;
}

static void fill_kind(struct kind *kind) {
    const struct nacre_stack *stack = kind->given.stack;
    kind->is_known = kind->given.served;
    kind->send = find_event(stack, "send", true, true);
    kind->close = find_event(stack, "close", true, true);
    kind->open_to = find_event(stack, "open", true, true);
    kind->grant_delivers = find_event(stack, "grant_delivers", true, true);
    kind->unknown = find_event(stack, "unknown", true, false);
    kind->hello = find_event(stack, "hello", true, false);
    kind->deliver = find_event(stack, "deliver", false, true);
    kind->grant_sends = find_event(stack, "grant_sends", false, true);
    kind->opened = find_event(stack, "open", false, true);
    kind->closed = find_event(stack, "closed", false, true);
    kind->moved = find_moved(stack);
    if (kind->open_to != NACRE_NONE && !stack->events[kind->open_to].has_address) {
        kind->open_to = NACRE_NONE;
    }
    if (kind->grant_delivers != NACRE_NONE && stack->events[kind->grant_delivers].idle) {
        kind->grant_delivers = NACRE_NONE;
    }
    if (kind->given.blocks == 0) {
        kind->given.blocks = stack->blocks_for_one;
    }
}

static bool is_usable(const struct nacre_stack *stack, uint32_t stacks_len) {
    if (stack == NULL || stack->abi != NACRE_ABI || stack->size != sizeof *stack || stack->state_align > ALIGNMENT ||
        stack->pool_align > ALIGNMENT || (!stack->has_preamble && stacks_len > 1) || stack->enter != NULL) {
        return false;
    }
    for (uint32_t i = 0; i < stack->givens_len; i++) {
        if (stack->givens[i].role == NACRE_GIVEN_SEALING_KEY || stack->givens[i].role == NACRE_GIVEN_OPENING_KEY) {
            return false;
        }
    }
    return true;
}

/* A pool numbers its blocks in 16 bits. */
enum { BLOCKS_MAX = 65535 };

static bool are_valid(const struct nacre_listener_options *o) {
    if (o->abi != NACRE_LISTENER_ABI || o->size != sizeof *o || o->send == NULL || o->stacks == NULL ||
        o->stacks_len == 0 || o->stacks_len > 65535 || o->connections == 0 ||
        o->connections > NACRE_LISTENER_CONNECTIONS_MAX || o->departed > 1u << 20 || o->refusals > 1u << 16 ||
        o->networks > 1u << 20 || o->text_max > TEXT_MAX || o->event_bytes > 1u << 30) {
        return false;
    }
    for (uint32_t i = 0; i < o->stacks_len; i++) {
        if (!is_usable(o->stacks[i].stack, o->stacks_len) || o->stacks[i].blocks > BLOCKS_MAX) {
            return false;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (o->stacks[j].stack->fingerprint == o->stacks[i].stack->fingerprint) {
                return false;
            }
        }
    }
    return (uint64_t)reserve(o) + o->event_bytes < 1u << 31;
}

/* The largest region that any of the stacks needs. */
struct bounds {
    uint64_t state, pool, config, outputs, segments, bytes;
};

static struct bounds bounds_of(const struct nacre_listener_options *o) {
    struct bounds bounds = {1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < o->stacks_len; i++) {
        const struct nacre_stack *stack = o->stacks[i].stack;
        uint32_t blocks = o->stacks[i].blocks != 0 ? o->stacks[i].blocks : stack->blocks_for_one;
        bounds.state = larger(bounds.state, stack->state_size);
        bounds.pool = larger(bounds.pool, stack->pool_base + (uint64_t)blocks * stack->pool_per_block);
        bounds.config = larger(bounds.config, stack->config_size);
        bounds.outputs = larger(bounds.outputs, stack->outputs_max);
        bounds.segments = larger(bounds.segments, stack->segments_max);
        bounds.bytes = larger(bounds.bytes, stack->bytes_max);
    }
    return bounds;
}

static uint32_t cookie_places(const struct nacre_listener_options *o) {
    uint32_t places = 4;
    while (places < 2 * o->connections) {
        places *= 2;
    }
    return places;
}

/* Puts the parts that each connection has in their places. */
static void place_connections(struct places *places, const struct nacre_listener_options *o, struct nacre_listener *l,
                              const struct bounds *bounds) {
    uint64_t state = (bounds->state + (ALIGNMENT - 1)) & ~(uint64_t)(ALIGNMENT - 1);
    uint64_t pool = (bounds->pool + (ALIGNMENT - 1)) & ~(uint64_t)(ALIGNMENT - 1);
    uint8_t *states = take(places, o->connections, state);
    uint8_t *pools = take(places, o->connections, pool);
    uint8_t *texts = take(places, o->connections, 2 * (uint64_t)o->text_max);
    uint8_t *refused = take(places, o->refusals, o->text_max);
    for (uint32_t i = 0; places->at != NULL && i < o->connections; i++) {
        struct connection *c = &l->connections[i];
        c->state = states + i * state;
        c->pool = pools + i * pool;
        c->farewell.text = texts + 2 * (size_t)i * o->text_max;
        c->peer_words.text = c->farewell.text + o->text_max;
        c->heap_at = NOWHERE;
        c->due_at = NOWHERE;
    }
    for (uint32_t i = 0; places->at != NULL && i < o->refusals; i++) {
        l->refusals[i].words.text = refused + (size_t)i * o->text_max;
    }
}

/* Puts everything but the listener itself in its place. */
static void place_all(struct places *places, const struct nacre_listener_options *o, struct nacre_listener *l) {
    struct bounds bounds = bounds_of(o);
    struct kind *kinds = take(places, o->stacks_len, sizeof *kinds);
    for (uint32_t i = 0; i < o->stacks_len; i++) {
        uint64_t *counters = take(places, o->stacks[i].stack->counters_len + 1u, sizeof *counters);
        if (places->at != NULL) {
            kinds[i].given = o->stacks[i];
            kinds[i].counters = counters;
            fill_kind(&kinds[i]);
        }
    }
    l->kinds = kinds;
    l->connections = take(places, o->connections, sizeof *l->connections);
    l->by_cookie = take(places, cookie_places(o), sizeof *l->by_cookie);
    l->by_cookie_mask = cookie_places(o) - 1;
    l->heap = take(places, o->connections, sizeof *l->heap);
    l->due = take(places, o->connections, sizeof *l->due);
    l->departed = take(places, o->departed, sizeof *l->departed);
    l->refusals = take(places, o->refusals, sizeof *l->refusals);
    l->answered = take(places, o->networks, sizeof *l->answered);
    place_connections(places, o, l, &bounds);
    l->config = take(places, 1, bounds.config);
    l->out.outputs_max = (uint32_t)bounds.outputs;
    l->out.segments_max = (uint32_t)bounds.segments;
    l->out.bytes_max = (uint32_t)bounds.bytes;
    l->out.outputs = take(places, bounds.outputs, sizeof *l->out.outputs);
    l->out.segments = take(places, bounds.segments, sizeof *l->out.segments);
    l->out.bytes = take(places, 1, bounds.bytes);
    l->queue.size = reserve(o) + o->event_bytes;
    l->queue.at = take(places, 1, l->queue.size);
    l->control_max = (uint32_t)larger(CONTROL_BYTES, REFUSED_HEAD + 8 * (uint64_t)o->stacks_len);
    l->control = take(places, 1, l->control_max + 8 * (uint64_t)o->stacks_len);
}

void nacre_listener_defaults(struct nacre_listener_options *o, uint32_t connections) {
    memset(o, 0, sizeof *o);
    o->abi = NACRE_LISTENER_ABI;
    o->size = sizeof *o;
    o->connections = connections;
    o->connections_per_network = connections;
    o->unconfirmed = (connections + 1) / 2;
    o->unconfirmed_per_network = (connections + 3) / 4;
    o->retry_above = connections / 8;
    o->departed = 4 * connections;
    o->refusals = 8;
    o->networks = 64;
    o->text_max = TEXT_MAX;
    o->event_bytes = 4096;
    o->ping_after = 5 * SECOND;
    o->timeout = 30 * SECOND;
    o->linger = 3 * SECOND;
}

size_t nacre_listener_size(const struct nacre_listener_options *options) {
    struct places places = {NULL, 0};
    if (options == NULL || !are_valid(options)) {
        return 0;
    }
    struct nacre_listener counted;
    take(&places, 1, sizeof counted);
    place_all(&places, options, &counted);
    /* The memory may begin anywhere. */
    places.used += ALIGNMENT;
    return places.used <= SIZE_MAX / 2 ? (size_t)places.used : 0;
}

struct nacre_listener *nacre_listener_init(void *memory, size_t size, const struct nacre_listener_options *options,
                                           uint64_t now) {
    size_t needed = nacre_listener_size(options);
    if (memory == NULL || needed == 0 || size < needed) {
        return NULL;
    }
    memset(memory, 0, needed);
    struct places places = {memory, 0};
    places.at += (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    struct nacre_listener *l = take(&places, 1, sizeof *l);
    place_all(&places, options, l);
    l->options = *options;
    l->options.stacks = NULL;
    /* A peer that is only idle is asked several times before it counts as gone. */
    l->options.ping_after = larger(at_most(options->ping_after, options->timeout / 4), MILLISECOND);
    l->memory = memory;
    l->size = needed;
    l->out.abi = NACRE_ABI;
    l->out.size = sizeof l->out;
    for (uint32_t i = 0; i < 8; i++) {
        l->random.key[i] = read_32(options->seed + 4 * i);
    }
    wipe(l->options.seed, sizeof l->options.seed);
    l->random.next = 16;
    l->key[0] = draw(l);
    l->key[1] = draw(l);
    l->serial = 1;
    l->time = now;
    l->answers = full_bucket(ANSWERS_PER_SECOND, now);
    return l;
}

void nacre_listener_end(struct nacre_listener *l) {
    for (uint32_t i = 0; i < l->options.connections; i++) {
        struct connection *c = &l->connections[i];
        if (c->id != 0) {
            stack_of(l, c)->discard(c->state, c->pool);
        }
    }
    wipe(l->memory, l->size);
}
