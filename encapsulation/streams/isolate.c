/* Isolated instances: their processes, seen from the host. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "isolate.h"

#include "capsule.h"
#include "outlet.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "nacre_isolated"
#define LOOK 20             /* milliseconds between looks at a worker that does not answer */
#define SLEEP 60000         /* milliseconds of an entry after which a worker that does not compute never will */
#define SHARE 60            /* further ones for each of processor time */
#define TURNS 256           /* between looks at one that answers, and wants another turn */
#define PATIENCE 1000       /* milliseconds of processor time for an entry */

/* The instance ends; its streams report EIO. */
static void fail(struct isolate *it, const char *why) {
    if (it->dead)
        return;
    it->dead = true;
    int signal = worker_end(it);
    if (signal != 0 && signal != SIGKILL)
        str_log(it->exchange.host, "%s: %s by signal %d: the instance ends", it->name, why, signal);
    else
        str_log(it->exchange.host, "%s: %s: the instance ends", it->name, why);
    for (uint32_t id = 0; id < it->exchange.count; id++) {
        struct end *end = it->exchange.ends[id];
        /* Who is above has to know; lower streams are the program's. */
        if (end && !(end->out->q_flag & QREADR) && end->out->q_flag & QPROCS)
            str_putnextctl1(end->next, M_ERROR, EIO);
    }
}

static int64_t system_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Whether the worker may go on. */
static bool look(struct isolate *it) {
    if (worker_has_ended(it)) {
        fail(it, "its process ended");
        return false;
    }
    int64_t time = worker_time(it), now = system_time();
    time = time < 0 ? 0 : time;
    if (it->began < 0) {
        it->began = time;
        it->since = now;
    }
    int64_t used = time - it->began;
    if (used > it->patience || now - it->since > SLEEP + SHARE * used) {
        fail(it, "it did not return");
        return false;
    }
    return true;
}

/* The worker's turn. Whether it has ended it. */
static bool give_turn(struct isolate *it) {
    struct shared *shared = it->exchange.shared;
    shared->now = str_now(it->exchange.host);
    uint32_t used = *(const volatile uint32_t *)&shared->used;
    if (used > 0)
        str_random(it->exchange.host, shared->random, used < RANDOM_SIZE ? used : RANDOM_SIZE);
    shared->used = 0;
    turn_pass(shared, TURN_WORKER);
    while (!turn_wait(shared, TURN_HOST, LOOK))
        if (!look(it))
            return false;
    return true;
}

static void learn_export(struct isolate *it, const unsigned char *data, size_t size) {
    struct exported export;
    if (size != sizeof export || it->count == MOST_EXPORTS || it->started)
        return;
    memcpy(&export, data, sizeof export);
    export.name[LONGEST_EXPORT] = 0;
    it->count += outlet_make(it, it->count, &export);
}

static void learn_result(struct isolate *it, const struct record *record, const unsigned char *data) {
    size_t size = record->size < sizeof it->text ? record->size : sizeof it->text - 1;
    memcpy(it->text, data, size);
    it->text[size] = 0;
    it->result = record->a <= INT_MAX ? (int)record->a : EIO;
    it->answered = true;
}

static void log_line(struct isolate *it, const unsigned char *data, size_t size) {
    char line[256];
    size = size < sizeof line ? size : sizeof line - 1;
    for (size_t i = 0; i < size; i++)
        line[i] = data[i] >= ' ' && data[i] < 127 ? (char)data[i] : '?';
    line[size] = 0;
    str_log(it->exchange.host, "%s", line);
}

/* False: the other side does not keep the rules. */
static bool learn(struct isolate *it, const struct record *record, const unsigned char *data) {
    struct end *end = end_find(&it->exchange, record->end);
    mblk_t *message;
    switch (record->kind) {
    case RECORD_EXPORT:
        learn_export(it, data, record->size);
        return true;
    case RECORD_RESULT:
        learn_result(it, record, data);
        return true;
    case RECORD_LOG:
        log_line(it, data, record->size);
        return true;
    case RECORD_FULL:
        if (end) {
            end->peer_full = record->a;
            str_qenable(end->out);
        }
        return true;
    case RECORD_BLOCK:
        if (!end) /* of a stream that has been closed meanwhile */
            return true;
        message = end_receive(end, record, data);
        if (message && !outlet_passes(message)) {
            str_freemsg(message);
            message = NULL;
        }
        if (message)
            end_accept(end, message);
        return end->bytes <= MOST_WAITING && end->partial_bytes <= MOST_WAITING;
    default:
        return false;
    }
}

