/* Queues of messages: order by priority, sizes, and what they mean for flow control.
 *
 * A queue has its messages of high priority first, then those of each band, the highest first, then band 0. Bytes
 * of high priority count for band 0. Empty messages would not fill a queue; therefore the number of blocks counts
 * against the water marks, too. */
#define STR_PREFIXED
#include "inside.h"

#include <string.h>

/* Priority within a queue: 256 is high priority, else the band. */
static inline unsigned rank(const mblk_t *message) {
    return message->b_datap->db_type >= QPCTL ? 256 : message->b_band;
}

struct size {
    size_t bytes, blocks;
};

static inline struct size size_of(const mblk_t *message) {
    struct size size = {0, 0};
    for (; message; message = message->b_cont) {
        if (message->b_wptr > message->b_rptr)
            size.bytes += (size_t)(message->b_wptr - message->b_rptr);
        size.blocks++;
    }
    return size;
}

struct qband *queue_band(queue_t *q, unsigned char band, bool make) {
    if (band == 0)
        return NULL;
    struct qband **at = &q->q_bandp;
    for (unsigned i = 1;; i++) {
        if (!*at) {
            if (!make)
                return NULL;
            struct qband *fresh = host_allocate(q->q_host, sizeof *fresh);
            if (!fresh)
                return NULL;
            *fresh = (struct qband){.qb_hiwat = q->q_hiwat, .qb_lowat = q->q_lowat};
            *at = fresh;
            q->q_nband++;
        }
        if (i == band)
            return *at;
        at = &(*at)->qb_next;
    }
}

/* The bands of a queue whose first message this is, for the end of a band. */
static void band_insert(struct qband *band, mblk_t *message) {
    if (!band)
        return;
    if (!band->qb_first || message->b_next == band->qb_first)
        band->qb_first = message;
    if (!band->qb_last || message->b_prev == band->qb_last)
        band->qb_last = message;
}

static inline void count_in(queue_t *q, struct qband *band, const mblk_t *message) {
    struct size size = size_of(message);
    if (band) {
        band->qb_count += size.bytes;
        band->qb_blocks += size.blocks;
        if (band->qb_count >= band->qb_hiwat || band->qb_blocks >= band->qb_hiwat)
            band->qb_flag |= QB_FULL;
    } else {
        q->q_count += size.bytes;
        q->q_blocks += size.blocks;
        if (q->q_count >= q->q_hiwat || q->q_blocks >= q->q_hiwat)
            q->q_flag |= QFULL;
    }
}

static inline void count_out(queue_t *q, struct qband *band, const mblk_t *message) {
    struct size size = size_of(message);
    size_t *bytes = band ? &band->qb_count : &q->q_count, *blocks = band ? &band->qb_blocks : &q->q_blocks;
    size_t high = band ? band->qb_hiwat : q->q_hiwat;
    /* A module may change a message that is queued; the counts are never less than 0. */
    *bytes -= size.bytes < *bytes ? size.bytes : *bytes;
    *blocks -= size.blocks < *blocks ? size.blocks : *blocks;
    if (*blocks == 0 || (*bytes < high && *blocks < high)) {
        if (band)
            band->qb_flag &= ~(unsigned)QB_FULL;
        else
            q->q_flag &= ~(unsigned)QFULL;
    }
}

/* Puts a message before another (NULL: at the end). */
static inline void place(queue_t *q, mblk_t *before, mblk_t *message) {
    message->b_next = before;
    message->b_prev = before ? before->b_prev : q->q_last;
    *(message->b_prev ? &message->b_prev->b_next : &q->q_first) = message;
    *(before ? &before->b_prev : &q->q_last) = message;
}

/* The message before which one of a rank belongs: after its equals, or (`front`) before them. */
static mblk_t *position(queue_t *q, unsigned order, bool front) {
    if (!front && (!q->q_last || rank(q->q_last) >= order))
        return NULL;
    if (!front && order > 0 && order < 256) {
        struct qband *band = queue_band(q, (unsigned char)order, false);
        if (band && band->qb_last)
            return band->qb_last->b_next;
    }
    mblk_t *at = q->q_first;
    while (at && (rank(at) > order || (!front && rank(at) == order)))
        at = at->b_next;
    return at;
}

/* Returns false if there is no memory for the band. */
static bool enter(queue_t *q, mblk_t *message, bool front) {
    unsigned order = rank(message);
    struct qband *band = NULL;
    if (order == 256)
        message->b_band = 0; /* high priority has no band */
    else if (order > 0 && !(band = queue_band(q, message->b_band, true)))
        return false;
    place(q, position(q, order, front), message);
    band_insert(band, message);
    count_in(q, band, message);
    return true;
}

int str_putq(queue_t *q, mblk_t *message) {
    if (rank(message) == 0) { /* the usual case: at the end */
        place(q, NULL, message);
        count_in(q, NULL, message);
        if ((q->q_flag & (QWANTR | QNOENB)) == QWANTR)
            str_qenable(q);
        return 1;
    }
    if (!enter(q, message, false))
        return 0;
    unsigned order = rank(message);
    if (order == 256 || str_canenable(q))
        str_qenable(q);
    return 1;
}

int str_putbq(queue_t *q, mblk_t *message) {
    if (!enter(q, message, true))
        return 0;
    if (rank(message) == 256 || (str_canenable(q) && q->q_flag & QWANTR))
        str_qenable(q);
    return 1;
}

