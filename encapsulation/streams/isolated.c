/* The worker's side of an isolated instance: a process with a host of its own, whose clock, random numbers and
 * streams are those of the host that the instance was loaded in. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "isolate.h"

#include "capsule.h"
#include "isolated.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define AREA_FILE 3
#define CAPSULE_PATH "/proc/self/fd/4"
#define NAME "instance"
#define PATIENCE 1000 /* milliseconds between looks for the host */

static struct exchange exchange;
static struct str_instance *instance;
static struct end *opening;        /* whose queue pair is being opened */
static struct str_stream **uppers; /* by the end at their top */
static bool stopped;
static int64_t parent; /* the process of the host */

/* A lower stream of an upper one, with the number that this host gave to the link. */
static struct lower {
    struct lower *next;
    uint32_t end;
    int id;
} *lowers;

static uint64_t now(void *context) { return (void)context, exchange.shared->now; }

static void end_with_host(int signal) {
    (void)signal;
    if (getppid() != parent)
        _exit(0);
}

/* Looks for the host also while the instance computes: without it nobody ends a loop. */
static void watch_host(void) {
    static char stack[65536];
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = end_with_host, .sa_flags = SA_ONSTACK | SA_RESTART};
    const struct timeval second = {.tv_sec = 1};
    sigaltstack(&own, NULL);
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &(struct itimerval){second, second}, NULL);
}

static void wait_for_turn(void) {
    while (!turn_wait(exchange.shared, TURN_WORKER, PATIENCE))
        end_with_host(0);
}

static void give_turn(enum ending ending) {
    struct shared *shared = exchange.shared;
    shared->ending = ending;
    shared->deadline = str_deadline(exchange.host);
    shared->blocks = str_live_blocks(exchange.host);
    turn_pass(shared, TURN_HOST);
    wait_for_turn();
}

static void numbers(void *context, void *bytes, size_t count) {
    struct shared *shared = exchange.shared;
    (void)context;
    while (count > 0) {
        if (shared->used == RANDOM_SIZE)
            give_turn(ENDING_RANDOM);
        size_t part = RANDOM_SIZE - shared->used;
        part = part < count ? part : count;
        memcpy(bytes, shared->random + shared->used, part);
        shared->used += (uint32_t)part;
        bytes = (char *)bytes + part;
        count -= part;
    }
}

static void log_line(void *context, const char *line) {
    (void)context;
    size_t size = strlen(line);
    unsigned char *data = area_add(exchange.out, (struct record){.kind = RECORD_LOG}, size);
    if (data)
        memcpy(data, line, size);
}

static void answer(int error, const char *text) {
    size_t size = text ? strlen(text) : 0;
    unsigned char *data = area_add(exchange.out, (struct record){.kind = RECORD_RESULT, .a = (uint32_t)error}, size);
    if (data && size > 0)
        memcpy(data, text, size);
}

/* The queue pair at the top, and at the bottom, of what the instance has. */
static int post_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device, (void)oflag, (void)sflag, (void)cred;
    struct post *post = host_allocate(q->q_host, sizeof *post);
    if (!post)
        return ENOMEM;
    bool top = sflag == MODOPEN;
    opening->out = top ? q : q + 1;
    opening->next = top ? q + 1 : q;
    *post = (struct post){.ends = {opening, NULL}};
    q->q_ptr = (q + 1)->q_ptr = post;
    str_qprocson(q);
    return 0;
}

static int post_close(queue_t *q, int flag, cred_t *cred) {
    (void)flag, (void)cred;
    str_qprocsoff(q);
    struct post *post = q->q_ptr;
    if (post->ends[0]->out != q) /* what the instance sends down while it closes */
        end_pack(post->ends[0]);
    end_remove(post->ends[0]);
    host_release(q->q_host, post, sizeof *post);
    return 0;
}

/* The answers to this host's own requests are for the head. */
static int top_put(queue_t *q, mblk_t *message) {
    if (message->b_datap->db_type == M_IOCACK || message->b_datap->db_type == M_IOCNAK) {
        int command = ((struct iocblk *)(void *)message->b_rptr)->ioc_cmd;
        if (command == I_LINK || command == I_UNLINK || command == I_PLINK || command == I_PUNLINK)
            return str_putnext(q, message);
    }
    return post_put(q, message);
}

