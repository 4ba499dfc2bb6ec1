/* Timeouts whose storage is the caller's, as OpenBSD has them. */
#ifndef BSD_SYS_TIMEOUT_H
#define BSD_SYS_TIMEOUT_H
#pragma GCC system_header
#include <sys/callout.h>

struct timeout {
    struct callout to_callout;
};
#define timeout_set(to, routine, argument) \
    (bsd_callout_init(&(to)->to_callout), callout_setfunc(&(to)->to_callout, (routine), (argument)))
#define timeout_add(to, ticks) callout_schedule(&(to)->to_callout, (ticks))
#define timeout_del(to) callout_stop(&(to)->to_callout)
#define timeout_pending(to) callout_pending(&(to)->to_callout)
#define timeout_initialized(to) ((to)->to_callout.c_func != 0)

#endif
