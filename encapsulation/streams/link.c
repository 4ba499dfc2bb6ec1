/* Multiplexors: lower streams, linked below the driver of an upper stream (I_LINK, I_PLINK). */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

/* Whether the driver serves this stream, or one below it: the graph must have no cycles. */
static bool reaches(const struct str_stream *stream, const struct entry *driver) {
    if (stream->driver && stream->driver->entry == driver)
        return true;
    for (const struct link *link = stream->links; link; link = link->next)
        if (reaches(link->lower, driver))
            return true;
    /* Streams of one driver share what is linked below it. */
    for (const struct str_stream *other = stream->host->streams; other; other = other->next)
        if (other != stream && stream->driver && other->driver && other->driver->entry == stream->driver->entry)
            for (const struct link *link = other->links; link; link = link->next)
                if (link->lower != stream && reaches(link->lower, driver))
                    return true;
    return false;
}

static void set_procedures(struct str_stream *lower, struct qinit *read, struct qinit *write) {
    for (unsigned i = 0; i < 2; i++) {
        queue_disable(&lower->head[i]); /* by other procedures */
        queue_set(&lower->head[i], i == 0 ? read : write);
        lower->head[i].q_ptr = NULL;
        str_enableok(&lower->head[i]);
    }
}

/* The lower stream is the program's again, or gone. */
static void link_undo(struct str_stream *upper, struct link *link) {
    struct str_stream *lower = link->lower;
    struct link **at = &upper->links;
    while (*at && *at != link)
        at = &(*at)->next;
    if (*at)
        *at = link->next;
    set_procedures(lower, &head_read, &head_write);
    lower->above = NULL;
    host_release(upper->host, link, sizeof *link);
    if (lower->opens == 0)
        lower->dying = lower->host->closing = true; /* destroyed when nothing is active */
    else
        head_notify(lower);
}

/* What came before the link is the multiplexor's. */
static void pass_on(struct str_stream *lower) {
    queue_t *q = &lower->head[0];
    mblk_t *first = NULL, **end = &first;
    while ((*end = str_getq(q)))
        end = &(*end)->b_next;
    while (first) {
        mblk_t *message = first;
        first = message->b_next;
        message->b_next = NULL;
        str_put(q, message);
    }
}

/* What waits at a lower stream that was linked is the multiplexor's, and goes with it. */
static void link_end(struct str_stream *upper, struct link *link) {
    for (unsigned i = 0; i < 2; i++)
        str_flushq(&link->lower->head[i], FLUSHALL);
    link_undo(upper, link);
}

static int send(struct str_stream *upper, int command, struct link *link) {
    struct linkblk block = {.l_qbot = &link->lower->head[1], .l_index = link->id};
    if (!link->persistent)
        block.l_qtop = &upper->driver->both[1];
    mblk_t *data = str_allocb(sizeof block, BPRI_HI);
    if (!data)
        return ENOSR;
    memcpy(data->b_rptr, &block, sizeof block);
    data->b_wptr += sizeof block;
    return control_begin(upper, command, data, INFTIM, sizeof block);
}

static int begin(struct str_stream *upper, struct str_stream *lower, int flags) {
    int error = head_controllable(upper);
    if (!error)
        error = head_controllable(lower);
    if (error)
        return error;
    const struct streamtab *tab = upper->driver ? upper->driver->entry->streamtab : NULL;
    if (!tab || !tab->st_muxrinit || flags & ~STR_PERSISTENT || lower->host != upper->host || lower->opens == 0 ||
        lower->call.state == IOCTL_WAITS || reaches(lower, upper->driver->entry))
        return EINVAL;
    struct link *link = host_allocate(upper->host, sizeof *link);
    if (!link)
        return ENOMEM;
    *link = (struct link){.next = upper->links,
                          .id = (int)(++upper->host->links & INT32_MAX),
                          .persistent = (flags & STR_PERSISTENT) != 0,
                          .busy = true,
                          .lower = lower};
    upper->links = link;
    lower->above = upper;
    set_procedures(lower, tab->st_muxrinit, tab->st_muxwinit);
    int command = link->persistent ? I_PLINK : I_LINK;
    error = send(upper, command, link);
    if (error) {
        link_undo(upper, link);
        return error;
    }
    upper->call.command = command;
    upper->call.argument = lower;
    upper->call.link = link;
    return 0;
}

