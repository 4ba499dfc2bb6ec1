/* A Nacre stack as a STREAMS module: messages of data from above are sent, frames go and come below, and what is delivered goes up.
 * All other messages pass. Each push is a connection of its own, with the module of the same stack at the other end of the link. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include NACRE_CAPSULE_HEADER

#include "stacks/common/entry.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define STACK (&JOIN(NACRE_CAPSULE, _stack))

#define NO_EVENT UINT32_MAX

/* A connection: what the stack needs, in one piece of memory each. */
struct connection {
    queue_t *read;
    unsigned char *state, *pool;
    uint64_t *counters;
    void *config;
    struct nacre_out out;
    struct nacre_output *outputs;
    struct nacre_segment *segments;
    uint8_t *bytes;
    timeout_id_t timer;
    uint64_t due; /* 0: the timer is not set */
    mblk_t *given; /* the message or frame of the step */
    int result;
};

static uint32_t send_event = NO_EVENT, open_event = NO_EVENT, delivery_event = NO_EVENT;
/* Of the stack's events: the one input that takes messages, if no role says which. */
static void find_events(void) {
    for (uint32_t i = 0; i < STACK->events_len; i++) {
        const struct nacre_event *event = &STACK->events[i];
        if (event->role == NACRE_EVENT_SENDING && event->input)
            send_event = i;
        if (event->role == NACRE_EVENT_OPENING && event->input && !event->idle)
            open_event = i;
        if (event->role == NACRE_EVENT_DELIVERY && !event->input)
            delivery_event = i;
    }
}

/* A number or bytes in hexadecimal, for a value that the host gives. False: none, or not of its size. */
static bool parse(const char *text, unsigned char *value, uint32_t size) {
    if (!text)
        return false;
    if (strncmp(text, "0x", 2) == 0 && strlen(text) == 2 + 2 * (size_t)size) {
        for (uint32_t i = 0; i < size; i++) {
            unsigned byte;
            if (sscanf(text + 2 + 2 * i, "%2x", &byte) != 1)
                return false;
            value[i] = (unsigned char)byte;
        }
        return true;
    }
    unsigned long long number;
    char rest;
    if (size > sizeof number || sscanf(text, "%llu%c", &number, &rest) != 1)
        return false;
    memcpy(value, &number, size); /* of a little-endian processor, as the others in the configuration */
    return true;
}

static int configure(struct connection *connection) {
    STACK->config_default(connection->config);
    for (uint32_t i = 0; i < STACK->givens_len; i++) {
        const struct nacre_given *given = &STACK->givens[i];
        unsigned char *value = (unsigned char *)connection->config + given->offset;
        if (parse(capsule_option(given->name), value, given->size))
            continue;
        if (given->role == NACRE_GIVEN_PEER) {
            /* One link, one peer: any address will do. */
            struct nacre_addr peer = {.ip = {[10] = 255, [11] = 255, [12] = 127, [15] = 1}, .port = 1, .family = 4};
            memcpy(value, &peer, sizeof peer < given->size ? sizeof peer : given->size);
        } else if (given->role == NACRE_GIVEN_COOKIE) {
            uint32_t cookie = (capsule_random() & 0xffffff) | 1;
            memcpy(value, &cookie, given->size < sizeof cookie ? given->size : sizeof cookie);
        } else if (given->role == NACRE_GIVEN_INCARNATION) {
            str_random(capsule_host(), value, given->size);
        } else if (given->required) {
            capsule_log("the stack needs a value: the option %s", given->name);
            return EINVAL;
        }
    }
    return 0;
}

static mblk_t *append(mblk_t *message, mblk_t *block) {
    if (!message)
        return block;
    linkb(message, block);
    return message;
}

/* A message of the bytes of an output. What lies in the message or frame of the step is shared with it; the rest, which the stack lends
 * until its next step, is copied. */
