/* The steps of a stack, and what comes of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "connection.h"

uint32_t send_event = NO_EVENT, open_event = NO_EVENT, delivery_event = NO_EVENT;

/* Of the stack's events: the one input that takes messages, if no role says which. */
void find_events(void) {
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

int configure(struct connection *connection) {
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

/* A message of the bytes of an output. What lies in the message or frame of the step is shared with it; the rest,
 * which the stack lends until its next step, is copied. */
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

bool sends(const struct connection *connection, uint32_t length) {
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
        if (message && down)
            message = below_wrap(message);
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

void take(struct connection *connection, void (*work)(struct connection *), mblk_t *given) {
    struct step step = {connection, work};
    connection->given = given;
    capsule_run(take_step, &step);
    connection->given = NULL;
}

static void tick(struct connection *connection) {
    connection->result =
        STACK->tick(connection->state, connection->pool, connection->counters, capsule_now(), &connection->out);
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

void step_send(struct connection *connection) {
    mblk_t *message = connection->given;
    connection->result = STACK->call(connection->state, connection->pool, connection->counters, capsule_now(),
                                     send_event, NULL, NULL, message->b_rptr,
                                     (uint32_t)(message->b_wptr - message->b_rptr), &connection->out);
}

void step_receive(struct connection *connection) {
    static const struct nacre_addr from = {
        .ip = {[10] = 255, [11] = 255, [12] = 127, [15] = 1}, .port = 1, .family = 4};
    mblk_t *frame = connection->given;
    connection->result = STACK->input(connection->state, connection->pool, connection->counters, capsule_now(), &from,
                                      frame->b_rptr, (uint32_t)(frame->b_wptr - frame->b_rptr), &connection->out);
}

void step_begin(struct connection *connection) {
    connection->result = STACK->open(connection->state, connection->pool, connection->counters, connection->config,
                                     (uint64_t)capsule_random() << 32 | capsule_random(), capsule_now(),
                                     &connection->out);
}

void step_open(struct connection *connection) {
    connection->result = STACK->call(connection->state, connection->pool, connection->counters, capsule_now(),
                                     open_event, NULL, NULL, NULL, 0, &connection->out);
}
