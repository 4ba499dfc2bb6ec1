/* The stream head: what arrives from below, its effects and options. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

static int read_put(queue_t *q, mblk_t *message);
static int write_put(queue_t *q, mblk_t *message);
static int write_service(queue_t *q);

static struct module_info info = {
    .mi_idname = "head", .mi_maxpsz = INFPSZ, .mi_hiwat = HEAD_HIWAT, .mi_lowat = HEAD_LOWAT};
struct qinit head_read = {.qi_putp = read_put, .qi_minfo = &info};
/* Its service procedure is where back-enabling ends. */
struct qinit head_write = {.qi_putp = write_put, .qi_srvp = write_service, .qi_minfo = &info};

void head_notify(struct str_stream *stream) {
    if (stream->watch)
        stream->watch(stream->context, stream);
}

static int write_put(queue_t *q, mblk_t *message) { return str_putnext(q, message); }

static int write_service(queue_t *q) {
    head_notify(q->q_stream);
    return 0;
}

int head_controllable(struct str_stream *stream) {
    if (stream->above)
        return EINVAL;
    if (stream->read_error || stream->write_error)
        return stream->read_error ? stream->read_error : stream->write_error;
    return stream->hung ? ENXIO : 0;
}

int head_readable(struct str_stream *stream) { return stream->above ? EINVAL : stream->read_error; }

int head_writable(struct str_stream *stream) {
    if (stream->above)
        return EINVAL;
    return stream->write_error ? stream->write_error : stream->hung ? ENXIO : 0;
}

static void signal(struct str_stream *stream, const mblk_t *message) {
    if (message->b_wptr > message->b_rptr && *message->b_rptr >= 1 && *message->b_rptr <= 64)
        stream->signals |= (uint64_t)1 << (*message->b_rptr - 1);
}

mblk_t *head_first(struct str_stream *stream) {
    queue_t *q = &stream->head[0];
    while (q->q_first && q->q_first->b_datap->db_type == M_SIG) {
        mblk_t *message = str_getq(q);
        signal(stream, message);
        str_freemsg(message);
    }
    return q->q_first;
}

/* M_ERROR: one byte for both sides, or one for each. */
static void error(struct str_stream *stream, const mblk_t *message) {
    size_t count = (size_t)(message->b_wptr - message->b_rptr);
    if (count == 0)
        return;
    unsigned char reading = message->b_rptr[0], writing = count > 1 ? message->b_rptr[1] : reading;
    int flush = 0;
    if (reading != NOERROR) {
        stream->read_error = reading;
        flush |= reading ? FLUSHR : 0;
    }
    if (writing != NOERROR) {
        stream->write_error = writing;
        flush |= writing ? FLUSHW : 0;
    }
    if (flush)
        head_flush(stream, flush, 0);
    control_end(stream);
}

int head_flush(struct str_stream *stream, int flags, int band) {
    mblk_t *message = str_allocb(2, BPRI_HI);
    if (!message)
        return ENOSR;
    message->b_datap->db_type = M_FLUSH;
    *message->b_wptr++ = (unsigned char)flags;
    if (flags & FLUSHBAND)
        *message->b_wptr++ = (unsigned char)band;
    str_putnext(&stream->head[1], message);
    return 0;
}

/* M_FLUSH turns around: what goes on to the write side is freed by the driver. */
static void flush(queue_t *q, mblk_t *message) {
    size_t count = (size_t)(message->b_wptr - message->b_rptr);
    unsigned char flags = count > 0 ? *message->b_rptr : 0;
    if (flags & FLUSHR) {
        if (flags & FLUSHBAND && count > 1)
            str_flushband(q, message->b_rptr[1], FLUSHALL);
        else
            str_flushq(q, FLUSHALL);
    }
    if (flags & FLUSHW && !(message->b_flag & MSGNOLOOP) && !q->q_stream->pipe) {
        *message->b_rptr &= (unsigned char)~FLUSHR;
        message->b_flag |= MSGNOLOOP;
        str_qreply(q, message);
    } else {
        str_freemsg(message);
    }
}