static mblk_t *message_of(const struct connection *connection, const struct nacre_output *output) {
    mblk_t *message = NULL, *given = connection->given;
    for (uint32_t i = 0; i < output->segments_len; i++) {
        const struct nacre_segment *segment = &output->segments[i];
        mblk_t *block;
        if (segment->len == 0)
            continue;
        if (given && segment->at >= given->b_rptr && segment->at + segment->len <= given->b_wptr) {
            block = dupb(given);
            if (block) {
                block->b_rptr += segment->at - given->b_rptr;
                block->b_wptr = block->b_rptr + segment->len;
            }
        } else {
            block = allocb(segment->len, BPRI_MED);
            if (block) {
                memcpy(block->b_wptr, segment->at, segment->len);
                block->b_wptr += segment->len;
            }
        }
        if (!block) {
            if (message)
                freemsg(message);
            return NULL;
        }
        message = append(message, block);
    }
    return message ? message : allocb(0, BPRI_MED);
}

static bool sends(const struct connection *connection, uint32_t length) {
    return send_event != NO_EVENT && STACK->accepts(connection->state, connection->pool, send_event, length);
}

static void work_timers(struct connection *connection);

/* Passes on what came of a step. */
static void pass(struct connection *connection) {
    queue_t *read = connection->read;
    for (uint32_t i = 0; i < connection->out.outputs_len; i++) {
        const struct nacre_output *output = &connection->outputs[i];
        bool down = output->port == 0;
        if (!down && output->event != delivery_event)
            continue;
        mblk_t *message = message_of(connection, output);
        /* Outputs are lent until the next step: whoever comes back meanwhile waits in a queue (capsule_entered). */
        if (message)
            putnext(down ? WR(read) : read, message);
        capsule_returned();
    }
    connection->out.outputs_len = 0;
    if (WR(read)->q_first && sends(connection, 0))
        qenable(WR(read));
}

struct step {
    struct connection *connection;
    void (*work)(struct connection *);
};

static void take_step(void *argument) {
    struct step *step = argument;
    step->work(step->connection);
    pass(step->connection);
    work_timers(step->connection);
}

static void take(struct connection *connection, void (*work)(struct connection *), mblk_t *given) {
    struct step step = {connection, work};
    connection->given = given;
    capsule_run(take_step, &step);
    connection->given = NULL;
}

static void tick(struct connection *connection) {
    connection->result = STACK->tick(connection->state, connection->pool, connection->counters, capsule_now(), &connection->out);
}

static void on_timer(void *argument) {
    struct connection *connection = argument;
    connection->due = 0;
    take(connection, tick, NULL);
}

/* `later` events at once, timers when they are due. */
static void work_timers(struct connection *connection) {
    uint64_t at;
    for (unsigned steps = 0; (at = STACK->deadline(connection->state)) <= capsule_now() && steps < 1000; steps++) {
        tick(connection);
        if (connection->result == NACRE_IDLE)
            break;
        pass(connection);
    }
    at = STACK->deadline(connection->state);
    if (at == connection->due)
        return;
    if (connection->due)
        str_untimeout(capsule_host(), connection->timer);
    connection->due = 0;
    if (at == NACRE_NEVER)
        return;
    at = at <= capsule_now() ? capsule_now() + 1 : at;
    connection->timer = str_timeout(capsule_host(), on_timer, connection, at);
    connection->due = connection->timer ? at : 0;
}

static void send(struct connection *connection) {
    mblk_t *message = connection->given;
    connection->result = STACK->call(connection->state, connection->pool, connection->counters, capsule_now(), send_event,
                                     NULL, NULL, message->b_rptr, (uint32_t)(message->b_wptr - message->b_rptr),
                                     &connection->out);
}

static void receive(struct connection *connection) {
    static const struct nacre_addr from = {.ip = {[10] = 255, [11] = 255, [12] = 127, [15] = 1}, .port = 1, .family = 4};
    mblk_t *frame = connection->given;
    connection->result = STACK->input(connection->state, connection->pool, connection->counters, capsule_now(), &from,
                                      frame->b_rptr, (uint32_t)(frame->b_wptr - frame->b_rptr), &connection->out);
}