int str_link(struct str_stream *upper, struct str_stream *lower, int flags, int *id) {
    struct entered entered = host_enter(upper->host);
    int error;
    if (!control_continues(upper, flags & STR_PERSISTENT ? I_PLINK : I_LINK, lower, &error) && !error)
        error = begin(upper, lower, flags);
    if (!error) {
        bool done = control_wait(upper, &error);
        struct link *link = upper->call.link;
        if (done) {
            control_clear(upper);
            if (error) {
                link_undo(upper, link);
            } else {
                link->busy = false;
                if (id)
                    *id = link->id;
                pass_on(lower);
            }
        }
    }
    host_leave(entered);
    return error;
}

/* Asks the driver to give up one lower stream. */
static int release(struct str_stream *upper, struct link *link, int id) {
    int command = link->persistent ? I_PUNLINK : I_UNLINK;
    int error = send(upper, command, link);
    if (!error) {
        upper->call.command = command;
        upper->call.argument = (void *)(intptr_t)id;
        upper->call.link = link;
        link->busy = true;
    }
    return error;
}

void link_abandon(struct str_stream *upper) {
    struct call *call = &upper->call;
    struct link *link = call->state == IOCTL_NONE ? NULL : call->link;
    if (link && (call->command == I_LINK || call->command == I_PLINK))
        link_undo(upper, link);
    else if (link)
        link->busy = false;
    control_clear(upper);
}

static struct link *find(struct str_stream *upper, int id, bool persistent) {
    for (struct link *link = upper->links; link; link = link->next)
        if ((id == MUXID_ALL || link->id == id) && link->persistent == persistent && !link->busy)
            return link;
    return NULL;
}

/* A persistent link may be undone through any stream of the driver. */
static struct link *adopt(struct str_stream *upper, int id) {
    for (struct str_stream *other = upper->host->streams; other && upper->driver; other = other->next) {
        struct link *link = other != upper && other->driver && other->driver->entry == upper->driver->entry
                                ? find(other, id, true)
                                : NULL;
        if (!link)
            continue;
        struct link **at = &other->links;
        while (*at != link)
            at = &(*at)->next;
        *at = link->next;
        link->next = upper->links;
        upper->links = link;
        link->lower->above = upper;
        return link;
    }
    return NULL;
}

int str_unlink(struct str_stream *upper, int id, int flags) {
    struct entered entered = host_enter(upper->host);
    bool persistent = (flags & STR_PERSISTENT) != 0, some = false;
    int error;
    bool continues = control_continues(upper, persistent ? I_PUNLINK : I_UNLINK, (void *)(intptr_t)id, &error);
    while (!error) {
        if (!continues) {
            error = head_controllable(upper);
            struct link *link = error ? NULL : find(upper, id, persistent);
            if (!link && !error && persistent)
                link = adopt(upper, id);
            if (!link) {
                error = error ? error : some || id == MUXID_ALL ? 0 : EINVAL;
                break;
            }
            error = release(upper, link, id);
            if (error)
                break;
        }
        continues = false;
        if (!control_wait(upper, &error))
            break;
        struct link *link = upper->call.link;
        link->busy = false;
        control_clear(upper);
        if (error)
            break;
        link_end(upper, link);
        some = true;
        if (id != MUXID_ALL)
            break;
    }
    host_leave(entered);
    return error;
}

/* Closing an upper stream unlinks its lower streams; the driver is notified and cannot refuse. Persistent links move
 * to another stream of the driver; if there is none, they are unlinked too, since nothing could reach them. */
void links_close(struct str_stream *upper) {
    link_abandon(upper);
    while (upper->links) {
        struct link *link = upper->links;
        struct str_stream *heir = NULL;
        for (struct str_stream *other = upper->host->streams; other && !heir; other = other->next)
            if (link->persistent && other != upper && !other->dying && other->driver &&
                other->driver->entry == upper->driver->entry)
                heir = other;
        if (heir) {
            upper->links = link->next;
            link->next = heir->links;
            heir->links = link;
            link->lower->above = heir;
            continue;
        }
        int ignored;
        if (!release(upper, link, link->id))
            control_wait(upper, &ignored);
        control_clear(upper);
        link_end(upper, link);
    }
}
