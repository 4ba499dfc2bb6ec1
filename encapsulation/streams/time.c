/* Timeouts on the host's clock, and bufcalls. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define TICK (1000000000U / STR_HZ) /* ns */
#define NOWHERE UINT32_MAX

_Static_assert(sizeof(timeout_id_t) == 8, "an identifier has a number and a generation");

static bool before(const struct timers *timers, uint32_t one, uint32_t other) {
    const struct timer *a = &timers->all[one], *b = &timers->all[other];
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}

static void settle(struct timers *timers, uint32_t place, uint32_t timer) {
    timers->heap[place] = timer;
    timers->all[timer].place = place;
}

static void rise(struct timers *timers, uint32_t place) {
    uint32_t timer = timers->heap[place];
    while (place > 0 && before(timers, timer, timers->heap[(place - 1) / 2])) {
        settle(timers, place, timers->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    settle(timers, place, timer);
}

static void sink(struct timers *timers, uint32_t place) {
    uint32_t timer = timers->heap[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= timers->count)
            break;
        if (child + 1 < timers->count && before(timers, timers->heap[child + 1], timers->heap[child]))
            child++;
        if (!before(timers, timers->heap[child], timer))
            break;
        settle(timers, place, timers->heap[child]);
        place = child;
    }
    settle(timers, place, timer);
}

static void take_out(struct timers *timers, uint32_t place) {
    uint32_t timer = timers->heap[place];
    uint32_t last = timers->heap[--timers->count];
    if (last != timer) {
        settle(timers, place, last);
        rise(timers, place);
        sink(timers, timers->all[last].place);
    }
    timers->all[timer].place = NOWHERE;
    timers->all[timer].generation++;
    timers->spare[timers->spares++] = timer;
}

static void *moved(struct str_host *host, void *old, size_t each, uint32_t from, uint32_t to) {
    void *larger = host_allocate(host, each * to);
    if (larger && old)
        memcpy(larger, old, each * from);
    return larger;
}

static bool grow(struct str_host *host) {
    struct timers *timers = &host->timers;
    uint32_t size = timers->size ? 2 * timers->size : 64;
    if (size > UINT32_MAX / 4)
        return false;
    void *all = moved(host, timers->all, sizeof *timers->all, timers->size, size);
    void *heap = moved(host, timers->heap, sizeof *timers->heap, timers->size, size);
    void *spare = moved(host, timers->spare, sizeof *timers->spare, timers->size, size);
    if (!all || !heap || !spare) {
        host_release(host, all, sizeof *timers->all * size);
        host_release(host, heap, sizeof *timers->heap * size);
        host_release(host, spare, sizeof *timers->spare * size);
        return false;
    }
    uint32_t old = timers->size;
    timers_close(host);
    *timers = (struct timers){.all = all,
                              .heap = heap,
                              .spare = spare,
                              .count = timers->count,
                              .spares = timers->spares,
                              .size = size,
                              .order = timers->order};
    for (uint32_t i = size; i-- > old;) {
        timers->all[i] = (struct timer){.place = NOWHERE, .generation = 1};
        timers->spare[timers->spares++] = i;
    }
    return true;
}

void timers_close(struct str_host *host) {
    struct timers *timers = &host->timers;
    host_release(host, timers->all, sizeof *timers->all * timers->size);
    host_release(host, timers->heap, sizeof *timers->heap * timers->size);
    host_release(host, timers->spare, sizeof *timers->spare * timers->size);
    timers->all = NULL;
    timers->heap = timers->spare = NULL;
    timers->size = 0;
}

static timeout_id_t set(struct str_host *host, queue_t *q, void (*routine)(void *), void *argument, uint64_t at) {
    struct timers *timers = &host->timers;
    if (timers->spares == 0 && !grow(host))
        return 0;
    uint32_t number = timers->spare[--timers->spares];
    struct timer *timer = &timers->all[number];
    timer->at = at;
    timer->order = timers->order++;
    timer->routine = routine;
    timer->argument = argument;
    timer->queue = q;
    timers->heap[timers->count] = number;
    timers->count++;
    rise(timers, timers->count - 1);
    return (timeout_id_t)timer->generation << 32 | number;
}

/* The place in the heap of a timer that has not run, or NOWHERE. */
static uint32_t find(const struct timers *timers, timeout_id_t id) {
    uint32_t number = (uint32_t)id;
    if (number >= timers->size || timers->all[number].generation != (uint32_t)(id >> 32))
        return NOWHERE;
    return timers->all[number].place;
}

timeout_id_t str_timeout(struct str_host *host, void (*routine)(void *), void *argument, uint64_t at) {
    return set(host, NULL, routine, argument, at);
}

int str_untimeout(struct str_host *host, timeout_id_t id) {
    uint32_t place = find(&host->timers, id);
    if (place == NOWHERE)
        return ENOENT;
    take_out(&host->timers, place);
    return 0;
}

static uint64_t after(struct str_host *host, long ticks) {
    uint64_t most = UINT64_MAX / 4 / TICK; /* a century */
    uint64_t count = ticks < 0 ? 0 : (uint64_t)ticks < most ? (uint64_t)ticks : most;
    return str_now(host) + count * TICK;
}

timeout_id_t str_ticks_timeout(void (*routine)(void *), void *argument, long ticks) {
    struct str_host *host = current_host;
    return host ? set(host, NULL, routine, argument, after(host, ticks)) : 0;
}

static long cancel(struct str_host *host, timeout_id_t id) {
    uint32_t place = host ? find(&host->timers, id) : NOWHERE;
    if (place == NOWHERE)
        return -1;
    uint64_t at = host->timers.all[host->timers.heap[place]].at, now = str_now(host);
    take_out(&host->timers, place);
    return at > now ? (long)((at - now) / TICK) : 0;
}

long str_ticks_untimeout(timeout_id_t id) { return cancel(current_host, id); }

timeout_id_t str_qtimeout(queue_t *q, void (*routine)(void *), void *argument, long ticks) {
    return set(q->q_host, q, routine, argument, after(q->q_host, ticks));
}

long str_quntimeout(queue_t *q, timeout_id_t id) { return cancel(q->q_host, id); }

uint64_t str_deadline(struct str_host *host) {
    const struct timers *timers = &host->timers;
    return timers->count > 0 ? timers->all[timers->heap[0]].at : UINT64_MAX;
}

/* Timers that routines set are not run at once, even if they are due: otherwise one without delay would never end. */
bool timers_run(struct str_host *host) {
    struct timers *timers = &host->timers;
    uint64_t now = str_now(host), order = timers->order;
    bool some = false;
    while (timers->count > 0) {
        const struct timer *timer = &timers->all[timers->heap[0]];
        if (timer->at > now || timer->order >= order)
            break;
        void (*routine)(void *) = timer->routine;
        void *argument = timer->argument;
        take_out(timers, 0);
        routine(argument);
        some = true;
    }
    return some;
}

void timers_forget(queue_t *q) {
    struct str_host *host = q->q_host;
    struct timers *timers = &host->timers;
    for (uint32_t i = 0; i < timers->size; i++)
        if (timers->all[i].place != NOWHERE && timers->all[i].queue == q)
            take_out(timers, timers->all[i].place);
    for (struct wish **at = &host->wishes; *at;) {
        struct wish *wish = *at;
        if (wish->queue == q) {
            *at = wish->next;
            host_release(host, wish, sizeof *wish);
        } else {
            at = &wish->next;
        }
    }
}

long str_drv_usectohz(long microseconds) {
    long tick = TICK / 1000;
    return microseconds <= 0 ? 0 : microseconds / tick + (microseconds % tick > 0);
}

long str_drv_hztousec(long ticks) {
    long tick = TICK / 1000;
    return ticks <= 0 ? 0 : ticks < LONG_MAX / tick ? ticks * tick : LONG_MAX;
}

long str_lbolt(void) {
    struct str_host *host = current_host;
    return host ? (long)((str_now(host) - host->opened) / TICK) : 0;
}

static bufcall_id_t want(struct str_host *host, queue_t *q, size_t size, void (*routine)(void *), void *argument) {
    struct wish *wish = host ? host_allocate(host, sizeof *wish) : NULL;
    if (!wish)
        return 0;
    *wish = (struct wish){
        .id = ++host->wish_id, .size = size, .routine = routine, .argument = argument, .queue = q};
    struct wish **end = &host->wishes;
    while (*end)
        end = &(*end)->next;
    *end = wish;
    return wish->id;
}

bufcall_id_t str_bufcall(size_t size, unsigned priority, void (*routine)(void *), void *argument) {
    (void)priority;
    return want(current_host, NULL, size, routine, argument);
}

bufcall_id_t str_qbufcall(queue_t *q, size_t size, unsigned priority, void (*routine)(void *), void *argument) {
    (void)priority;
    return want(q->q_host, q, size, routine, argument);
}

static void unwant(struct str_host *host, bufcall_id_t id) {
    for (struct wish **at = host ? &host->wishes : NULL; at && *at; at = &(*at)->next)
        if ((*at)->id == id) {
            struct wish *wish = *at;
            *at = wish->next;
            host_release(host, wish, sizeof *wish);
            return;
        }
}

void str_unbufcall(bufcall_id_t id) { unwant(current_host, id); }

void str_qunbufcall(queue_t *q, bufcall_id_t id) { unwant(q->q_host, id); }

void wishes_run(struct str_host *host) {
    bufcall_id_t last = host->wish_id; /* those that routines make wait for the next run */
    while (host->wishes && host->wishes->id <= last && str_testb(host->wishes->size, BPRI_LO)) {
        struct wish wish = *host->wishes;
        unwant(host, wish.id);
        wish.routine(wish.argument);
    }
}
