/* Events: timeouts of the host. An event runs in an entry of its own, never within another. */
#define STR_PREFIXED
#include "inside.h"

#define MOST_EVENTS 65536

enum { PENDING, RUNNING, FINISHED };

struct xk_event {
    EvFunc call;
    void *argument;
    timeout_id_t timeout;
    int state;
    bool is_detached, is_cancelled;
    struct xk_event *next, *previous;
};

static struct xk_event *all;
static unsigned count;

static void remove_event(struct xk_event *event) {
    if (event->previous)
        event->previous->next = event->next;
    else
        all = event->next;
    if (event->next)
        event->next->previous = event->previous;
    count--;
    xFree((char *)event);
}

static void run(void *argument) {
    struct xk_event *event = argument;

    event->call(event, event->argument);
    event->state = FINISHED;
    if (event->is_detached)
        remove_event(event);
}

/* An event that finds no thread must not wait: it may be what the others wait for. */
static void run_somewhere(void *argument) {
    struct xk_event *event = argument;
    event->state = RUNNING;
    if (!xk_thread_run(run, event))
        run(event);
}

static void expire(void *argument) {
    capsule_run(run_somewhere, argument);
    xk_settle();
}

Event evSchedule(EvFunc call, void *argument, int microseconds) {
    if (count >= MOST_EVENTS)
        Kabort("evSchedule: too many events");
    struct xk_event *event = (struct xk_event *)(void *)xMalloc(sizeof *event);
    *event = (struct xk_event){.call = call, .argument = argument, .state = PENDING, .next = all};
    uint64_t delay = microseconds > 0 ? (uint64_t)microseconds * 1000 : 0;
    event->timeout = str_timeout(capsule_host(), expire, event, capsule_now() + delay);
    if (!event->timeout) {
        xFree((char *)event);
        Kabort("evSchedule: no memory");
    }
    if (all)
        all->previous = event;
    all = event;
    count++;
    return event;
}

void evDetach(Event event) {
    if (event->state == FINISHED)
        remove_event(event);
    else
        event->is_detached = true;
}

EvCancelReturn evCancel(Event event) {
    switch (event->state) {
    case PENDING:
        str_untimeout(capsule_host(), event->timeout);
        remove_event(event);
        return EVENT_CANCELLED;
    case RUNNING: event->is_detached = event->is_cancelled = true; return EVENT_RUNNING;
    default: remove_event(event); return EVENT_FINISHED;
    }
}

int evIsCancelled(Event event) { return event->is_cancelled; }

void xk_events_end(void) {
    while (all) {
        if (all->state == PENDING)
            str_untimeout(capsule_host(), all->timeout);
        remove_event(all);
    }
}
