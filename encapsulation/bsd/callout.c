/* Timeouts whose storage is the caller's. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <sys/callout.h>
#include <sys/systm.h>

static void run(void *argument) {
    struct callout *callout = argument;
    callout->c_flags &= ~CALLOUT_PENDING;
    (*callout->c_func)(callout->c_arg);
}

void bsd_callout_init(struct callout *callout) { *callout = (struct callout){0}; }

void callout_stop(struct callout *callout) {
    if (callout_pending(callout))
        untimeout(run, callout);
    callout->c_flags &= ~CALLOUT_PENDING;
}

void callout_schedule(struct callout *callout, int count) {
    callout_stop(callout);
    callout->c_flags |= CALLOUT_PENDING;
    timeout(run, callout, count);
}

void callout_reset(struct callout *callout, int count, void (*routine)(void *), void *argument) {
    callout_setfunc(callout, routine, argument);
    callout_schedule(callout, count);
}
