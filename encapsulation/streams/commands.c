/* Ioctl commands of the stream head (streamio). */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

static int find(struct str_stream *stream, const char *name, int *value) {
    if (!name || !host_find(stream->host, name, STR_MODULE))
        return EINVAL;
    *value = 0;
    for (unsigned i = 0; i < stream->modules; i++)
        if (strcmp(stream_name(stream, i), name) == 0)
            *value = 1;
    return 0;
}

static int look(struct str_stream *stream, char *name) {
    if (stream->modules == 0 || !name)
        return EINVAL;
    memcpy(name, stream_name(stream, 0), FMNAMESZ + 1);
    return 0;
}

static int list(struct str_stream *stream, struct str_list *list, int *value) {
    int count = (int)stream->modules + (stream->driver != NULL);
    *value = count;
    if (!list)
        return 0;
    if (list->sl_nmods < 1 || !list->sl_modlist)
        return EINVAL;
    if (list->sl_nmods < count)
        count = list->sl_nmods;
    for (int i = 0; i < count; i++)
        memcpy(list->sl_modlist[i], stream_name(stream, (unsigned)i), FMNAMESZ + 1);
    list->sl_nmods = *value = count;
    return 0;
}

/* Copies without taking: one part of I_PEEK. */
static void peek_part(const mblk_t *message, bool data, struct strbuf *to) {
    to->len = -1;
    if (to->maxlen < 0)
        return;
    size_t done = 0;
    for (; message; message = message->b_cont) {
        if ((message->b_datap->db_type == M_DATA) != data)
            continue;
        size_t part = message->b_wptr > message->b_rptr ? (size_t)(message->b_wptr - message->b_rptr) : 0;
        part = part < (size_t)to->maxlen - done ? part : (size_t)to->maxlen - done;
        if (part > 0)
            memcpy((char *)to->buf + done, message->b_rptr, part);
        done += part;
        to->len = (int)done;
    }
}

static int peek(struct str_stream *stream, struct strpeek *peek, int *value) {
    if (peek->flags != 0 && peek->flags != RS_HIPRI)
        return EINVAL;
    const mblk_t *first = head_first(stream);
    *value = 0;
    if (!first || (peek->flags == RS_HIPRI && first->b_datap->db_type < QPCTL))
        return 0;
    peek_part(first, false, &peek->ctlbuf);
    peek_part(first, true, &peek->databuf);
    peek->flags = first->b_datap->db_type >= QPCTL ? RS_HIPRI : 0;
    *value = 1;
    return 0;
}

static int insert(struct str_stream *stream, const struct strfdinsert *insert) {
    struct str_stream *other = insert->fildes;
    unsigned char control[LONGEST_CONTROL];
    int length = insert->ctlbuf.len;
    if ((insert->flags != 0 && insert->flags != RS_HIPRI) || !other || other->host != stream->host || !other->driver ||
        insert->offset < 0 || (size_t)insert->offset % sizeof(queue_t *) != 0)
        return EINVAL;
    if (other->hung)
        return ENXIO;
    if (length < 0 || length > LONGEST_CONTROL)
        return ERANGE;
    if (sizeof(queue_t *) > (size_t)length || (size_t)insert->offset > (size_t)length - sizeof(queue_t *))
        return EINVAL;
    memcpy(control, insert->ctlbuf.buf, (size_t)length);
    const queue_t *q = &other->driver->both[0];
    memcpy(control + insert->offset, &q, sizeof q);
    struct strbuf part = {.len = length, .buf = control};
    return str_putmsg(stream, &part, &insert->databuf, (int)insert->flags);
}

static int flush(struct str_stream *stream, intptr_t flags, int band) {
    if (flags < FLUSHR || flags > FLUSHRW)
        return EINVAL;
    return head_flush(stream, (int)flags | (band >= 0 ? FLUSHBAND : 0), band);
}

/* Bytes of data blocks of the first message; the number of messages. */
static void count(struct str_stream *stream, int *bytes, int *messages) {
    mblk_t *first = head_first(stream);
    size_t size = first ? str_msgdsize(first) : 0;
    if (bytes)
        *bytes = size > INT32_MAX ? INT32_MAX : (int)size;
    *messages = str_qsize(&stream->head[0]);
}

static bool has_band(struct str_stream *stream, intptr_t band) {
    head_first(stream);
    for (const mblk_t *message = stream->head[0].q_first; message; message = message->b_next)
        if (message->b_band == band && message->b_datap->db_type < QPCTL)
            return true;
    return false;
}

