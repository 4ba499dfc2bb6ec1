/* Lower streams that carry packets: what comes up, and what goes around. */
#ifndef NACRE_CAPSULE_LOWER_H
#define NACRE_CAPSULE_LOWER_H

#include "entry.h"

/* The put and service procedures of the read side. `take` takes a message of data, when the instance is not entered. */
int lower_put(queue_t *read, mblk_t *message, void (*take)(queue_t *read, mblk_t *message));
int lower_service(queue_t *read, void (*take)(queue_t *read, mblk_t *message));

#endif
