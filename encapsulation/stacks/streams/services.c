/* Services of the kernel for STREAMS modules and drivers of others, and the capsule of them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "stacks/common/entry.h"

#define CE_PANIC 3

void cmn_err(int level, const char *format, ...);
void *kmem_alloc(size_t size, int flags);
void *kmem_zalloc(size_t size, int flags);
void kmem_free(void *memory, size_t size);
int strlog(short module, short part, char level, unsigned short flags, char *format, ...);

void cmn_err(int level, const char *format, ...) {
    char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (level == CE_PANIC)
        capsule_fail(text, "panic", 0);
    capsule_log("%s", text);
}

void *kmem_alloc(size_t size, int flags) { return (void)flags, capsule_malloc(size); }
void *kmem_zalloc(size_t size, int flags) { return (void)flags, capsule_calloc(1, size); }
void kmem_free(void *memory, size_t size) { (void)size, capsule_free(memory); }

int strlog(short module, short part, char level, unsigned short flags, char *format, ...) {
    char text[200];
    va_list list;
    (void)module, (void)part, (void)level, (void)flags;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    capsule_log("%s", text);
    return 1;
}

/* Each procedure of a foreign module is an entry of its own: a panic ends the instance and leaves the process alone. */
extern const struct str_foreign {
    const char *name;
    struct streamtab *streamtab;
    int flags;
} nacre_foreign[];

#define MOST 8

/* For each side of a streamtab: the module's own procedures, and what the host sees in their place. */
static struct side {
    struct qinit *own, seen;
} sides[MOST][4];
static struct streamtab tables[MOST];
static struct str_export exports[MOST + 1];

static struct qinit *own_of(queue_t *queue) {
    return ((struct side *)(void *)((char *)queue->q_qinfo - offsetof(struct side, seen)))->own;
}

struct entry {
    queue_t *queue;
    mblk_t *message;
    dev_t *device;
    int flags, kind, result;
    cred_t *who;
};

static void put_(void *argument) {
    struct entry *entry = argument;
    mblk_t *message = entry->message;
    entry->message = NULL;
    entry->result = own_of(entry->queue)->qi_putp(entry->queue, message);
}

static void serve(void *argument) {
    struct entry *entry = argument;
    entry->result = own_of(entry->queue)->qi_srvp(entry->queue);
}

static void open_(void *argument) {
    struct entry *entry = argument;
    entry->result = own_of(entry->queue)->qi_qopen(entry->queue, entry->device, entry->flags, entry->kind, entry->who);
}

static void close_(void *argument) {
    struct entry *entry = argument;
    entry->result = own_of(entry->queue)->qi_qclose(entry->queue, entry->flags, entry->who);
}

static int seen_put(queue_t *queue, mblk_t *message) {
    struct entry entry = {.queue = queue, .message = message};
    if (!capsule_run(put_, &entry) && entry.message)
        freemsg(entry.message);
    return entry.result;
}

static int seen_serve(queue_t *queue) {
    struct entry entry = {.queue = queue};
    if (!capsule_run(serve, &entry))
        flushq(queue, FLUSHALL);
    return entry.result;
}

static int seen_open(queue_t *queue, dev_t *device, int flags, int kind, cred_t *who) {
    struct entry entry = {.queue = queue, .device = device, .flags = flags, .kind = kind, .result = EIO, .who = who};
    return capsule_run(open_, &entry) ? entry.result : EIO;
}

static int seen_close(queue_t *queue, int flags, cred_t *who) {
    struct entry entry = {.queue = queue, .flags = flags, .who = who};
    if (!capsule_run(close_, &entry))
        qprocsoff(queue);
    return entry.result;
}

static struct qinit *see(struct side *side, struct qinit *own) {
    if (!own)
        return NULL;
    side->own = own;
    side->seen = (struct qinit){.qi_putp = own->qi_putp ? seen_put : NULL,
                                .qi_srvp = own->qi_srvp ? seen_serve : NULL,
                                .qi_qopen = own->qi_qopen ? seen_open : NULL,
                                .qi_qclose = own->qi_qclose ? seen_close : NULL,
                                .qi_minfo = own->qi_minfo,
                                .qi_mstat = own->qi_mstat};
    return &side->seen;
}

static int start(struct str_host *host, const char *const *options) {
    for (int i = 0; nacre_foreign[i].name; i++) {
        if (i == MOST)
            return ENOSPC;
        struct streamtab *own = nacre_foreign[i].streamtab;
        tables[i] = (struct streamtab){see(&sides[i][0], own->st_rdinit), see(&sides[i][1], own->st_wrinit),
                                       see(&sides[i][2], own->st_muxrinit), see(&sides[i][3], own->st_muxwinit)};
        exports[i] = (struct str_export){nacre_foreign[i].name, &tables[i], nacre_foreign[i].flags};
    }
    return capsule_begin(host, options);
}

static void stop(struct str_host *host) {
    (void)host;
    capsule_end();
}

/* Buffers that a foreign module has passed to esballoc are not tracked: the module must have them back before its
 * last close. */
static size_t lent(void) { return 0; }

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, lent};
