/* Endpoints: what comes down. */
#include "requests.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

struct offer *offer_add(struct endpoint *listener, void *incoming) {
    struct offer *offer = capsule_malloc(sizeof *offer);
    if (!offer)
        return NULL;
    if (++listener->sequence == 0 || listener->sequence == (t_uscalar_t)-1)
        listener->sequence = 1; /* -1 stands for none */
    *offer = (struct offer){.sequence = listener->sequence, .incoming = incoming, .next = listener->offers};
    listener->offers = offer;
    listener->offered++;
    return offer;
}

void offer_remove(struct endpoint *listener, struct offer *offer) {
    struct offer **link = &listener->offers;
    while (*link && *link != offer)
        link = &(*link)->next;
    if (!*link)
        return;
    *link = offer->next;
    listener->offered--;
    capsule_free(offer);
}

mblk_t *primitive_with(int type, const void *head, size_t size, const void *address, size_t length, mblk_t *data) {
    mblk_t *message = allocb(size + length, BPRI_MED);
    if (!message) {
        if (data)
            freemsg(data);
        return NULL;
    }
    message->b_datap->db_type = (unsigned char)type;
    memcpy(message->b_wptr, head, size);
    if (length > 0)
        memcpy(message->b_wptr + size, address, length);
    message->b_wptr += size + length;
    message->b_cont = data;
    return message;
}

mblk_t *primitive(int type, const void *head, size_t size, mblk_t *data) {
    return primitive_with(type, head, size, NULL, 0, data);
}

bool request_head(const mblk_t *message, void *head, size_t size) {
    if (message->b_wptr - message->b_rptr < (ptrdiff_t)size)
        return false;
    memcpy(head, message->b_rptr, size);
    return true;
}

const unsigned char *request_part(const mblk_t *message, t_scalar_t offset, t_scalar_t length) {
    ptrdiff_t size = message->b_wptr - message->b_rptr;
    if (length < 0 || offset < 0 || length > size || offset > size - length)
        return NULL;
    return message->b_rptr + offset;
}

/* A message that violates the protocol: the stream is unusable from now on, as TPI has it. */
static void break_stream(struct request *request) {
    putnextctl1(request->endpoint->read, M_ERROR, EPROTO);
    capsule_returned();
}

static void send(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    bool expedited = request->primitive == T_EXDATA_REQ, more = false;
    /* In an idle endpoint data is dropped: the connection has ended meanwhile. */
    bool open = endpoint->state == TS_DATA_XFER || endpoint->state == TS_WREQ_ORDREL;
    if (!open || endpoint->calls->service == T_CLTS) {
        if (endpoint->state != TS_IDLE || endpoint->calls->service == T_CLTS)
            break_stream(request);
        return;
    }
    mblk_t *head = NULL, *data = request->message;
    if (request->primitive != DATA) {
        struct T_data_req asked;
        head = request->message;
        if (!request_head(head, &asked, sizeof asked)) {
            break_stream(request);
            return;
        }
        more = asked.MORE_flag & 1;
        data = head->b_cont;
    }
    if (!data)
        return;
    int error = endpoint->calls->send(endpoint, &data, expedited, more);
    if (head)
        head->b_cont = data;
    else
        request->message = data;
    request->waits = error == EAGAIN && data;
    if (error && error != EAGAIN)
        endpoint_disconnected(endpoint, error);
}

static void send_datagram(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    struct T_unitdata_req asked;
    const unsigned char *to = NULL;
    if (endpoint->calls->service != T_CLTS || endpoint->state != TS_IDLE) {
        break_stream(request);
        return;
    }
    if (request_head(request->message, &asked, sizeof asked))
        to = request_part(request->message, asked.DEST_offset, asked.DEST_length);
    if (!to || asked.DEST_length > ENDPOINT_ADDRESS) {
        endpoint_undelivered(endpoint, NULL, 0, TBADADDR);
        return;
    }
    mblk_t *data = unlinkb(request->message);
    if (!data && !(data = allocb(1, BPRI_MED)))
        return;
    int error = endpoint->calls->send_to(endpoint, to, (size_t)asked.DEST_length, data);
    if (error)
        endpoint_undelivered(endpoint, to, (size_t)asked.DEST_length, error);
}

