/* The host: environment, current host, scheduler, and the table of devices and modules. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local struct str_host *current_host;

struct str_host *str_current(void) { return current_host; }

struct str_host *str_enter(struct str_host *host) {
    struct str_host *before = current_host;
    current_host = host;
    return before;
}

struct entered host_enter(struct str_host *host) {
    host->depth++;
    return (struct entered){host, str_enter(host)};
}

static void destroy_closed(struct str_host *host) {
    host->closing = false;
    for (struct str_stream *stream = host->streams; stream;)
        if (stream->dying) {
            stream_destroy(stream);
            stream = host->streams; /* it may have taken others with it */
        } else {
            stream = stream->next;
        }
    host->closing = false;
}

void host_leave(struct entered entered) {
    struct str_host *host = entered.host;
    /* Streams that were closed meanwhile go when nothing of the host is active. */
    if (host->closing && host->depth == 1)
        destroy_closed(host);
    host->depth--;
    current_host = entered.before;
}

void *host_allocate(struct str_host *host, size_t size) {
    const struct str_environment *its = &host->environment;
    return its->allocate ? its->allocate(its->context, size) : malloc(size);
}

void host_release(struct str_host *host, void *memory, size_t size) {
    const struct str_environment *its = &host->environment;
    if (!memory)
        return;
    if (its->allocate && its->release)
        its->release(its->context, memory, size);
    else if (!its->allocate)
        free(memory);
}

struct str_host *str_host_open(const struct str_environment *environment) {
    static const struct str_environment none;
    struct str_host outline = {.environment = environment ? *environment : none};
    struct str_host *host = host_allocate(&outline, sizeof *host);
    if (!host)
        return NULL;
    *host = outline;
    host->memory = host->environment.memory ? host->environment.memory : SIZE_MAX;
    host->seed = 0x9e3779b97f4a7c15;
    pools_open(host);
    host->opened = str_now(host);
    return host;
}

void str_host_close(struct str_host *host) {
    struct entered entered = host_enter(host);
    /* Upper streams first: they unlink their lower ones. */
    for (struct str_stream *stream = host->streams; stream;) {
        if (stream->above) {
            stream = stream->next;
            continue;
        }
        stream_destroy(stream);
        stream = host->streams;
    }
    while (host->streams) /* linked by I_PLINK, and their upper streams are gone */
        stream_destroy(host->streams);
    devices_close(host);
    instances_close(host);
    host->depth--;
    current_host = entered.before == host ? NULL : entered.before;
    while (host->entries) {
        struct entry *entry = host->entries;
        host->entries = entry->next;
        host_release(host, entry, sizeof *entry);
    }
    while (host->wishes) {
        struct wish *wish = host->wishes;
        host->wishes = wish->next;
        host_release(host, wish, sizeof *wish);
    }
    timers_close(host);
    pools_close(host);
    host->closed = true;
    host_finish(host);
}

void host_finish(struct str_host *host) {
    if (host->closed && str_live_blocks(host) == 0)
        host_release(host, host, sizeof *host);
}

uint64_t str_now(struct str_host *host) {
    const struct str_environment *its = &host->environment;
    return its->now ? its->now(its->context) : 0;
}

/* splitmix64, for hosts without random numbers of their own. */
static uint64_t next_random(struct str_host *host) {
    uint64_t x = host->seed += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

void str_random(struct str_host *host, void *bytes, size_t count) {
    if (host->environment.random) {
        host->environment.random(host->environment.context, bytes, count);
        return;
    }
    unsigned char *to = bytes;
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned char)next_random(host);
}

void str_log(struct str_host *host, const char *format, ...) {
    if (!host->environment.log)
        return;
    char line[512];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    host->environment.log(host->environment.context, line);
}

bool str_run(struct str_host *host) {
    if (host->running)
        return true;
    struct entered entered = host_enter(host);
    host->running = true;
    if (host->wishes)
        wishes_run(host);
    for (unsigned count = 0; host->first && count < SERVICES_AT_ONCE; count++) {
        queue_t *q = host->first;
        host->first = q->q_link;
        if (!host->first)
            host->last = NULL;
        q->q_flag &= ~(unsigned)(QENAB | QBACK);
        q->q_link = NULL;
        if (q->q_qinfo->qi_srvp) /* a module may have exchanged its procedures */
            q->q_qinfo->qi_srvp(q);
    }
    host->running = false;
    host_leave(entered);
    return host->first != NULL;
}

bool str_tick(struct str_host *host) {
    if (host->running)
        return true;
    struct entered entered = host_enter(host);
    timers_run(host);
    host_leave(entered);
    return str_run(host);
}

struct entry *host_find(struct str_host *host, const char *name, int flags) {
    for (struct entry *entry = name ? host->entries : NULL; entry; entry = entry->next)
        if (entry->flags & flags && strcmp(entry->name, name) == 0)
            return entry;
    return NULL;
}

static bool complete(const struct qinit *init) { return init && init->qi_minfo; }

int str_install(struct str_host *host, const char *name, struct streamtab *streamtab, int flags) {
    if (flags == 0)
        flags = STR_DEVICE | STR_MODULE;
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length >= NAME_SIZE || flags & ~(STR_DEVICE | STR_MODULE) || !streamtab)
        return EINVAL;
    if (!complete(streamtab->st_rdinit) || !complete(streamtab->st_wrinit) ||
        (streamtab->st_muxrinit && (!complete(streamtab->st_muxrinit) || !complete(streamtab->st_muxwinit))))
        return EINVAL;
    if (host_find(host, name, flags))
        return EEXIST;
    struct entry *entry = host_allocate(host, sizeof *entry);
    if (!entry)
        return ENOMEM;
    *entry = (struct entry){
        .streamtab = streamtab, .flags = flags, .number = ++host->numbers, .next = host->entries};
    memcpy(entry->name, name, length + 1);
    host->entries = entry;
    return 0;
}

int str_uninstall(struct str_host *host, const char *name) {
    for (struct entry **at = &host->entries; name && *at; at = &(*at)->next)
        if (strcmp((*at)->name, name) == 0) {
            struct entry *entry = *at;
            if (entry->used > 0)
                return EBUSY;
            *at = entry->next;
            host_release(host, entry, sizeof *entry);
            return 0;
        }
    return ENOENT;
}
