/* Deadlines of connections, and events that wait. */

static bool goes_before(const struct nacre_listener *l, uint32_t one, uint32_t other) {
    const struct connection *a = &l->connections[one], *b = &l->connections[other];
    return a->wake != b->wake ? a->wake < b->wake : a->id < b->id;
}

static void put_in_heap(struct nacre_listener *l, uint32_t at, uint32_t index) {
    l->heap[at] = index;
    l->connections[index].heap_at = at;
}

static void move_up(struct nacre_listener *l, uint32_t at) {
    uint32_t index = l->heap[at];
    while (at > 0 && goes_before(l, index, l->heap[(at - 1) / 2])) {
        put_in_heap(l, at, l->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put_in_heap(l, at, index);
}

static void move_down(struct nacre_listener *l, uint32_t at) {
    uint32_t index = l->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < l->heap_len && goes_before(l, l->heap[child + 1], l->heap[child])) {
            child++;
        }
        if (child >= l->heap_len || !goes_before(l, l->heap[child], index)) {
            break;
        }
        put_in_heap(l, at, l->heap[child]);
        at = child;
    }
    put_in_heap(l, at, index);
}

/* A connection is looked at no later than at a time. A time that moves away is not noted: the connection is woken too
 * early once, so a deadline that each frame moves costs nothing. */
static void wake_at(struct nacre_listener *l, struct connection *c, uint64_t at) {
    if (at >= c->wake) {
        return;
    }
    c->wake = at;
    if (c->heap_at == NOWHERE) {
        put_in_heap(l, l->heap_len, (uint32_t)(c - l->connections));
        l->heap_len++;
    }
    move_up(l, c->heap_at);
}

static void leave_heap(struct nacre_listener *l, struct connection *c) {
    uint32_t at = c->heap_at;
    if (at == NOWHERE) {
        return;
    }
    l->heap_len--;
    if (at != l->heap_len) {
        put_in_heap(l, at, l->heap[l->heap_len]);
        move_down(l, at);
        move_up(l, at);
    }
    c->heap_at = NOWHERE;
    c->wake = NACRE_NEVER;
}

/* A connection has changed: its stack may accept now what it refused. */
static void look_again(struct nacre_listener *l, struct connection *c) {
    if (c->due_at == NOWHERE && (c->was_refused || c->close_wanted || c->owed > 0)) {
        c->due_at = l->due_len;
        l->due[l->due_len++] = (uint32_t)(c - l->connections);
    }
}

static void leave_due(struct nacre_listener *l, struct connection *c) {
    if (c->due_at == NOWHERE) {
        return;
    }
    l->due_len--;
    l->due[c->due_at] = l->due[l->due_len];
    l->connections[l->due[c->due_at]].due_at = c->due_at;
    c->due_at = NOWHERE;
}

/* What stands in the queue: a head, the event or the bytes of a frame, and what the event names. */
enum { SKIPPED, EVENT, HELD };
struct record {
    uint32_t size, kind;
};

static uint32_t rounded(uint32_t size) {
    return (size + 7u) & ~7u;
}

static uint32_t plain_record(uint32_t text) {
    return (uint32_t)(sizeof(struct record) + rounded(sizeof(struct nacre_listener_event)) +
                      rounded(sizeof(struct nacre_address)) + rounded(text));
}

/* Room for the events of one call that no message comes with: each connection may end. */
static uint32_t reserve(const struct nacre_listener_options *options) {
    return (options->connections + 16) * plain_record(options->text_max);
}

/* Moves what waits to the beginning. No event may be lent. */
static void compact(struct queue *queue) {
    uint32_t len = queue->tail - queue->head;
    for (uint32_t i = 0; queue->head > 0 && i < len; i++) {
        queue->at[i] = queue->at[queue->head + i];
    }
    queue->head = 0;
    queue->tail = len;
}

/* Takes room for a record of at most so many bytes; NULL: there is not as much besides `spared`. */
static uint8_t *append(struct queue *queue, uint32_t kind, uint64_t size, uint32_t spared) {
    uint64_t all = sizeof(struct record) + ((size + 7) & ~(uint64_t)7);
    if (all + spared > queue->size - queue->tail) {
        return NULL;
    }
    struct record record = {(uint32_t)all, kind};
    uint8_t *at = queue->at + queue->tail;
    memcpy(at, &record, sizeof record);
    queue->tail += record.size;
    return at + sizeof record;
}

/* Copies segments to one place. */
static void copy_segments(uint8_t *to, const struct nacre_segment *segments, uint32_t segments_len) {
    for (uint32_t i = 0; i < segments_len; i++) {
        if (segments[i].len > 0) {
            memcpy(to, segments[i].at, segments[i].len);
        }
        to += segments[i].len;
    }
}

/* Appends an event with all that it names; false: there is not as much room besides `spared`. */
static bool append_event(struct nacre_listener *l, const struct nacre_listener_event *event, uint32_t spared) {
    uint32_t head = rounded(sizeof *event), address = event->address != NULL ? rounded(sizeof *event->address) : 0;
    uint64_t size = (uint64_t)head + address + rounded(event->text_len) + event->len;
    uint8_t *at = append(&l->queue, EVENT, size, spared);
    if (at == NULL) {
        return false;
    }
    memcpy(at, event, sizeof *event);
    if (address > 0) {
        memcpy(at + head, event->address, sizeof *event->address);
    }
    if (event->text_len > 0) {
        memcpy(at + head + address, event->text, event->text_len);
    }
    copy_segments(at + head + address + rounded(event->text_len), event->segments, event->segments_len);
    return true;
}

/* Appends an event of the listener's own, for which there is always room. */
static void push(struct nacre_listener *l, const struct nacre_listener_event *event) {
    l->statistics.events_lost += append_event(l, event, 0) ? 0 : 1;
}

/* Takes the first event; false: none waits. What it names is lent until something is appended. */
static bool pop(struct nacre_listener *l, struct nacre_listener_event *event) {
    struct queue *queue = &l->queue;
    while (queue->head < queue->tail) {
        const uint8_t *at = queue->at + queue->head;
        struct record record;
        memcpy(&record, at, sizeof record);
        queue->head += record.size;
        if (record.kind != EVENT) {
            continue;
        }
        at += sizeof record;
        memcpy(event, at, sizeof *event);
        at += rounded(sizeof *event);
        if (event->address != NULL) {
            event->address = (const struct nacre_address *)(const void *)at;
            at += rounded(sizeof *event->address);
        }
        event->text = event->text_len > 0 ? at : NULL;
        l->segment.at = at + rounded(event->text_len);
        l->segment.len = event->len;
        event->segments = event->segments_len > 0 ? &l->segment : NULL;
        event->segments_len = event->segments_len > 0 ? 1 : 0;
        return true;
    }
    queue->head = 0;
    queue->tail = 0;
    return false;
}

/* Sends a datagram of one piece. */
static void send_plain(struct nacre_listener *l, const struct nacre_address *to, const uint8_t *frame, uint32_t len) {
    struct nacre_segment segment = {frame, len, 0};
    l->options.send(l->options.host, to, &segment, 1);
}
