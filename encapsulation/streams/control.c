/* M_IOCTL messages: at most one is under way on a stream. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_SECONDS 15
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
/* A module makes a copy request or an answer of the same block. */
#define BLOCK_SIZE LARGER(sizeof(struct iocblk), LARGER(sizeof(struct copyreq), sizeof(struct copyresp)))

int control_begin(struct str_stream *stream, int command, mblk_t *data, int seconds, unsigned count) {
    struct call *call = &stream->call;
    mblk_t *message = str_allocb(BLOCK_SIZE, BPRI_HI);
    if (!message) {
        str_freemsg(data);
        return ENOSR;
    }
    struct iocblk head = {.ioc_cmd = command, .ioc_id = ++stream->calls, .ioc_count = count};
    memcpy(message->b_rptr, &head, sizeof head);
    message->b_wptr += sizeof head;
    message->b_datap->db_type = M_IOCTL;
    message->b_cont = data;
    *call = (struct call){.state = IOCTL_WAITS, .id = head.ioc_id, .transparent = count == TRANSPARENT};
    call->until = seconds == INFTIM ? UINT64_MAX
                                    : str_now(stream->host) +
                                          (uint64_t)(seconds > 0 ? seconds : DEFAULT_SECONDS) * 1000000000U;
    if (stream->head[1].q_next) {
        str_putnext(&stream->head[1], message);
    } else {
        str_freemsg(message);
        call->state = IOCTL_DONE;
        call->error = EINVAL;
    }
    return 0;
}

static void finish(struct call *call, int error, int value) {
    call->state = IOCTL_DONE;
    call->error = error;
    call->value = value;
}

void control_answer(struct str_stream *stream, mblk_t *message) {
    struct call *call = &stream->call;
    struct iocblk head;
    if ((size_t)(message->b_wptr - message->b_rptr) < sizeof head) {
        str_freemsg(message);
        return;
    }
    memcpy(&head, message->b_rptr, sizeof head);
    bool positive = message->b_datap->db_type == M_IOCACK;
    if (call->state == IOCTL_WAITS && call->id == head.ioc_id) {
        if (positive && head.ioc_error == 0) {
            finish(call, 0, head.ioc_rval);
            call->answer = str_unlinkb(message);
        } else {
            finish(call, head.ioc_error ? head.ioc_error : EINVAL, 0);
        }
    }
    str_freemsg(message);
}

/* Data of the caller's for M_COPYIN. Returns an errno value. */
static int copy_in(mblk_t *message, const struct copyreq *request) {
    if (!request->cq_addr && request->cq_size > 0)
        return EFAULT;
    if (request->cq_size > LONGEST_IOCTL)
        return EINVAL;
    mblk_t *data = str_allocb(request->cq_size, BPRI_HI);
    if (!data)
        return ENOSR;
    if (request->cq_size > 0)
        memcpy(data->b_rptr, request->cq_addr, request->cq_size);
    data->b_wptr += request->cq_size;
    message->b_cont = data;
    return 0;
}

/* Data of M_COPYOUT to the caller. */
static int copy_out(mblk_t *data, const struct copyreq *request) {
    if ((!request->cq_addr && request->cq_size > 0) || str_msgsize(data) < request->cq_size)
        return EFAULT;
    size_t done = 0;
    for (mblk_t *block = data; block && done < request->cq_size; block = block->b_cont) {
        size_t part = block->b_wptr > block->b_rptr ? (size_t)(block->b_wptr - block->b_rptr) : 0;
        part = part < request->cq_size - done ? part : request->cq_size - done;
        if (part > 0)
            memcpy(request->cq_addr + done, block->b_rptr, part);
        done += part;
    }
    return 0;
}

void control_copy(struct str_stream *stream, mblk_t *message) {
    struct call *call = &stream->call;
    struct copyreq request;
    size_t room = (size_t)(message->b_datap->db_lim - message->b_rptr);
    if ((size_t)(message->b_wptr - message->b_rptr) < sizeof request || room < sizeof(struct copyresp)) {
        str_freemsg(message);
        return;
    }
    memcpy(&request, message->b_rptr, sizeof request);
    int error = EINVAL; /* none waits, or one of I_STR: it copies by itself */
    mblk_t *data = str_unlinkb(message);
    if (call->state == IOCTL_WAITS && call->id == request.cq_id && call->transparent) {
        if (message->b_datap->db_type == M_COPYIN)
            error = copy_in(message, &request);
        else
            error = copy_out(data, &request);
    }
    if (data)
        str_freemsg(data);
    struct copyresp answer = {.cp_cmd = request.cq_cmd,
                              .cp_cr = request.cq_cr,
                              .cp_id = request.cq_id,
                              .cp_rval = (void *)(intptr_t)error,
                              .cp_flag = request.cq_flag,
                              .cp_private = request.cq_private};
    memcpy(message->b_rptr, &answer, sizeof answer);
    message->b_wptr = message->b_rptr + sizeof answer;
    message->b_datap->db_type = M_IOCDATA;
    str_putnext(&stream->head[1], message);
}

void control_end(struct str_stream *stream) {
    struct call *call = &stream->call;
    if (call->state == IOCTL_WAITS) {
        int error = head_controllable(stream);
        finish(call, error ? error : EINTR, 0);
    }
}

void control_clear(struct str_stream *stream) {
    str_freemsg(stream->call.answer);
    stream->call = (struct call){.state = IOCTL_NONE};
}

bool control_wait(struct str_stream *stream, int *error) {
    struct call *call = &stream->call;
    if (call->state == IOCTL_WAITS)
        str_run(stream->host);
    if (call->state == IOCTL_WAITS && str_now(stream->host) >= call->until)
        finish(call, ETIME, 0);
    *error = call->state == IOCTL_WAITS ? EAGAIN : call->error;
    return call->state != IOCTL_WAITS;
}

bool control_continues(struct str_stream *stream, int command, const void *argument, int *error) {
    const struct call *call = &stream->call;
    *error = 0;
    if (call->state == IOCTL_NONE)
        return false;
    if (call->command == command && call->argument == argument)
        return true;
    *error = EAGAIN;
    return false;
}