int head_options(struct str_stream *stream, const struct stroptions *set) {
    queue_t *q = &stream->head[0];
    if (set->so_flags & SO_READOPT) {
        int mode = set->so_readopt & RMODEMASK, protocol = set->so_readopt & ~RMODEMASK;
        if (mode > RMSGN || (protocol != 0 && protocol != RPROTDAT && protocol != RPROTDIS && protocol != RPROTNORM))
            return EINVAL;
        stream->read_mode = mode;
        if (protocol)
            stream->protocol_mode = protocol;
    }
    if (set->so_flags & SO_WROFF)
        stream->write_offset = set->so_wroff;
    if (set->so_flags & SO_MINPSZ)
        q->q_minpsz = set->so_minpsz;
    if (set->so_flags & SO_MAXPSZ)
        q->q_maxpsz = set->so_maxpsz;
    unsigned char band = set->so_flags & SO_BAND ? set->so_band : 0;
    if (set->so_flags & SO_HIWAT)
        str_strqset(q, QHIWAT, band, (intptr_t)set->so_hiwat);
    if (set->so_flags & SO_LOWAT)
        str_strqset(q, QLOWAT, band, (intptr_t)set->so_lowat);
    if (set->so_flags & (SO_DELIM | SO_NODELIM))
        stream->delimited = (set->so_flags & SO_DELIM) != 0;
    if (set->so_flags & SO_MAXBLK)
        stream->largest_block =
            set->so_maxblk > 0 && set->so_maxblk < LARGEST_BLOCK ? (size_t)set->so_maxblk : LARGEST_BLOCK;
    return 0;
}

static int read_put(queue_t *q, mblk_t *message) {
    struct str_stream *stream = q->q_stream;
    switch (message->b_datap->db_type) {
    case M_PCPROTO:
        /* At most one waits. */
        if (q->q_first && q->q_first->b_datap->db_type == M_PCPROTO)
            break;
        /* fallthrough */
    case M_DATA:
    case M_PROTO:
        if (str_putq(q, message))
            message = NULL;
        break;
    case M_SIG:
        if (head_first(stream)) {
            if (str_putq(q, message))
                message = NULL;
        } else {
            signal(stream, message);
        }
        break;
    case M_PCSIG:
        signal(stream, message);
        break;
    case M_ERROR:
        error(stream, message);
        break;
    case M_HANGUP:
        stream->hung = true;
        control_end(stream);
        break;
    case M_UNHANGUP:
        stream->hung = false;
        break;
    case M_FLUSH:
        flush(q, message);
        message = NULL;
        break;
    case M_SETOPTS:
        if ((size_t)(message->b_wptr - message->b_rptr) >= sizeof(struct stroptions)) {
            struct stroptions set;
            memcpy(&set, message->b_rptr, sizeof set);
            head_options(stream, &set);
        }
        break;
    case M_IOCACK:
    case M_IOCNAK:
        control_answer(stream, message);
        message = NULL;
        break;
    case M_COPYIN:
    case M_COPYOUT:
        control_copy(stream, message);
        message = NULL;
        break;
    case M_IOCTL: /* from the other end of a pipe */
        message->b_datap->db_type = M_IOCNAK;
        str_qreply(q, message);
        message = NULL;
        break;
    default:
        break;
    }
    if (message)
        str_freemsg(message);
    head_notify(stream);
    return 0;
}

void str_watch(struct str_stream *stream, void (*routine)(void *, struct str_stream *), void *context) {
    stream->watch = routine;
    stream->context = context;
}

uint64_t str_signals(struct str_stream *stream) {
    struct entered entered = host_enter(stream->host);
    head_first(stream);
    host_leave(entered);
    uint64_t signals = stream->signals;
    stream->signals = 0;
    return signals;
}

/* Whether a band that has been written may be written now. */
static bool band_writable(struct str_stream *stream) {
    for (unsigned band = 1; band < 256; band++)
        if (stream->written[band / 32] & 1U << band % 32 &&
            str_bcanputnext(&stream->head[1], (unsigned char)band))
            return true;
    return false;
}

int str_poll(struct str_stream *stream, int events) {
    struct entered entered = host_enter(stream->host);
    int result = 0;
    if (stream->above || stream->read_error || stream->write_error)
        result |= STR_POLLERR;
    if (stream->hung)
        result |= STR_POLLHUP;
    const mblk_t *first = stream->above ? NULL : head_first(stream);
    if (first && first->b_datap->db_type >= QPCTL)
        result |= STR_POLLPRI & events;
    else if (first)
        result |= (STR_POLLIN | (first->b_band > 0 ? STR_POLLRDBAND : STR_POLLRDNORM)) & events;
    if (!(result & (STR_POLLERR | STR_POLLHUP))) {
        if (events & STR_POLLOUT && str_canputnext(&stream->head[1]))
            result |= STR_POLLOUT;
        if (events & STR_POLLWRBAND && band_writable(stream))
            result |= STR_POLLWRBAND;
    }
    host_leave(entered);
    return result;
}
