/* Events: procedures that run later. */
#ifndef XK_EVENT_H
#define XK_EVENT_H

typedef struct xk_event *Event;
typedef void (*EvFunc)(Event, void *arg);
typedef enum { EVENT_FINISHED, EVENT_RUNNING, EVENT_CANCELLED } EvCancelReturn;

Event evSchedule(EvFunc, void *arg, int microseconds);
void evDetach(Event);
EvCancelReturn evCancel(Event);
int evIsCancelled(Event);

#endif
