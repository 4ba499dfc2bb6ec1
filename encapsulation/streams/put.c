/* The write side of the stream head. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

/* M_DATA blocks with these bytes, or NULL without memory. The first has the stream's write offset before them. */
mblk_t *head_data(struct str_stream *stream, const void *bytes, size_t count, bool offset) {
    const unsigned char *from = bytes;
    mblk_t *first = NULL, **end = &first;
    do {
        size_t space = offset && !first ? stream->write_offset : 0;
        size_t part = count < stream->largest_block ? count : stream->largest_block;
        mblk_t *block = str_allocb(space + part, BPRI_MED);
        if (!block) {
            str_freemsg(first);
            return NULL;
        }
        block->b_rptr += space;
        block->b_wptr = block->b_rptr + part;
        if (part > 0)
            memcpy(block->b_rptr, from, part);
        from += part;
        count -= part;
        *end = block;
        end = &block->b_cont;
    } while (count > 0);
    return first;
}

/* Notes that a band is in use, and whether it may be written. */
static bool room(struct str_stream *stream, unsigned char band) {
    stream->written[band / 32] |= 1U << band % 32;
    return str_bcanputnext(&stream->head[1], band);
}

static int write_some(struct str_stream *stream, const unsigned char *bytes, size_t count, size_t *written) {
    const queue_t *below = stream->head[1].q_next;
    int error = head_writable(stream);
    if (error)
        return error;
    if (!below)
        return EIO;
    ssize_t least = below->q_minpsz, most = below->q_maxpsz;
    if (count == 0 && !(stream->write_mode & SNDZERO))
        return 0;
    if (most != INFPSZ && (size_t)most < count && (least > 0 || most <= 0))
        return ERANGE;
    if (least > 0 && (size_t)least > count)
        return ERANGE;
    do {
        size_t part = most == INFPSZ || count - *written < (size_t)most ? count - *written : (size_t)most;
        if (!room(stream, 0))
            return *written > 0 ? 0 : EAGAIN;
        mblk_t *message = head_data(stream, bytes + *written, part, true);
        if (!message)
            return *written > 0 ? 0 : ENOSR;
        *written += part;
        if (stream->delimited && *written == count)
            message->b_flag |= MSGDELIM;
        str_putnext(&stream->head[1], message);
        error = head_writable(stream);
    } while (*written < count && !error);
    return 0;
}

int str_write(struct str_stream *stream, const void *bytes, size_t count, size_t *written) {
    struct entered entered = host_enter(stream->host);
    size_t done = 0;
    int error = write_some(stream, bytes, count, &done);
    if (written)
        *written = done;
    host_leave(entered);
    return error;
}

static int put_message(struct str_stream *stream, const struct strbuf *control, const struct strbuf *data,
                       unsigned char band, bool high) {
    bool controls = control && control->len >= 0, has_data = data && data->len >= 0;
    int error = head_writable(stream);
    if (error)
        return error;
    if (high && !controls)
        return EINVAL;
    if (!controls && !has_data)
        return 0;
    const queue_t *below = stream->head[1].q_next;
    if (!below)
        return EIO;
    if (controls && control->len > LONGEST_CONTROL)
        return ERANGE;
    if (has_data && (data->len < below->q_minpsz || (below->q_maxpsz != INFPSZ && data->len > below->q_maxpsz)))
        return ERANGE;
    if (!high && !room(stream, band))
        return EAGAIN;
    mblk_t *message = NULL, *part = NULL;
    if (has_data && !(part = head_data(stream, data->buf, (size_t)data->len, true)))
        return ENOSR;
    if (controls) {
        message = str_allocb((size_t)control->len, BPRI_MED);
        if (!message) {
            str_freemsg(part);
            return ENOSR;
        }
        message->b_datap->db_type = high ? M_PCPROTO : M_PROTO;
        if (control->len > 0)
            memcpy(message->b_rptr, control->buf, (size_t)control->len);
        message->b_wptr += control->len;
        message->b_cont = part;
    } else {
        message = part;
    }
    message->b_band = high ? 0 : band;
    str_putnext(&stream->head[1], message);
    return 0;
}

int str_putmsg(struct str_stream *stream, const struct strbuf *control, const struct strbuf *data, int flags) {
    if (flags != 0 && flags != RS_HIPRI)
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    int error = put_message(stream, control, data, 0, flags == RS_HIPRI);
    host_leave(entered);
    return error;
}

int str_putpmsg(struct str_stream *stream, const struct strbuf *control, const struct strbuf *data, int band,
                int flags) {
    if ((flags != MSG_HIPRI && flags != MSG_BAND) || band < 0 || band > 255 || (flags == MSG_HIPRI && band != 0))
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    int error = put_message(stream, control, data, (unsigned char)band, flags == MSG_HIPRI);
    host_leave(entered);
    return error;
}

int str_send(struct str_stream *stream, mblk_t *message) {
    unsigned char type = message->b_datap->db_type;
    int error = head_writable(stream);
    if (error)
        return error;
    if (!str_datamsg(type) && type != M_CTL && type != M_FLUSH)
        return EINVAL;
    struct entered entered = host_enter(stream->host);
    if (!stream->head[1].q_next)
        error = EIO;
    else if (type < QPCTL && !room(stream, message->b_band))
        error = EAGAIN;
    else
        str_putnext(&stream->head[1], message);
    host_leave(entered);
    return error;
}
