/* What both sides of an isolated instance do: records, messages, turns. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "isolate.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPINS 200
#define BLOCK_COST 128 /* bytes of a block beside its data */
#define FLAGS (MSGMARK | MSGNOLOOP | MSGDELIM | MSGMARKNEXT | MSGNOTMARKNEXT)

bool turn_wait(struct shared *shared, enum turn side, unsigned milliseconds) {
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load_explicit(&shared->turn, memory_order_acquire) == side)
            return true;
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    atomic_store(&shared->sleeps[side], 1);
    struct timespec limit = {.tv_sec = milliseconds / 1000, .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    enum turn other = side == TURN_HOST ? TURN_WORKER : TURN_HOST;
    if (atomic_load(&shared->turn) != side)
        syscall(SYS_futex, &shared->turn, FUTEX_WAIT, other, &limit, NULL, 0);
    atomic_store(&shared->sleeps[side], 0);
    return atomic_load(&shared->turn) == side;
}

void turn_pass(struct shared *shared, enum turn to) {
    atomic_store(&shared->turn, to);
    if (atomic_load(&shared->sleeps[to]))
        syscall(SYS_futex, &shared->turn, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* What the other side may write meanwhile is read once. */
static size_t taken_of(const struct area *area) { return *(const volatile uint32_t *)&area->length; }

static size_t room(const struct area *area, size_t margin) {
    size_t taken = taken_of(area) + sizeof(struct record) + margin;
    return taken < AREA_SIZE ? (AREA_SIZE - taken) & ~(size_t)7 : 0;
}

unsigned char *area_add(struct area *area, struct record record, size_t size) {
    size_t taken = taken_of(area), all = sizeof record + record_padded(size);
    if (taken + all > AREA_SIZE)
        return NULL;
    record.size = (uint32_t)size;
    unsigned char *at = area->bytes + taken;
    memcpy(at, &record, sizeof record);
    area->length = (uint32_t)(taken + all);
    return at + sizeof record;
}

struct end *end_add(struct exchange *exchange, uint32_t id, queue_t *out, queue_t *next) {
    if (id == NO_END)
        for (id = 0; id < exchange->count && exchange->ends[id]; id++)
            ;
    if (id >= MOST_ENDS)
        return NULL;
    if (id >= exchange->count) {
        size_t count = exchange->count ? exchange->count : 4, before = exchange->count * sizeof *exchange->ends;
        while (count <= id)
            count *= 2;
        struct end **larger = host_allocate(exchange->host, count * sizeof *larger);
        if (!larger)
            return NULL;
        memset(larger, 0, count * sizeof *larger);
        if (before > 0) {
            memcpy(larger, exchange->ends, before);
            host_release(exchange->host, exchange->ends, before);
        }
        exchange->ends = larger;
        exchange->count = (uint32_t)count;
    }
    struct end *end = exchange->ends[id] ? NULL : host_allocate(exchange->host, sizeof *end);
    if (end) {
        *end = (struct end){.id = id, .out = out, .next = next, .exchange = exchange};
        exchange->ends[id] = end;
    }
    return end;
}

struct end *end_find(struct exchange *exchange, uint32_t id) {
    return id < exchange->count ? exchange->ends[id] : NULL;
}

void end_remove(struct end *end) {
    struct exchange *exchange = end->exchange;
    str_freemsg(end->sending);
    str_freemsg(end->partial);
    while (end->first) {
        mblk_t *message = end->first;
        end->first = message->b_next;
        message->b_next = NULL;
        str_freemsg(message);
    }
    exchange->ends[end->id] = NULL;
    host_release(exchange->host, end, sizeof *end);
}

/* Whether all of the message that is being sent has been written. */
static bool write_message(struct end *end) {
    struct area *area = end->exchange->out;
    while (end->sending) {
        mblk_t *block = end->sending;
        size_t size = block->b_wptr > block->b_rptr ? (size_t)(block->b_wptr - block->b_rptr) : 0;
        size_t part = room(area, AREA_MARGIN);
        if (part < size && part < 64)
            return false;
        part = part < size ? part : size;
        struct record record = {.kind = RECORD_BLOCK,
                                .end = end->id,
                                .a = block->b_datap->db_type,
                                .b = block->b_band | (uint32_t)(block->b_flag & FLAGS) << 16,
                                .c = part < size || block->b_cont};
        unsigned char *data = area_add(area, record, part);
        if (!data)
            return false;
        if (part > 0)
            memcpy(data, block->b_rptr, part);
        block->b_rptr += part;
        if (part == size) {
            end->sending = block->b_cont;
            str_freeb(block);
        }
    }
    return true;
}

void end_pack(struct end *end) {
    while (write_message(end) && (end->sending = str_getq(end->out))) {
        if (end->peer_full && end->sending->b_datap->db_type < QPCTL && end->sending->b_band == 0) {
            str_putbq(end->out, end->sending);
            end->sending = NULL;
            return;
        }
    }
    if (end->sending)
        end->exchange->pressed = true;
}

/* Pointers in control messages mean nothing in another process. */
static mblk_t *completed(mblk_t *message) {
    struct iocblk *control = (struct iocblk *)(void *)message->b_rptr;
    switch (message->b_datap->db_type) {
    case M_IOCTL:
    case M_IOCACK:
    case M_IOCNAK:
        if ((size_t)(message->b_wptr - message->b_rptr) < sizeof *control) {
            str_freemsg(message);
            return NULL;
        }
        control->ioc_cr = NULL;
        return message;
    default:
        return message;
    }
}

static bool carried(uint32_t type) {
    switch (type) {
    case M_PASSFP:
    case M_COPYIN:
    case M_COPYOUT:
    case M_IOCDATA:
        return false;
    default:
        return type < 256;
    }
}

mblk_t *end_receive(struct end *end, const struct record *record, const unsigned char *data) {
    mblk_t *block = end->losing || !carried(record->a) ? NULL : str_allocb(record->size, BPRI_HI);
    if (block) {
        if (record->size > 0)
            memcpy(block->b_wptr, data, record->size);
        block->b_wptr += record->size;
        block->b_datap->db_type = (unsigned char)record->a;
        block->b_band = record->a < QPCTL ? (unsigned char)record->b : 0;
        block->b_flag = (unsigned short)(record->b >> 16) & FLAGS;
        if (end->partial)
            end->partial_last->b_cont = block;
        else
            end->partial = block;
        end->partial_last = block;
        end->partial_bytes += record->size + BLOCK_COST;
    } else {
        end->losing = true;
    }
    if (record->c)
        return NULL;
    mblk_t *message = end->partial;
    end->partial = NULL;
    end->partial_bytes = 0;
    if (end->losing) {
        str_freemsg(message);
        message = NULL;
    }
    end->losing = false;
    return message ? completed(message) : NULL;
}

/* The memory that a message takes, about. */
static size_t cost(const mblk_t *message) {
    size_t bytes = 0;
    for (; message; message = message->b_cont)
        bytes += (size_t)(message->b_wptr - message->b_rptr) + BLOCK_COST;
    return bytes;
}

static bool urgent(const mblk_t *message) { return message->b_datap->db_type >= QPCTL; }

static void tell(struct end *end, bool full) {
    struct record record = {.kind = RECORD_FULL, .end = end->id, .a = full};
    if (area_add(end->exchange->out, record, 0))
        end->told_full = full;
    else
        end->exchange->untold = true;
}

static void tell_if_changed(struct end *end) {
    if (end->told_full ? end->bytes < END_LOWAT : end->bytes > END_HIWAT)
        tell(end, !end->told_full);
}

void ends_tell(struct exchange *exchange) {
    bool some = exchange->untold;
    exchange->untold = false;
    for (uint32_t id = 0; some && id < exchange->count; id++)
        if (exchange->ends[id])
            tell_if_changed(exchange->ends[id]);
}

void end_accept(struct end *end, mblk_t *message) {
    if (message->b_datap->db_type == M_FLUSH)
        end_flush(end, message);
    mblk_t **at = &end->first;
    if (urgent(message)) {
        while (*at && urgent(*at))
            at = &(*at)->b_next;
    } else if (end->last) {
        at = &end->last->b_next;
    }
    message->b_next = *at;
    *at = message;
    if (!message->b_next)
        end->last = message;
    end->bytes += cost(message);
    tell_if_changed(end);
    str_qenable(end->next);
}

/* Takes what a place of the list refers to; `before` is the message before it, or NULL. */
static mblk_t *take(struct end *end, mblk_t **at, mblk_t *before) {
    mblk_t *message = *at;
    *at = message->b_next;
    message->b_next = NULL;
    if (end->last == message)
        end->last = before;
    end->bytes -= cost(message);
    return message;
}

void end_drain(struct end *end) {
    uint32_t full[8] = {0}; /* bands */
    mblk_t **at = &end->first, *before = NULL;
    while (*at) {
        unsigned char band = (*at)->b_band;
        if (!urgent(*at) && (full[band / 32] & 1U << band % 32 || !str_bcanputnext(end->next, band))) {
            full[band / 32] |= 1U << band % 32;
            before = *at;
            at = &before->b_next;
            continue;
        }
        str_putnext(end->next, take(end, at, before));
    }
    tell_if_changed(end);
}

void end_flush(struct end *end, const mblk_t *flush) {
    size_t count = (size_t)(flush->b_wptr - flush->b_rptr);
    unsigned char flags = count > 0 ? *flush->b_rptr : 0;
    bool banded = flags & FLUSHBAND && count > 1, upwards = end->out->q_flag & QREADR;
    if (flags & (upwards ? FLUSHR : FLUSHW)) {
        if (banded)
            str_flushband(end->out, flush->b_rptr[1], FLUSHDATA);
        else
            str_flushq(end->out, FLUSHDATA);
    }
    if (flags & (upwards ? FLUSHW : FLUSHR)) {
        mblk_t **at = &end->first, *before = NULL;
        while (*at) {
            if (!str_datamsg((*at)->b_datap->db_type) || (banded && (*at)->b_band != flush->b_rptr[1])) {
                before = *at;
                at = &before->b_next;
                continue;
            }
            str_freemsg(take(end, at, before));
        }
    }
}

int post_put(queue_t *q, mblk_t *message) {
    struct post *post = q->q_ptr;
    for (int i = 0; i < 2; i++)
        if (message->b_datap->db_type == M_FLUSH && post->ends[i] && post->ends[i]->out == q)
            end_flush(post->ends[i], message);
    if (!str_putq(q, message))
        str_freemsg(message);
    return 0;
}

int post_serve(queue_t *q) {
    struct post *post = q->q_ptr;
    for (int i = 0; i < 2; i++) {
        struct end *end = post->ends[i];
        if (end && end->out == q)
            end_pack(end);
        if (end && end->next == q)
            end_drain(end);
    }
    return 0;
}