static struct module_info info = {
    .mi_idname = "isolated", .mi_maxpsz = INFPSZ, .mi_hiwat = END_HIWAT, .mi_lowat = END_LOWAT};
static struct qinit top_read = {top_put, post_serve, post_open, post_close, NULL, &info, NULL};
static struct qinit bottom_read = {NULL, post_serve, post_open, post_close, NULL, &info, NULL};
/* Requests of this host's head. */
static int pass(queue_t *q, mblk_t *message) { return str_putnext(q, message); }

static struct qinit top_write = {.qi_putp = pass, .qi_srvp = post_serve, .qi_minfo = &info};
static struct qinit bottom_write = {.qi_putp = post_put, .qi_srvp = post_serve, .qi_minfo = &info};
static struct streamtab top = {&top_read, &top_write, NULL, NULL};
static struct streamtab bottom = {&bottom_read, &bottom_write, NULL, NULL};

static int open_bottom(uint32_t id, struct str_stream **stream) {
    opening = end_add(&exchange, id, NULL, NULL);
    if (!opening)
        return ENOMEM;
    int error = str_open(exchange.host, "isolated.bottom", stream);
    if (error)
        end_remove(opening);
    return error;
}

static int push_top(struct str_stream *stream, uint32_t id) {
    opening = end_add(&exchange, id, NULL, NULL);
    if (!opening)
        return ENOMEM;
    int error = str_push(stream, "isolated.top");
    if (error) {
        end_remove(opening);
        return error;
    }
    uppers[id] = stream;
    return 0;
}

static int open_stream(const struct record *record, const unsigned char *data) {
    const struct str_export *export = instance_capsule(instance)->exports + record->a;
    char name[2 * LONGEST_EXPORT + 2];
    snprintf(name, sizeof name, *export->name ? "%s.%s" : "%s", NAME, export->name);
    struct str_stream *stream;
    int error;
    if (record->size == sizeof(uint32_t)) {
        uint32_t below;
        memcpy(&below, data, sizeof below);
        error = open_bottom(below, &stream);
        if (error)
            return error;
        error = str_push(stream, name);
    } else {
        error = record->c == NO_END ? str_open(exchange.host, name, &stream)
                                    : str_open_minor(exchange.host, name, record->c, &stream);
        if (error)
            return error;
    }
    if (!error)
        error = push_top(stream, record->end);
    if (error)
        str_close(stream);
    return error;
}

static int link_stream(const struct record *record) {
    struct lower *lower = malloc(sizeof *lower);
    struct str_stream *stream;
    int error = lower ? open_bottom(record->a, &stream) : ENOMEM;
    if (error) {
        free(lower);
        return error;
    }
    int flags = record->b == I_PLINK ? STR_PERSISTENT : 0;
    error = str_link(uppers[record->end], stream, flags, &lower->id);
    if (error == EAGAIN)
        str_ioctl_cancel(uppers[record->end]);
    str_close(stream);
    if (error) {
        free(lower);
        return error;
    }
    lower->next = lowers;
    lower->end = record->a;
    lowers = lower;
    return 0;
}

static int unlink_stream(const struct record *record) {
    struct lower **at = &lowers;
    while (*at && (*at)->end != record->a)
        at = &(*at)->next;
    struct lower *lower = *at;
    if (!lower)
        return EINVAL;
    int error =
        str_unlink(uppers[record->end], lower->id, record->b == I_PUNLINK ? STR_PERSISTENT : 0);
    if (!error) {
        *at = lower->next;
        free(lower);
    }
    return error;
}

static void close_stream(uint32_t id) {
    str_close(uppers[id]);
    uppers[id] = NULL;
}

static bool confine(bool is_loading) { return isolated_confine(&exchange.shared->turn, is_loading); }

