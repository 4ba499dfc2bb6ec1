/* The read side of the stream head. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

static size_t length_of(const mblk_t *block) {
    return block->b_wptr > block->b_rptr ? (size_t)(block->b_wptr - block->b_rptr) : 0;
}

/* Takes at most `count` bytes of the front into `to`, up to `end`. Returns what is left of the message, without
 * empty blocks. */
static mblk_t *take(mblk_t *message, const mblk_t *end, unsigned char *to, size_t count, size_t *taken) {
    size_t done = 0;
    while (message && message != end) {
        size_t own = length_of(message), part = own < count - done ? own : count - done;
        if (part > 0)
            memcpy(to + done, message->b_rptr, part);
        done += part;
        message->b_rptr += part;
        if (part < own)
            break;
        mblk_t *rest = message->b_cont;
        if (rest) {
            rest->b_band = message->b_band;
            rest->b_flag = message->b_flag;
        }
        str_freeb(message);
        message = rest;
    }
    *taken = done;
    return message;
}

static void put_back(struct str_stream *stream, mblk_t *message) {
    if (message && !str_putbq(&stream->head[0], message))
        str_freemsg(message);
}

/* A message with a control part, in the modes in which read takes it. Returns EBADMSG in the others. */
static int unprotect(struct str_stream *stream, const mblk_t *first) {
    unsigned char type = first->b_datap->db_type;
    if ((type != M_PROTO && type != M_PCPROTO) || stream->protocol_mode == RPROTNORM)
        return EBADMSG;
    mblk_t *message = str_getq(&stream->head[0]);
    if (stream->protocol_mode == RPROTDAT) {
        for (mblk_t *block = message; block && block->b_datap->db_type != M_DATA; block = block->b_cont) {
            if (block->b_datap->db_ref > 1) { /* the type is the data block's: others see it */
                mblk_t *copy = str_copyb(block);
                if (!copy)
                    break;
                mblk_t *rest = str_unlinkb(block);
                if (block == message) {
                    message = copy;
                } else {
                    str_rmvb(message, block);
                    str_linkb(message, copy);
                }
                copy->b_cont = rest;
                str_freeb(block);
                block = copy;
            }
            block->b_datap->db_type = M_DATA;
        }
        if (message->b_datap->db_type != M_DATA) {
            str_freemsg(message);
            return ENOSR;
        }
    } else {
        while (message && message->b_datap->db_type != M_DATA) {
            mblk_t *rest = str_unlinkb(message);
            if (rest)
                rest->b_band = message->b_band;
            str_freeb(message);
            message = rest;
        }
    }
    put_back(stream, message);
    return 0;
}

static int read_some(struct str_stream *stream, unsigned char *bytes, size_t count, size_t *got) {
    int error = head_readable(stream);
    if (error)
        return error;
    while (*got < count) {
        mblk_t *message = head_first(stream);
        if (!message)
            return *got > 0 || stream->hung ? 0 : EAGAIN;
        if (message->b_datap->db_type != M_DATA) {
            if (*got > 0)
                return 0;
            error = unprotect(stream, message);
            if (error)
                return error;
            continue;
        }
        if (str_msgsize(message) == 0) { /* an end of file; it ends what was read before it, too */
            if (*got == 0)
                str_freemsg(str_getq(&stream->head[0]));
            return 0;
        }
        message = str_getq(&stream->head[0]);
        unsigned flag = message->b_flag;
        size_t part = 0;
        message = take(message, NULL, bytes + *got, count - *got, &part);
        *got += part;
        if (stream->read_mode == RMSGD) {
            str_freemsg(message);
            return 0;
        }
        put_back(stream, message);
        if (stream->read_mode == RMSGN || (!message && flag & (MSGMARK | MSGDELIM)))
            return 0;
    }
    return 0;
}

int str_read(struct str_stream *stream, void *bytes, size_t count, size_t *got) {
    struct entered entered = host_enter(stream->host);
    size_t done = 0;
    int error = read_some(stream, bytes, count, &done);
    *got = done;
    host_leave(entered);
    return error;
}

/* One part of getmsg: the blocks up to `end`. Returns what is left of the message. */
static mblk_t *part(mblk_t *message, const mblk_t *end, struct strbuf *to, int more_flag, int *more) {
    if (to)
        to->len = -1;
    if (message == end)
        return message;
    if (!to || to->maxlen < 0) {
        *more |= more_flag;
        return message;
    }
    size_t taken = 0;
    message = take(message, end, to->buf, (size_t)to->maxlen, &taken);
    to->len = (int)taken;
    if (message != end)
        *more |= more_flag;
    return message;
}

struct request {
    struct strbuf *control, *data;
    bool high;
    unsigned char band; /* the least */
};

static int get_message(struct str_stream *stream, const struct request *request, int *band, bool *high, int *more) {
    int error = head_readable(stream);
    if (error)
        return error;
    mblk_t *message = head_first(stream);
    *more = 0;
    *band = 0;
    *high = false;
    if (!message) {
        if (!stream->hung)
            return EAGAIN;
        if (request->control)
            request->control->len = 0;
        if (request->data)
            request->data->len = 0;
        return 0;
    }
    *high = message->b_datap->db_type >= QPCTL;
    if (!*high && (request->high || message->b_band < request->band))
        return EAGAIN;
    *band = message->b_band;
    message = str_getq(&stream->head[0]);
    mblk_t *data = message, *before = NULL;
    while (data && data->b_datap->db_type != M_DATA) {
        before = data;
        data = data->b_cont;
    }
    unsigned char of = message->b_band;
    message = part(message, data, request->control, MORECTL, more);
    if (before && message != data) { /* some control is left: the data is apart meanwhile */
        before->b_cont = NULL;
        data = part(data, NULL, request->data, MOREDATA, more);
        before->b_cont = data;
    } else {
        message = part(message, NULL, request->data, MOREDATA, more);
    }
    if (message)
        message->b_band = of;
    put_back(stream, message);
    return 0;
}

int str_getmsg(struct str_stream *stream, struct strbuf *control, struct strbuf *data, int *flags, int *more) {
    if (*flags != 0 && *flags != RS_HIPRI)
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    struct request request = {control, data, *flags == RS_HIPRI, 0};
    int band, ignored;
    bool high;
    int error = get_message(stream, &request, &band, &high, more ? more : &ignored);
    if (!error)
        *flags = high ? RS_HIPRI : 0;
    host_leave(entered);
    return error;
}

int str_getpmsg(struct str_stream *stream, struct strbuf *control, struct strbuf *data, int *band, int *flags,
                int *more) {
    if ((*flags != MSG_ANY && *flags != MSG_HIPRI && *flags != MSG_BAND) ||
        (*flags == MSG_BAND && (*band < 0 || *band > 255)) || (*flags == MSG_HIPRI && *band != 0))
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    struct request request = {control, data, *flags == MSG_HIPRI, *flags == MSG_BAND ? (unsigned char)*band : 0};
    int of, ignored;
    bool high;
    int error = get_message(stream, &request, &of, &high, more ? more : &ignored);
    if (!error) {
        *flags = high ? MSG_HIPRI : MSG_BAND;
        *band = of;
    }
    host_leave(entered);
    return error;
}

int str_receive(struct str_stream *stream, mblk_t **message) {
    struct entered entered = host_enter(stream->host);
    int error = head_readable(stream);
    *message = NULL;
    if (!error) {
        mblk_t *first = head_first(stream);
        if (first)
            *message = str_getq(&stream->head[0]);
        else if (!stream->hung)
            error = EAGAIN;
    }
    host_leave(entered);
    return error;
}