static void finish(struct request *request) {
    struct endpoint *endpoint = request->endpoint;
    if (endpoint->calls->service != T_COTS_ORD ||
        (endpoint->state != TS_DATA_XFER && endpoint->state != TS_WREQ_ORDREL)) {
        if (endpoint->state != TS_IDLE)
            break_stream(request);
        return;
    }
    int error = endpoint->calls->finish(endpoint);
    request->waits = error == EAGAIN;
    if (error == EAGAIN)
        return;
    if (error)
        endpoint_disconnected(endpoint, error);
    else
        endpoint->state = endpoint->state == TS_DATA_XFER ? TS_WIND_ORDREL : TS_IDLE;
}

static t_scalar_t primitive_of(const mblk_t *message) {
    t_scalar_t number = -1;
    if (message->b_datap->db_type == M_DATA)
        return DATA;
    request_head(message, &number, sizeof number);
    return number;
}

static bool is_ordered(t_scalar_t primitive) {
    return primitive == DATA || primitive == T_DATA_REQ || primitive == T_EXDATA_REQ || primitive == T_ORDREL_REQ ||
           primitive == T_UNITDATA_REQ;
}

static void work(void *argument) {
    struct request *request = argument;
    switch (request->primitive) {
    case DATA: case T_DATA_REQ: case T_EXDATA_REQ: send(request); break;
    case T_UNITDATA_REQ: send_datagram(request); break;
    case T_ORDREL_REQ: finish(request); break;
    default: control_request(request); break;
    }
}

/* Handles a message. Returns what waits, or NULL. */
static mblk_t *handle(struct endpoint *endpoint, mblk_t *message) {
    struct request request = {.endpoint = endpoint, .message = message, .primitive = primitive_of(message)};
    bool well = capsule_run(work, &request);
    if (well && endpoint->calls->done)
        endpoint->calls->done();
    if (well && request.waits)
        return request.message;
    if (!well && endpoint->read)
        putnextctl1(endpoint->read, M_ERROR, EIO);
    if (request.message && well)
        freemsg(request.message);
    else if (request.message && request.primitive != DATA)
        freeb(request.message); /* what the data is of, foreign code may have taken */
    return NULL;
}

static void flush(queue_t *write, mblk_t *message) {
    if (*message->b_rptr & FLUSHW) {
        flushq(write, FLUSHDATA);
        *message->b_rptr &= (unsigned char)~FLUSHW;
    }
    if (*message->b_rptr & FLUSHR) {
        flushq(RD(write), FLUSHDATA);
        qreply(write, message);
    } else {
        freemsg(message);
    }
}

static void control_device(queue_t *write, mblk_t *message) {
    struct iocblk *control = (struct iocblk *)(void *)message->b_rptr;
    struct endpoint *endpoint = endpoint_of(write);
    int error = EINVAL;
    if ((control->ioc_cmd == I_LINK || control->ioc_cmd == I_UNLINK) && message->b_cont) {
        struct linkblk *link = (struct linkblk *)(void *)message->b_cont->b_rptr;
        bool adds = control->ioc_cmd == I_LINK;
        if (adds && endpoint->calls->link)
            error = endpoint->calls->link(link->l_qbot);
        else if (!adds && endpoint->calls->unlink)
            error = (endpoint->calls->unlink(link->l_qbot), 0);
    }
    message->b_datap->db_type = error ? M_IOCNAK : M_IOCACK;
    control->ioc_error = error;
    control->ioc_count = 0;
    control->ioc_rval = 0;
    qreply(write, message);
}

int endpoint_write_put(queue_t *write, mblk_t *message) {
    struct endpoint *endpoint = endpoint_of(write);
    switch (message->b_datap->db_type) {
    case M_DATA: case M_PROTO: case M_PCPROTO: {
        bool ordered = is_ordered(primitive_of(message));
        if (ordered && (write->q_first || capsule_entered())) {
            putq(write, message);
        } else if (capsule_entered()) {
            (void)insq(write, write->q_first, message); /* before data that waits */
            qenable(write);
        } else if ((message = handle(endpoint, message))) {
            putbq(write, message);
        }
        return 0;
    }
    case M_FLUSH: flush(write, message); return 0;
    case M_IOCTL: control_device(write, message); return 0;
    default: freemsg(message); return 0;
    }
}

int endpoint_write_service(queue_t *write) {
    struct endpoint *endpoint = endpoint_of(write);
    mblk_t *message;
    while (endpoint && (message = getq(write)))
        if ((message = handle(endpoint, message))) {
            putbq(write, message);
            return 0; /* until endpoint_writable */
        }
    return 0;
}