static void begin(struct connection *connection) {
    connection->result = STACK->open(connection->state, connection->pool, connection->counters, connection->config,
                                     (uint64_t)capsule_random() << 32 | capsule_random(), capsule_now(), &connection->out);
}

static void say_open(struct connection *connection) {
    connection->result = STACK->call(connection->state, connection->pool, connection->counters, capsule_now(), open_event,
                                     NULL, NULL, NULL, 0, &connection->out);
}

/* One piece: a stack reads contiguous bytes. NULL: no memory; the message is then gone. */
static mblk_t *joined(mblk_t *message) {
    if (!message->b_cont)
        return message;
    mblk_t *whole = msgpullup(message, -1);
    freemsg(message);
    return whole;
}

/* Handles a message of data from above. Returns it, if it has to wait. */
static mblk_t *down(struct connection *connection, mblk_t *message) {
    size_t length = msgdsize(message);
    if (send_event == NO_EVENT || length > STACK->events[send_event].message_max) {
        freemsg(message);
        return NULL;
    }
    if (!canputnext(WR(connection->read)) || !sends(connection, (uint32_t)length))
        return message;
    message = joined(message);
    if (!message)
        return NULL;
    take(connection, send, message);
    if (connection->result == NACRE_REFUSED || connection->result == NACRE_BUSY || connection->result == NACRE_NO_SPACE)
        return message;
    freemsg(message);
    return NULL;
}

static int write_put(queue_t *write, mblk_t *message) {
    struct connection *connection = write->q_ptr;
    if (message->b_datap->db_type == M_FLUSH && (*message->b_rptr & FLUSHW))
        flushq(write, FLUSHDATA);
    if (message->b_datap->db_type != M_DATA) {
        if (message->b_datap->db_type < QPCTL && write->q_first)
            putq(write, message);
        else
            putnext(write, message);
    } else if (write->q_first || capsule_entered()) {
        putq(write, message);
    } else if ((message = down(connection, message))) {
        putbq(write, message);
    }
    return 0;
}

static int write_service(queue_t *write) {
    struct connection *connection = write->q_ptr;
    mblk_t *message;
    while ((message = getq(write))) {
        if (message->b_datap->db_type != M_DATA)
            putnext(write, message);
        else if ((message = down(connection, message))) {
            putbq(write, message);
            break;
        }
    }
    return 0;
}

static void up(struct connection *connection, mblk_t *frame) {
    frame = joined(frame);
    if (!frame)
        return;
    take(connection, receive, frame);
    freemsg(frame);
}

static int read_put(queue_t *read, mblk_t *message) {
    if (message->b_datap->db_type == M_FLUSH && (*message->b_rptr & FLUSHR))
        flushq(read, FLUSHDATA);
    if (message->b_datap->db_type >= QPCTL)
        putnext(read, message);
    else if (read->q_first || capsule_entered() || !canputnext(read))
        putq(read, message);
    else if (message->b_datap->db_type != M_DATA)
        putnext(read, message);
    else
        up(read->q_ptr, message);
    return 0;
}

static int read_service(queue_t *read) {
    mblk_t *message;
    while ((message = getq(read))) {
        if (!canputnext(read)) {
            putbq(read, message);
            break;
        }
        if (message->b_datap->db_type == M_DATA)
            up(read->q_ptr, message);
        else
            putnext(read, message);
    }
    return 0;
}

static void discard(void *argument) {
    struct connection *connection = argument;
    STACK->discard(connection->state, connection->pool);
}

static void release(struct connection *connection) {
    capsule_free(connection->state);
    capsule_free(connection->pool);
    capsule_free(connection->counters);
    capsule_free(connection->config);
    capsule_free(connection->outputs);
    capsule_free(connection->segments);
    capsule_free(connection->bytes);
    capsule_free(connection);
}

