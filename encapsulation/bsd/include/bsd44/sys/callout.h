/* Timeouts whose storage is the caller's, as NetBSD has them since 1.5. */
#ifndef BSD_SYS_CALLOUT_H
#define BSD_SYS_CALLOUT_H
#pragma GCC system_header
#include <sys/param.h>

struct callout {
    void (*c_func)(void *);
    void *c_arg;
    int c_flags;
};
#define CALLOUT_PENDING 1
#define CALLOUT_INITIALIZER \
    { 0, 0, 0 }
/* Later releases have flags as second argument. */
#define callout_init(callout, ...) bsd_callout_init(callout)
#define callout_setfunc(callout, routine, argument) ((callout)->c_func = (routine), (callout)->c_arg = (argument))
#define callout_pending(callout) ((callout)->c_flags & CALLOUT_PENDING)
#define callout_active(callout) callout_pending(callout)

void bsd_callout_init(struct callout *callout);
void callout_reset(struct callout *callout, int ticks, void (*routine)(void *), void *argument);
void callout_schedule(struct callout *callout, int ticks);
void callout_stop(struct callout *callout);

#endif
