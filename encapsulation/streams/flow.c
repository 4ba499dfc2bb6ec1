/* Flow control, scheduling, and passing messages between queues. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

#define QUEUE_OTHER(q) ((q)->q_flag & QREADR ? (q) + 1 : (q) - 1)

void str_qenable(queue_t *q) {
    if (q->q_flag & (QENAB | QEND) || !q->q_qinfo || !q->q_qinfo->qi_srvp)
        return;
    struct str_host *host = q->q_host;
    q->q_flag |= QENAB;
    q->q_link = NULL;
    if (host->last)
        host->last->q_link = q;
    else
        host->first = q;
    host->last = q;
}

void str_noenable(queue_t *q) { q->q_flag |= QNOENB; }

void str_enableok(queue_t *q) { q->q_flag &= ~(unsigned)QNOENB; }

int str_canenable(queue_t *q) { return (q->q_flag & QNOENB) == 0; }

queue_t *str_backq(queue_t *q) {
    queue_t *other = QUEUE_OTHER(q)->q_next;
    return other ? QUEUE_OTHER(other) : NULL;
}

/* Enables the nearest queue behind that has a service procedure. */
void back_enable(queue_t *q, unsigned char band) {
    queue_t *back = str_backq(q);
    while (back && !back->q_qinfo->qi_srvp)
        back = str_backq(back);
    if (!back)
        return;
    back->q_flag |= QBACK;
    struct qband *of = queue_band(back, band, false);
    if (of)
        of->qb_flag |= QB_BACK;
    str_qenable(back);
}

/* The queue whose room decides: the first from here on that has a service procedure, or the last. */
static inline queue_t *decisive(queue_t *q) {
    while (q->q_next && !q->q_qinfo->qi_srvp)
        q = q->q_next;
    return q;
}

int str_canput(queue_t *q) {
    q = decisive(q);
    if (!(q->q_flag & QFULL))
        return 1;
    q->q_flag |= QWANTW;
    return 0;
}

int str_bcanput(queue_t *q, unsigned char number) {
    if (number == 0)
        return str_canput(q);
    q = decisive(q);
    struct qband *band = queue_band(q, number, false);
    if (!band || !(band->qb_flag & QB_FULL))
        return 1;
    band->qb_flag |= QB_WANTW;
    return 0;
}

int str_canputnext(queue_t *q) { return q->q_next ? str_canput(q->q_next) : 0; }

int str_bcanputnext(queue_t *q, unsigned char band) { return q->q_next ? str_bcanput(q->q_next, band) : 0; }

int str_put(queue_t *q, mblk_t *message) {
    if (q->q_qinfo && q->q_qinfo->qi_putp)
        return q->q_qinfo->qi_putp(q, message);
    str_freemsg(message);
    return 0;
}

int str_putnext(queue_t *q, mblk_t *message) {
    if (q->q_next)
        return str_put(q->q_next, message);
    str_freemsg(message);
    return 0;
}

void str_qreply(queue_t *q, mblk_t *message) { str_putnext(QUEUE_OTHER(q), message); }

/* A control message, or NULL for a type of data other than M_DELAY. */
static mblk_t *control(queue_t *q, int type, size_t size) {
    (void)q;
    if (type < 0 || type > 255 || (str_datamsg((unsigned char)type) && type != M_DELAY))
        return NULL;
    mblk_t *message = str_allocb(size, BPRI_HI);
    if (message)
        message->b_datap->db_type = (unsigned char)type;
    return message;
}

int str_putctl(queue_t *q, int type) {
    mblk_t *message = control(q, type, 0);
    if (!message)
        return 0;
    str_put(q, message);
    return 1;
}

int str_putctl1(queue_t *q, int type, int parameter) {
    mblk_t *message = control(q, type, 1);
    if (!message)
        return 0;
    *message->b_wptr++ = (unsigned char)parameter;
    str_put(q, message);
    return 1;
}

int str_putnextctl(queue_t *q, int type) { return q->q_next ? str_putctl(q->q_next, type) : 0; }

int str_putnextctl1(queue_t *q, int type, int parameter) {
    return q->q_next ? str_putctl1(q->q_next, type, parameter) : 0;
}

int str_strqget(queue_t *q, qfields_t what, unsigned char number, void *value) {
    struct qband *band = queue_band(q, number, false);
    if (number > 0 && !band)
        return ENOENT;
    switch (what) {
    case QHIWAT:
        *(size_t *)value = band ? band->qb_hiwat : q->q_hiwat;
        return 0;
    case QLOWAT:
        *(size_t *)value = band ? band->qb_lowat : q->q_lowat;
        return 0;
    case QMAXPSZ:
        *(ssize_t *)value = q->q_maxpsz;
        return band ? EINVAL : 0;
    case QMINPSZ:
        *(ssize_t *)value = q->q_minpsz;
        return band ? EINVAL : 0;
    case QCOUNT:
        *(size_t *)value = band ? band->qb_count : q->q_count;
        return 0;
    case QFIRST:
        *(mblk_t **)value = band ? band->qb_first : q->q_first;
        return 0;
    case QLAST:
        *(mblk_t **)value = band ? band->qb_last : q->q_last;
        return 0;
    case QFLAG:
        *(unsigned *)value = band ? band->qb_flag : q->q_flag;
        return 0;
    }
    return EINVAL;
}

int str_strqset(queue_t *q, qfields_t what, unsigned char number, intptr_t value) {
    if (what == QCOUNT || what == QFIRST || what == QLAST || what == QFLAG)
        return EPERM;
    struct qband *band = queue_band(q, number, true);
    if (number > 0 && !band)
        return EAGAIN;
    switch (what) {
    case QHIWAT:
        *(band ? &band->qb_hiwat : &q->q_hiwat) = (size_t)value;
        return 0;
    case QLOWAT:
        *(band ? &band->qb_lowat : &q->q_lowat) = (size_t)value;
        return 0;
    case QMAXPSZ:
        if (band)
            return EINVAL;
        q->q_maxpsz = (ssize_t)value;
        return 0;
    case QMINPSZ:
        if (band)
            return EINVAL;
        q->q_minpsz = (ssize_t)value;
        return 0;
    default:
        return EINVAL;
    }
}

void str_miocack(queue_t *write, mblk_t *message, int count, int value) {
    struct iocblk *request = (struct iocblk *)(void *)message->b_rptr;
    message->b_datap->db_type = M_IOCACK;
    request->ioc_count = (unsigned)count;
    request->ioc_rval = value;
    request->ioc_error = 0;
    str_qreply(write, message);
}

void str_miocnak(queue_t *write, mblk_t *message, int count, int error) {
    struct iocblk *request = (struct iocblk *)(void *)message->b_rptr;
    message->b_datap->db_type = M_IOCNAK;
    request->ioc_count = (unsigned)count;
    request->ioc_error = error ? error : EINVAL;
    str_qreply(write, message);
}