static int open_stream(queue_t *read, dev_t *device, int flags, int kind, cred_t *who) {
    (void)device, (void)flags, (void)kind, (void)who;
    if (read->q_ptr)
        return 0;
    struct connection *connection = capsule_calloc(1, sizeof *connection);
    if (!connection)
        return ENOMEM;
    size_t pool = STACK->pool_base + (size_t)STACK->blocks_for_one * STACK->pool_per_block;
    connection->read = read;
    connection->state = capsule_calloc(1, STACK->state_size);
    connection->pool = capsule_malloc(pool);
    connection->counters = capsule_calloc(STACK->counters_len, sizeof *connection->counters);
    connection->config = capsule_calloc(1, STACK->config_size ? STACK->config_size : 1);
    connection->outputs = capsule_calloc(STACK->outputs_max, sizeof *connection->outputs);
    connection->segments = capsule_calloc(STACK->segments_max, sizeof *connection->segments);
    connection->bytes = capsule_malloc(STACK->bytes_max ? STACK->bytes_max : 1);
    int error = connection->state && connection->pool && connection->counters && connection->config &&
                        connection->outputs && connection->segments && connection->bytes
                    ? configure(connection)
                    : ENOMEM;
    if (error) {
        release(connection);
        return error;
    }
    STACK->pool_init(connection->pool, STACK->blocks_for_one);
    connection->out = (struct nacre_out){.abi = NACRE_ABI,
                                         .size = sizeof connection->out,
                                         .outputs_max = STACK->outputs_max,
                                         .segments_max = STACK->segments_max,
                                         .bytes_max = STACK->bytes_max,
                                         .outputs = connection->outputs,
                                         .segments = connection->segments,
                                         .bytes = connection->bytes};
    read->q_ptr = OTHERQ(read)->q_ptr = connection;
    qprocson(read);
    take(connection, begin, NULL);
    if (connection->result == NACRE_OK && open_event != NO_EVENT)
        take(connection, say_open, NULL);
    if (connection->result == NACRE_OK)
        return 0;
    qprocsoff(read);
    read->q_ptr = OTHERQ(read)->q_ptr = NULL;
    release(connection);
    return EIO;
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    struct connection *connection = read->q_ptr;
    qprocsoff(read);
    read->q_ptr = OTHERQ(read)->q_ptr = NULL;
    if (!connection)
        return 0;
    if (connection->due)
        str_untimeout(capsule_host(), connection->timer);
    capsule_run(discard, connection);
    release(connection);
    return 0;
}

static struct module_info about = {
    .mi_idnum = 0x6e61, .mi_idname = NACRE_CAPSULE_NAME, .mi_maxpsz = INFPSZ, .mi_hiwat = 65536, .mi_lowat = 16384};
static struct qinit read_side = {.qi_putp = read_put, .qi_srvp = read_service, .qi_qopen = open_stream,
                                 .qi_qclose = close_stream, .qi_minfo = &about};
static struct qinit write_side = {.qi_putp = write_put, .qi_srvp = write_service, .qi_minfo = &about};
static struct streamtab table = {&read_side, &write_side, NULL, NULL};
static const struct str_export exports[] = {{"", &table, STR_MODULE}, {NULL, NULL, 0}};

static bool is_given(const char *option) {
    for (uint32_t i = 0; i < STACK->givens_len; i++) {
        size_t length = strlen(STACK->givens[i].name);
        if (strncmp(STACK->givens[i].name, option, length) == 0 && option[length] == '=')
            return true;
    }
    return false;
}

static int start(struct str_host *host, const char *const *options) {
    find_events();
    int error = capsule_begin(host, options);
    for (; !error && *options; options++)
        if (!is_given(*options)) {
            capsule_log("the stack is given no such value: %s", *options);
            error = EINVAL;
        }
    return error;
}

static void stop(struct str_host *host) {
    (void)host;
    capsule_end();
}

/* All that it passes on is shared or copied. */
static size_t lent(void) { return 0; }

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, lent};
