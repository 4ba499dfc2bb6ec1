/* A Nacre stack in a capsule: one connection, and its steps. */
#ifndef NACRE_STACKS_NACRE_CONNECTION_H
#define NACRE_STACKS_NACRE_CONNECTION_H

#include <stdbool.h>

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
    mblk_t *parts; /* of a frame, of which more is to come */
    int result;
};

/* The events by which the stack takes messages, is opened, and delivers; NO_EVENT: none. */
extern uint32_t send_event, open_event, delivery_event;

void find_events(void);
/* Values that the host gives, from the capsule's options. 0 or an errno value. */
int configure(struct connection *);
/* Whether the stack takes a message of this length now. */
bool sends(const struct connection *, uint32_t length);
/* Takes a step with a message or frame (of one block, or NULL), and passes on what comes of it. */
void take(struct connection *, void (*step)(struct connection *), mblk_t *given);

/* Steps. Their result is in the connection. */
void step_send(struct connection *);
void step_receive(struct connection *);
void step_begin(struct connection *);
void step_open(struct connection *);

/* What is below: frames as messages of data, or a transport provider (below.c). */

/* Sets it up from the options. 0 or an errno value. */
int below_begin(void);
bool below_takes(const char *option);
/* A frame as the message that carries it; NULL without memory: the frame is then gone. */
mblk_t *below_wrap(mblk_t *frame);
enum below { BELOW_FRAME, BELOW_PART, BELOW_OTHER };
/* What a message from below is: a frame (or one of its parts), or something else, which passes. */
enum below below_kind(mblk_t *);
/* The frame that a message carries, or completes with the parts that `parts` holds. NULL: there is none, or it is not
 * complete. */
mblk_t *below_unwrap(mblk_t *, mblk_t **parts);

#endif