static bool read_records(struct isolate *it) {
    const struct area *in = it->exchange.in;
    uint32_t length = *(const volatile uint32_t *)&in->length;
    if (length > AREA_SIZE)
        return false;
    for (uint32_t at = 0; at < length;) {
        struct record record;
        if (length - at < sizeof record)
            return false;
        memcpy(&record, in->bytes + at, sizeof record);
        at += (uint32_t)sizeof record;
        if (record.size > length - at || record_padded(record.size) > length - at)
            return false;
        if (!learn(it, &record, in->bytes + at))
            return false;
        at += (uint32_t)record_padded(record.size);
    }
    return true;
}

static void tick(void *argument) {
    struct isolate *it = argument;
    it->timer = 0;
    area_add(it->exchange.out, (struct record){.kind = RECORD_TICK}, 0);
    isolate_speak(it);
}

static void schedule(struct isolate *it) {
    uint64_t at = *(const volatile uint64_t *)&it->exchange.shared->deadline, now = str_now(it->exchange.host);
    at = at < now ? now : at;
    if (it->timer && it->due == at)
        return;
    if (it->timer)
        str_untimeout(it->exchange.host, it->timer);
    it->due = at;
    it->timer = at == UINT64_MAX ? 0 : str_timeout(it->exchange.host, tick, it, at);
}

void isolate_speak(struct isolate *it) {
    struct exchange *exchange = &it->exchange;
    it->began = -1;
    for (unsigned turns = 1; !it->dead; turns++) {
        if (!give_turn(it))
            return;
        enum ending ending = *(const volatile uint32_t *)&exchange->shared->ending;
        if (turns % TURNS == 0 && !look(it))
            return;
        if (ending == ENDING_RANDOM) /* it is in the middle of its turn */
            continue;
        exchange->out->length = 0;
        if (!read_records(it)) {
            fail(it, "it breaks the rules of its process");
            return;
        }
        ends_tell(exchange);
        bool more = exchange->pressed;
        exchange->pressed = false;
        for (uint32_t id = 0; more && id < exchange->count; id++)
            if (exchange->ends[id] && (exchange->ends[id]->sending || exchange->ends[id]->out->q_first))
                end_pack(exchange->ends[id]);
        if (ending != ENDING_MORE && !more)
            break;
    }
    if (!it->dead)
        schedule(it);
}

int isolate_ask(struct isolate *it, struct record record, const void *data, size_t size) {
    it->answered = false;
    unsigned char *to = it->dead ? NULL : area_add(it->exchange.out, record, size);
    if (!to)
        return EIO;
    if (size > 0)
        memcpy(to, data, size);
    isolate_speak(it);
    return it->answered && !it->dead ? it->result : EIO;
}

static int size_area(int area) {
    int sized;
    do
        sized = ftruncate(area, sizeof(struct shared));
    while (sized != 0 && errno == EINTR);
    return sized;
}

static int open_area(struct isolate *it) {
    int first = memfd_create("nacre instance", MFD_CLOEXEC);
    int area = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR);
    int error = area < 0 || size_area(area) != 0 ? errno : 0;
    if (!error) {
        void *memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, area, 0);
        error = memory == MAP_FAILED ? errno : 0;
        it->exchange.shared = error ? NULL : memory;
    }
    if (first >= 0)
        close(first);
    if (error && area >= 0)
        close(area);
    it->area = error ? -1 : area;
    return error;
}