/* Commands that read or set the state of the head. Returns -1 for others. */
static int of_state(struct str_stream *stream, int command, void *argument, int *value) {
    intptr_t number = (intptr_t)argument;
    const mblk_t *first;
    switch (command) {
    case I_NREAD:
        count(stream, argument, value);
        return 0;
    case I_SRDOPT: {
        struct stroptions set = {.so_flags = SO_READOPT, .so_readopt = (short)number};
        return number < 0 || number > INT16_MAX ? EINVAL : head_options(stream, &set);
    }
    case I_GRDOPT:
        if (!argument)
            return EINVAL;
        *(int *)argument = stream->read_mode | stream->protocol_mode;
        return 0;
    case I_SWROPT:
        if (number != 0 && number != SNDZERO)
            return EINVAL;
        stream->write_mode = (int)number;
        return 0;
    case I_GWROPT:
        if (!argument)
            return EINVAL;
        *(int *)argument = stream->write_mode;
        return 0;
    case I_PEEK:
        return argument ? peek(stream, argument, value) : EINVAL;
    case I_CKBAND:
        if (number < 0 || number > 255)
            return EINVAL;
        *value = has_band(stream, number);
        return 0;
    case I_GETBAND:
        first = head_first(stream);
        if (!first || !argument)
            return argument ? ENODATA : EINVAL;
        *(int *)argument = first->b_band;
        return 0;
    case I_ATMARK:
        first = head_first(stream);
        if (number != ANYMARK && number != LASTMARK)
            return EINVAL;
        *value = first && first->b_flag & MSGMARK;
        for (; *value && number == LASTMARK && first->b_next; first = first->b_next)
            if (first->b_next->b_flag & MSGMARK)
                *value = 0;
        return 0;
    case I_CANPUT:
        if (number < 0 || number > 255)
            return EINVAL;
        *value = str_bcanputnext(&stream->head[1], (unsigned char)number);
        return 0;
    default:
        return -1;
    }
}

/* Commands about modules and messages. Returns -1 for others. */
static int of_stream(struct str_stream *stream, int command, void *argument, int *value) {
    switch (command) {
    case I_PUSH:
        return str_push(stream, argument);
    case I_POP:
        return str_pop(stream);
    case I_LOOK:
        return look(stream, argument);
    case I_FIND:
        return find(stream, argument, value);
    case I_LIST:
        return list(stream, argument, value);
    case I_FLUSH:
        return flush(stream, (intptr_t)argument, -1);
    case I_FLUSHBAND: {
        const struct bandinfo *band = argument;
        return band ? flush(stream, band->bi_flag, band->bi_pri) : EINVAL;
    }
    case I_FDINSERT:
        return argument ? insert(stream, argument) : EINVAL;
    case I_LINK:
    case I_PLINK:
        return argument ? str_link(stream, argument, command == I_PLINK ? STR_PERSISTENT : 0, value) : EINVAL;
    case I_UNLINK:
    case I_PUNLINK:
        return str_unlink(stream, (int)(intptr_t)argument, command == I_PUNLINK ? STR_PERSISTENT : 0);
    default:
        return -1;
    }
}

/* Sends I_STR, or a command that the head does not know: a transparent one. */
static int begin(struct str_stream *stream, int command, void *argument) {
    const struct strioctl *request = command == I_STR ? argument : NULL;
    mblk_t *data = NULL;
    if (command == I_STR) {
        if (!request || request->ic_len < 0 || request->ic_len > LONGEST_IOCTL || request->ic_timout < INFTIM ||
            (request->ic_len > 0 && !request->ic_dp))
            return EINVAL;
        if (request->ic_len > 0 && !(data = head_data(stream, request->ic_dp, (size_t)request->ic_len, false)))
            return ENOSR;
    } else {
        data = str_allocb(sizeof argument, BPRI_HI);
        if (!data)
            return ENOSR;
        memcpy(data->b_rptr, &argument, sizeof argument);
        data->b_wptr += sizeof argument;
    }
    int error = control_begin(stream, request ? request->ic_cmd : command, data, request ? request->ic_timout : 0,
                              request ? (unsigned)request->ic_len : TRANSPARENT);
    stream->call.command = command;
    stream->call.argument = argument;
    return error;
}

/* Data of the answer to I_STR: as much as the module sent; the caller's buffer must have room for it. */
static void deliver(const struct str_stream *stream, struct strioctl *request) {
    size_t done = 0;
    for (const mblk_t *block = stream->call.answer; block; block = block->b_cont) {
        size_t part = block->b_wptr > block->b_rptr ? (size_t)(block->b_wptr - block->b_rptr) : 0;
        part = part < LONGEST_IOCTL - done ? part : LONGEST_IOCTL - done;
        if (part > 0 && request->ic_dp)
            memcpy(request->ic_dp + done, block->b_rptr, part);
        done += part;
    }
    request->ic_len = (int)done;
}

static int exchange(struct str_stream *stream, int command, void *argument, int *value) {
    int error;
    if (!control_continues(stream, command, argument, &error) && !error) {
        error = head_controllable(stream);
        if (!error)
            error = begin(stream, command, argument);
    }
    if (error || !control_wait(stream, &error))
        return error;
    *value = stream->call.value;
    if (!error && command == I_STR)
        deliver(stream, argument);
    control_clear(stream);
    return error;
}

int str_ioctl(struct str_stream *stream, int command, void *argument, int *value) {
    struct entered entered = host_enter(stream->host);
    int ignored = 0, *to = value ? value : &ignored;
    *to = 0;
    int error = stream->above ? EINVAL : of_state(stream, command, argument, to);
    if (error < 0)
        error = of_stream(stream, command, argument, to);
    if (error < 0)
        error = exchange(stream, command, argument, to);
    host_leave(entered);
    return error;
}

void str_ioctl_cancel(struct str_stream *stream) {
    struct entered entered = host_enter(stream->host);
    link_abandon(stream);
    host_leave(entered);
}