static void start(const struct record *record, const unsigned char *data) {
    const char *options[MOST_OPTIONS + 1] = {NULL}, *why = NULL;
    size_t count = 0;
    for (size_t at = 0; at < record->size && count < MOST_OPTIONS; at += strlen((const char *)data + at) + 1)
        options[count++] = (const char *)data + at;
    exchange.host = str_host_open(&(struct str_environment){.now = now, .random = numbers, .log = log_line});
    str_enter(exchange.host);
    uppers = calloc(MOST_ENDS, sizeof(struct str_stream *));
    int error = exchange.host && uppers ? 0 : ENOMEM;
    if (!error) {
        exchange.host->confine = confine;
        error = str_load(exchange.host, CAPSULE_PATH, NAME, options, &instance, &why);
    }
    if (error) {
        answer(error, why);
        return;
    }
    str_install(exchange.host, "isolated.top", &top, STR_MODULE);
    str_install(exchange.host, "isolated.bottom", &bottom, STR_DEVICE);
    const struct str_capsule *capsule = instance_capsule(instance);
    for (const struct str_export *each = capsule->exports; each->name; each++) {
        const struct streamtab *tab = each->streamtab;
        const struct module_info *read = tab->st_rdinit->qi_minfo, *write = tab->st_wrinit->qi_minfo;
        struct exported export = {.flags = each->flags,
                                  .multiplexor = tab->st_muxrinit != NULL,
                                  .number = read->mi_idnum,
                                  .smallest = {read->mi_minpsz, write->mi_minpsz},
                                  .largest = {read->mi_maxpsz, write->mi_maxpsz}};
        snprintf(export.name, sizeof export.name, "%s", each->name);
        unsigned char *to = area_add(exchange.out, (struct record){.kind = RECORD_EXPORT}, sizeof export);
        if (to)
            memcpy(to, &export, sizeof export);
    }
    answer(0, capsule->name);
}

static void stop(void) {
    while (lowers) {
        struct lower *lower = lowers;
        lowers = lower->next;
        free(lower);
    }
    answer(str_unload(instance), NULL);
    exchange.shared->blocks = str_live_blocks(exchange.host);
    str_host_close(exchange.host);
    free(uppers);
    stopped = true;
}

static void obey(const struct record *record, const unsigned char *data) {
    struct end *end;
    switch (record->kind) {
    case RECORD_START:
        start(record, data);
        break;
    case RECORD_OPEN:
        answer(open_stream(record, data), NULL);
        break;
    case RECORD_CLOSE:
        close_stream(record->end);
        break;
    case RECORD_LINK:
        answer(link_stream(record), NULL);
        break;
    case RECORD_UNLINK:
        answer(unlink_stream(record), NULL);
        break;
    case RECORD_TICK:
        str_tick(exchange.host);
        break;
    case RECORD_STOP:
        stop();
        break;
    case RECORD_BLOCK:
    case RECORD_FULL:
        end = end_find(&exchange, record->end);
        if (!end)
            break;
        if (record->kind == RECORD_FULL) {
            end->peer_full = record->a;
            str_qenable(end->out);
            break;
        }
        mblk_t *message = end_receive(end, record, data);
        if (message)
            end_accept(end, message);
        break;
    default:
        break;
    }
}

static void take_turn(void) {
    struct area *in = exchange.in;
    exchange.out->length = 0;
    exchange.pressed = false;
    for (uint32_t at = 0; at < in->length && !stopped;) {
        struct record record;
        memcpy(&record, in->bytes + at, sizeof record);
        obey(&record, in->bytes + at + sizeof record);
        at += (uint32_t)(sizeof record + record_padded(record.size));
    }
    if (stopped || !exchange.host)
        return;
    ends_tell(&exchange);
    for (uint32_t id = 0; id < exchange.count; id++)
        if (exchange.ends[id] && exchange.ends[id]->sending)
            str_qenable(exchange.ends[id]->out);
    while (str_run(exchange.host))
        ;
}

int str_isolated(void) {
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, AREA_FILE, 0);
    if (shared == MAP_FAILED)
        return 1;
    exchange = (struct exchange){.shared = shared, .out = &shared->to_host, .in = &shared->to_worker};
    syscall(SYS_close_range, 4 + 1, ~0U, 0);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    parent = shared->parent;
    watch_host();
    wait_for_turn();
    for (;;) {
        take_turn();
        if (stopped)
            break;
        struct str_host *host = exchange.host;
        if (!host) { /* the start failed before there was one */
            shared->ending = ENDING_DONE;
            turn_pass(shared, TURN_HOST);
            return 1;
        }
        give_turn(exchange.pressed ? ENDING_MORE : ENDING_DONE);
    }
    shared->ending = ENDING_DONE;
    turn_pass(shared, TURN_HOST);
    return 0;
}
