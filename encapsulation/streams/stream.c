/* Streams: their life, and the modules that are pushed on them. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>

#define READ 0
#define WRITE 1
#define OTHER(q) ((q)->q_flag & QREADR ? (q) + 1 : (q) - 1)

static struct str_stream *make(struct str_host *host) {
    struct str_stream *stream = host_allocate(host, sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct str_stream){
        .host = host, .next = host->streams, .opens = 1, .protocol_mode = RPROTNORM, .largest_block = LARGEST_BLOCK};
    queue_open(&stream->head[READ], stream, &head_read, QREADR);
    queue_open(&stream->head[WRITE], stream, &head_write, 0);
    if (stream->next)
        stream->next->previous = stream;
    host->streams = stream;
    return stream;
}

static void discard(struct str_stream *stream) {
    struct str_host *host = stream->host;
    *(stream->previous ? &stream->previous->next : &host->streams) = stream->next;
    if (stream->next)
        stream->next->previous = stream->previous;
    control_clear(stream);
    queue_close(&stream->head[READ]);
    queue_close(&stream->head[WRITE]);
    host_release(host, stream, sizeof *stream);
}

static struct pair *make_pair(struct str_stream *stream, struct entry *entry) {
    struct pair *pair = host_allocate(stream->host, sizeof *pair);
    if (!pair)
        return NULL;
    pair->entry = entry;
    pair->below = NULL;
    pair->device = makedevice(entry->number, 0);
    queue_open(&pair->both[READ], stream, entry->streamtab->st_rdinit, QREADR);
    queue_open(&pair->both[WRITE], stream, entry->streamtab->st_wrinit, 0);
    pair->both[READ].q_next = &stream->head[READ];
    pair->both[WRITE].q_next = stream->head[WRITE].q_next;
    entry->used++;
    return pair;
}

static void discard_pair(struct pair *pair) {
    struct str_host *host = pair->both[READ].q_host;
    str_qprocsoff(&pair->both[READ]);
    queue_close(&pair->both[READ]);
    queue_close(&pair->both[WRITE]);
    pair->entry->used--;
    host_release(host, pair, sizeof *pair);
}

static int open_pair(struct pair *pair, int flag) {
    queue_t *q = &pair->both[READ];
    return q->q_qinfo->qi_qopen ? q->q_qinfo->qi_qopen(q, &pair->device, FREAD | FWRITE, flag, NULL) : 0;
}

static void close_pair(struct pair *pair) {
    queue_t *q = &pair->both[READ];
    if (q->q_qinfo->qi_qclose)
        q->q_qinfo->qi_qclose(q, FREAD | FWRITE, NULL);
    discard_pair(pair);
}

void str_qprocson(queue_t *q) {
    queue_t *read = q->q_flag & QREADR ? q : q - 1, *write = read + 1;
    struct str_stream *stream = q->q_stream;
    if (read->q_flag & (QPROCS | QEND))
        return;
    read->q_flag |= QPROCS;
    write->q_flag |= QPROCS;
    queue_t *head = &stream->head[WRITE];
    write->q_next = head->q_next;
    read->q_next = &stream->head[READ];
    if (head->q_next)
        OTHER(head->q_next)->q_next = read;
    head->q_next = write;
}

void str_qprocsoff(queue_t *q) {
    queue_t *read = q->q_flag & QREADR ? q : q - 1, *write = read + 1;
    if (read->q_flag & QPROCS) {
        read->q_flag &= ~(unsigned)QPROCS;
        write->q_flag &= ~(unsigned)QPROCS;
        /* Those that wait for room here look at the queues beyond. */
        back_enable(read, 0);
        back_enable(write, 0);
        OTHER(read->q_next)->q_next = write->q_next;
        if (write->q_next)
            OTHER(write->q_next)->q_next = read->q_next;
    }
    queue_forget(read);
    queue_forget(write);
}

static int open_clone(struct str_host *host, struct entry *entry, bool clone, unsigned minor,
                      struct str_stream **result) {
    struct str_stream *stream = make(host);
    if (!stream)
        return ENOMEM;
    struct pair *pair = make_pair(stream, entry);
    if (!pair) {
        discard(stream);
        return ENOMEM;
    }
    pair->device = makedevice(entry->number, clone ? 0 : minor);
    stream->driver = pair;
    str_qprocson(&pair->both[READ]);
    int error = open_pair(pair, clone ? CLONEOPEN : 0);
    if (clone && getminor(pair->device) == 0) /* the driver does not tell its streams apart */
        pair->device = makedevice(entry->number, 0x80000000U | ++host->minors);
    if (error) {
        discard_pair(pair);
        discard(stream);
        return error;
    }
    *result = stream;
    return 0;
}