int str_insq(queue_t *q, mblk_t *before, mblk_t *message) {
    unsigned order = rank(message);
    mblk_t *previous = before ? before->b_prev : q->q_last;
    /* The order of priorities must hold. */
    if ((before && rank(before) > order) || (previous && rank(previous) < order))
        return 0;
    struct qband *band = NULL;
    if (order == 256)
        message->b_band = 0;
    else if (order > 0 && !(band = queue_band(q, message->b_band, true)))
        return 0;
    place(q, before, message);
    band_insert(band, message);
    count_in(q, band, message);
    if (order == 256 || (str_canenable(q) && q->q_flag & QWANTR))
        str_qenable(q);
    return 1;
}

/* Takes a message out, without back-enabling. */
static inline void leave(queue_t *q, mblk_t *message) {
    struct qband *band = message->b_band == 0 ? NULL : queue_band(q, message->b_band, false);
    if (band) {
        mblk_t *last = band->qb_last;
        if (band->qb_first == message)
            band->qb_first = last == message ? NULL : message->b_next;
        if (last == message)
            band->qb_last = band->qb_first ? message->b_prev : NULL;
    }
    *(message->b_prev ? &message->b_prev->b_next : &q->q_first) = message->b_next;
    *(message->b_next ? &message->b_next->b_prev : &q->q_last) = message->b_prev;
    message->b_next = message->b_prev = NULL;
    count_out(q, band, message);
}

void queue_removed(queue_t *q, unsigned char number) {
    struct qband *band = queue_band(q, number, false);
    if (band) {
        if (band->qb_flag & QB_WANTW && (band->qb_blocks == 0 || (band->qb_count < band->qb_lowat &&
                                                                  band->qb_blocks < band->qb_lowat))) {
            band->qb_flag &= ~(unsigned)(QB_WANTW | QB_FULL);
            back_enable(q, number);
        }
    } else if (q->q_flag & QWANTW &&
               (q->q_blocks == 0 || (q->q_count < q->q_lowat && q->q_blocks < q->q_lowat))) {
        q->q_flag &= ~(unsigned)(QWANTW | QFULL);
        back_enable(q, 0);
    }
}

void str_rmvq(queue_t *q, mblk_t *message) {
    unsigned char band = message->b_band;
    leave(q, message);
    queue_removed(q, band);
}

mblk_t *str_getq(queue_t *q) {
    mblk_t *message = q->q_first;
    if (!message) {
        q->q_flag |= QWANTR;
        return NULL;
    }
    q->q_flag &= ~(unsigned)QWANTR;
    leave(q, message);
    if (message->b_band > 0 || q->q_flag & QWANTW)
        queue_removed(q, message->b_band);
    return message;
}

/* Removes messages of ranks, and back-enables their bands afterwards. */
static void flush(queue_t *q, unsigned least, unsigned most, bool zero, int which) {
    bool bands[256] = {false};
    for (mblk_t *message = q->q_first, *next; message; message = next) {
        next = message->b_next;
        unsigned order = rank(message);
        if (((order < least || order > most) && !(zero && order == 256)) ||
            (which == FLUSHDATA && !str_datamsg(message->b_datap->db_type)))
            continue;
        bands[order == 256 ? 0 : order] = true;
        leave(q, message);
        str_freemsg(message);
    }
    for (unsigned i = 0; i < 256; i++)
        if (bands[i])
            queue_removed(q, (unsigned char)i);
}

void str_flushq(queue_t *q, int which) { flush(q, 0, 256, true, which); }

void str_flushband(queue_t *q, unsigned char band, int which) { flush(q, band, band, band == 0, which); }

int str_qsize(queue_t *q) {
    int count = 0;
    for (mblk_t *message = q->q_first; message; message = message->b_next)
        count++;
    return count;
}

void queue_set(queue_t *q, struct qinit *init) {
    q->q_qinfo = init;
    const struct module_info *info = init ? init->qi_minfo : NULL;
    q->q_minpsz = info ? info->mi_minpsz : 0;
    q->q_maxpsz = info ? info->mi_maxpsz : INFPSZ;
    q->q_hiwat = info ? info->mi_hiwat : HEAD_HIWAT;
    q->q_lowat = info ? info->mi_lowat : HEAD_LOWAT;
}

void queue_open(queue_t *q, struct str_stream *stream, struct qinit *init, unsigned flag) {
    *q = (queue_t){.q_flag = QUSE | QWANTR | flag, .q_stream = stream, .q_host = stream->host};
    queue_set(q, init);
}

void queue_disable(queue_t *q) {
    if (!(q->q_flag & QENAB))
        return;
    struct str_host *host = q->q_host;
    queue_t **at = &host->first, *before = NULL;
    while (*at && *at != q) {
        before = *at;
        at = &before->q_link;
    }
    if (*at == q) {
        *at = q->q_link;
        if (host->last == q)
            host->last = before;
    }
    q->q_flag &= ~(unsigned)QENAB;
}

void queue_forget(queue_t *q) {
    q->q_flag |= QEND;
    queue_disable(q);
}

void queue_close(queue_t *q) {
    queue_forget(q);
    while (q->q_first) {
        mblk_t *message = q->q_first;
        leave(q, message);
        str_freemsg(message);
    }
    while (q->q_bandp) {
        struct qband *band = q->q_bandp;
        q->q_bandp = band->qb_next;
        host_release(q->q_host, band, sizeof *band);
    }
    q->q_nband = 0;
    timers_forget(q);
}