static void release(struct isolate *it) {
    struct exchange *exchange = &it->exchange;
    for (uint32_t id = 0; id < exchange->count; id++)
        if (exchange->ends[id])
            end_remove(exchange->ends[id]);
    if (exchange->count > 0)
        host_release(exchange->host, exchange->ends, exchange->count * sizeof *exchange->ends);
    exchange->ends = NULL;
    exchange->count = 0;
    if (it->timer)
        str_untimeout(exchange->host, it->timer);
    it->timer = 0;
    it->dead = true;
    worker_end(it);
    if (exchange->shared)
        munmap(exchange->shared, sizeof *exchange->shared);
    exchange->shared = NULL;
}

/* The options, without those that are about isolation. */
static int ask_start(struct isolate *it, const char *const *options) {
    char text[4096];
    size_t size = 0;
    unsigned count = 0;
    for (; *options; options++) {
        size_t length = strlen(*options) + 1;
        if (strcmp(*options, "isolate") == 0)
            continue;
        if (strncmp(*options, "isolate=", 8) == 0) {
            char *end;
            long patience = strtol(*options + 8, &end, 10);
            if (*end || end == *options + 8 || patience <= 0 || patience > 3600000)
                return EINVAL;
            it->patience = patience;
            continue;
        }
        if (length > sizeof text - size || ++count > MOST_OPTIONS)
            return E2BIG;
        memcpy(text + size, *options, length);
        size += length;
    }
    return isolate_ask(it, (struct record){.kind = RECORD_START}, text, size);
}

static const char *start_words(const struct isolate *it, int error) {
    if (it->answered && *it->text)
        return it->text;
    return it->dead ? "its process ended" : error == EINVAL ? "isolate=MS: milliseconds" : strerror(error);
}

int isolate_start(struct str_host *host, int capsule, const char *path, const char *const *options,
                  struct isolate **started, char *why, size_t size) {
    char program[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    if (snprintf(program, sizeof program, "%.*s" PROGRAM, folder, path) >= (int)sizeof program)
        return ENAMETOOLONG;
    if (access(program, X_OK) != 0) {
        int error = errno;
        if (error == ENOENT)
            snprintf(why, size, "the program " PROGRAM " is not beside it");
        else
            snprintf(why, size, "the program " PROGRAM " beside it cannot be run: %s", strerror(error));
        return error;
    }
    struct isolate *it = calloc(1, sizeof *it);
    if (!it)
        return ENOMEM;
    it->process = -1;
    it->patience = PATIENCE;
    it->exchange.host = host;
    strcpy(it->name, "a capsule that is loading");
    int error = open_area(it), copy = fcntl(capsule, F_DUPFD_CLOEXEC, LEAST_DESCRIPTOR);
    if (!error && copy < 0)
        error = errno;
    if (!error) {
        struct shared *shared = it->exchange.shared;
        it->exchange.out = &shared->to_worker;
        it->exchange.in = &shared->to_host;
        shared->parent = getpid();
        str_random(host, shared->random, RANDOM_SIZE);
        error = worker_start(it, program, it->area, copy);
    }
    if (it->area >= 0)
        close(it->area);
    if (copy >= 0)
        close(copy);
    if (!error) {
        error = ask_start(it, options);
        if (error)
            snprintf(why, size, "%s", start_words(it, error));
    }
    if (error) {
        release(it);
        outlets_free(it);
        free(it);
        return error;
    }
    it->started = true;
    snprintf(it->name, sizeof it->name, "%.31s", it->text);
    *started = it;
    return 0;
}

const char *isolate_name(const struct isolate *it) { return it->name; }
const struct str_export *isolate_exports(const struct isolate *it) { return it->exports; }

void isolate_stop(struct isolate *it) {
    struct str_host *host = it->exchange.host;
    int error = it->dead ? 0 : isolate_ask(it, (struct record){.kind = RECORD_STOP}, NULL, 0);
    uint64_t blocks = it->dead ? 0 : *(const volatile uint64_t *)&it->exchange.shared->blocks;
    if (!it->dead && error)
        str_log(host, "%s: its process did not unload it: %s", it->name, strerror(error));
    else if (!it->dead && blocks > 0)
        str_log(host, "%s: it has not freed %llu blocks", it->name, (unsigned long long)blocks);
    release(it);
    outlets_free(it);
    free(it);
}