/* The modules and the driver of a stream are opened again, from the top down. */
static int open_again(struct str_stream *stream) {
    if (stream->hung)
        return ENXIO;
    int error = 0;
    for (struct pair *pair = stream->top; pair && !error; pair = pair->below)
        error = open_pair(pair, MODOPEN);
    if (!error)
        error = open_pair(stream->driver, 0);
    stream->opens += !error;
    return error;
}

static struct str_stream *opened(struct str_host *host, const struct entry *entry, unsigned minor) {
    for (struct str_stream *stream = host->streams; stream; stream = stream->next)
        if (stream->driver && stream->driver->entry == entry && getminor(stream->driver->device) == minor &&
            !stream->dying && stream->opens > 0)
            return stream;
    return NULL;
}

int str_open(struct str_host *host, const char *device, struct str_stream **result) {
    struct entry *entry = host_find(host, device, STR_DEVICE);
    if (!entry)
        return ENXIO;
    struct entered entered = host_enter(host);
    int error = open_clone(host, entry, true, 0, result);
    host_leave(entered);
    return error;
}

int str_open_minor(struct str_host *host, const char *device, unsigned minor, struct str_stream **result) {
    struct entry *entry = host_find(host, device, STR_DEVICE);
    if (!entry)
        return ENXIO;
    struct entered entered = host_enter(host);
    struct str_stream *stream = opened(host, entry, minor);
    int error = stream ? open_again(stream) : open_clone(host, entry, false, minor, &stream);
    if (!error)
        *result = stream;
    host_leave(entered);
    return error;
}

int str_pipe(struct str_host *host, struct str_stream *both[2]) {
    struct str_stream *one = make(host), *other = one ? make(host) : NULL;
    if (!other) {
        if (one)
            discard(one);
        return ENOMEM;
    }
    one->pipe = other->pipe = true;
    one->head[WRITE].q_next = &other->head[READ];
    other->head[WRITE].q_next = &one->head[READ];
    both[0] = one;
    both[1] = other;
    return 0;
}

/* The lowest write queue of an end of a pipe. */
static queue_t *lowest(struct str_stream *stream) {
    queue_t *q = &stream->head[WRITE];
    while (q->q_next && q->q_next->q_stream == stream)
        q = q->q_next;
    return q;
}

static void close_top(struct str_stream *stream) {
    struct pair *pair = stream->top;
    stream->top = pair->below;
    stream->modules--;
    close_pair(pair);
}

void stream_destroy(struct str_stream *stream) {
    stream->watch = NULL;
    stream->opens = 0;
    links_close(stream);
    while (stream->top)
        close_top(stream);
    if (stream->driver)
        close_pair(stream->driver);
    if (stream->pipe && stream->head[WRITE].q_next) {
        queue_t *far = stream->head[WRITE].q_next; /* the read queue of the other end's head, or of its lowest module */
        struct str_stream *other = far->q_stream;
        lowest(other)->q_next = NULL;
        stream->head[WRITE].q_next = NULL;
        other->hung = true;
        head_notify(other);
    }
    discard(stream);
}

void str_close(struct str_stream *stream) {
    struct str_host *host = stream->host;
    if (stream->opens == 0 || --stream->opens > 0 || stream->above)
        return;
    struct entered entered = host_enter(host);
    stream->dying = host->closing = true;
    stream->watch = NULL;
    host_leave(entered);
}

int str_push(struct str_stream *stream, const char *module) {
    struct entry *entry = host_find(stream->host, module, STR_MODULE);
    int error = head_controllable(stream);
    if (error)
        return error;
    if (!entry || stream->modules == MOST_MODULES)
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    struct pair *pair = make_pair(stream, entry);
    error = pair ? 0 : ENOMEM;
    if (pair) {
        if (stream->driver)
            pair->device = stream->driver->device;
        error = open_pair(pair, MODOPEN);
        if (error) {
            discard_pair(pair);
        } else {
            str_qprocson(&pair->both[READ]);
            pair->below = stream->top;
            stream->top = pair;
            stream->modules++;
            head_notify(stream);
        }
    }
    host_leave(entered);
    return error;
}

int str_pop(struct str_stream *stream) {
    int error = head_controllable(stream);
    if (error)
        return error;
    if (stream->modules == 0)
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    close_top(stream);
    head_notify(stream);
    host_leave(entered);
    return 0;
}

const char *stream_name(struct str_stream *stream, unsigned place) {
    const struct pair *pair = stream->top;
    for (; pair && place > 0; place--)
        pair = pair->below;
    if (pair)
        return pair->entry->name;
    return place == 0 && stream->driver ? stream->driver->entry->name : NULL;
}
