/* The devices and modules of an isolated instance, as the host sees them. */
#ifndef NACRE_STREAMS_OUTLET_H
#define NACRE_STREAMS_OUTLET_H

#include "isolate.h"

#include "capsule.h"

#define isolate_ask str_inside_isolate_ask
#define isolate_speak str_inside_isolate_speak
#define outlet_make str_inside_outlet_make
#define outlet_passes str_inside_outlet_passes
#define outlets_free str_inside_outlets_free
#define worker_end str_inside_worker_end
#define worker_has_ended str_inside_worker_has_ended
#define worker_start str_inside_worker_start
#define worker_time str_inside_worker_time

#pragma GCC visibility push(hidden)

struct isolate {
    struct exchange exchange;
    pid_t pid; /* 0: it is gone */
    int process; /* a descriptor of it, or -1 */
    int area;
    bool dead, started;
    /* Milliseconds of the worker's processor time: at the first look at this entry (-1: none), and for an entry. */
    int64_t began, patience;
    int64_t since; /* milliseconds of the system's clock at that look */
    timeout_id_t timer;
    uint64_t due;
    bool answered; /* the record that was sent last */
    int result;
    char text[256];
    char name[LONGEST_EXPORT + 1];
    uint32_t count;
    struct outlet *outlets[MOST_EXPORTS];
    struct str_export exports[MOST_EXPORTS + 1];
};

/* Gives the worker turns until it has no more to say. */
void isolate_speak(struct isolate *);
/* Sends a record, and returns the answer to it: 0 or an errno value. */
int isolate_ask(struct isolate *, struct record, const void *data, size_t size);

#define LEAST_DESCRIPTOR 10 /* above those that a worker gets */

/* Starts the program, with the area and the capsule as descriptors 3 and 4. 0 or an errno value. */
int worker_start(struct isolate *, const char *program, int area, int capsule);
/* Ends the process. What it had ended by, or ends by: a signal, or 0. */
int worker_end(struct isolate *);
bool worker_has_ended(const struct isolate *);
int64_t worker_time(const struct isolate *); /* processor time in milliseconds, or -1 */

/* Returns whether an export was made. */
bool outlet_make(struct isolate *, uint32_t number, const struct exported *);
void outlets_free(struct isolate *);
/* Whether a message of the worker may pass on: the host trusts no pointer in it. */
bool outlet_passes(mblk_t *);

#pragma GCC visibility pop

#endif
