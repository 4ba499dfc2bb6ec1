/* Endpoints: their life, and what goes up. */
#include "endpoint.h"
#include "requests.h"

#include <errno.h>
#include <string.h>

static struct endpoint *all;
static t_uscalar_t numbers;

struct endpoint *endpoint_of(queue_t *queue) { return (struct endpoint *)queue->q_ptr; }

struct endpoint *endpoint_numbered(t_uscalar_t number) {
    struct endpoint *endpoint = all;
    while (endpoint && endpoint->number != number)
        endpoint = endpoint->next;
    return endpoint;
}

struct opening {
    struct endpoint *endpoint;
    int error;
};

static void attach(void *argument) {
    struct opening *opening = argument;
    opening->error = opening->endpoint->calls->attach(opening->endpoint);
}

int endpoint_open(queue_t *read, const struct endpoint_calls *calls) {
    if (read->q_ptr)
        return 0; /* a second open of the same stream */
    struct endpoint *endpoint = capsule_calloc(1, calls->size);
    if (!endpoint)
        return ENOMEM;
    *endpoint = (struct endpoint){.calls = calls, .read = read, .state = TS_UNBND, .number = ++numbers, .next = all};
    struct opening opening = {.endpoint = endpoint, .error = EIO};
    if (!capsule_run(attach, &opening) || opening.error) {
        capsule_free(endpoint);
        return opening.error ? opening.error : EIO;
    }
    if (all)
        all->previous = endpoint;
    all = endpoint;
    read->q_ptr = OTHERQ(read)->q_ptr = (void *)endpoint;
    qprocson(read);
    return 0;
}

static void forget(struct endpoint *endpoint) {
    while (endpoint->offers)
        offer_remove(endpoint, endpoint->offers);
    if (endpoint->previous)
        endpoint->previous->next = endpoint->next;
    else
        all = endpoint->next;
    if (endpoint->next)
        endpoint->next->previous = endpoint->previous;
    capsule_free(endpoint);
}

static void detach(void *argument) {
    struct endpoint *endpoint = argument;
    for (struct offer *offer = endpoint->offers; offer; offer = offer->next)
        endpoint->calls->refuse(endpoint, offer->incoming);
    endpoint->calls->detach(endpoint);
}

int endpoint_close(queue_t *read) {
    struct endpoint *endpoint = endpoint_of(read);
    qprocsoff(read);
    read->q_ptr = OTHERQ(read)->q_ptr = NULL;
    if (!endpoint)
        return 0;
    endpoint->read = NULL;
    capsule_run(detach, endpoint);
    if (!capsule_failed() && endpoint->calls->done)
        endpoint->calls->done();
    forget(endpoint);
    return 0;
}

void endpoint_end(void) {
    while (all) {
        capsule_run(detach, all);
        forget(all);
    }
}

/* Passes a message up, after those that wait. */
static void up(struct endpoint *endpoint, mblk_t *message) {
    queue_t *read = endpoint->read;
    if (!read) {
        freemsg(message);
        return;
    }
    if (message->b_datap->db_type < QPCTL && (read->q_first || !canputnext(read))) {
        putq(read, message);
        return;
    }
    putnext(read, message);
    capsule_returned();
}

struct taking {
    struct endpoint *endpoint;
    size_t bytes;
};

static void take(void *argument) {
    struct taking *taking = argument;
    taking->endpoint->calls->taken(taking->endpoint, taking->bytes);
}

/* Data that went up makes room for more. */
static void taken(struct endpoint *endpoint, size_t bytes) {
    if (bytes > 0 && endpoint->calls->taken) {
        struct taking taking = {endpoint, bytes};
        capsule_run(take, &taking);
        if (endpoint->calls->done)
            endpoint->calls->done();
    }
}

/* The bytes of data of a message; those of expedited data are not counted. */
static size_t counted(const mblk_t *message) {
    if (message->b_datap->db_type == M_DATA)
        return msgdsize((mblk_t *)message);
    if (message->b_datap->db_type != M_PROTO || !message->b_cont)
        return 0;
    t_scalar_t primitive;
    memcpy(&primitive, message->b_rptr, sizeof primitive);
    return primitive == T_DATA_IND ? msgdsize(message->b_cont) : 0;
}

static void make_room(void *argument) {
    struct endpoint *endpoint = argument;
    endpoint->calls->room(endpoint);
}

int endpoint_read_service(queue_t *read) {
    struct endpoint *endpoint = endpoint_of(read);
    mblk_t *message;
    while (endpoint && (message = getq(read))) {
        if (message->b_datap->db_type < QPCTL && !canputnext(read)) {
            putbq(read, message);
            return 0;
        }
        size_t bytes = counted(message);
        putnext(read, message);
        taken(endpoint, bytes);
    }
    /* Also without a message: the stream above had no room, and enables this queue when it has. */
    if (endpoint && endpoint->calls->room) {
        capsule_run(make_room, endpoint);
        if (endpoint->calls->done)
            endpoint->calls->done();
    }
    return 0;
}

bool endpoint_has_room(struct endpoint *endpoint) {
    return endpoint->read && !endpoint->read->q_first && canputnext(endpoint->read);
}

void endpoint_data(struct endpoint *endpoint, mblk_t *data, bool expedited, bool more) {
    bool waits = !endpoint_has_room(endpoint);
    size_t bytes = msgdsize(data);
    if (expedited || endpoint->calls->data_size != 0) {
        struct T_data_ind head = {.PRIM_type = expedited ? T_EXDATA_IND : T_DATA_IND, .MORE_flag = more};
        data = primitive(M_PROTO, &head, sizeof head, data);
    }
    if (!data)
        return;
    up(endpoint, data);
    /* What waits is counted by the service procedure, when it goes. */
    if (!waits && !expedited && endpoint->read && endpoint->calls->taken)
        endpoint->calls->taken(endpoint, bytes);
}

bool endpoint_datagram(struct endpoint *endpoint, const void *address, size_t length, mblk_t *data) {
    struct T_unitdata_ind head = {
        .PRIM_type = T_UNITDATA_IND, .SRC_length = (t_scalar_t)length, .SRC_offset = (t_scalar_t)sizeof head};
    if (endpoint->state != TS_IDLE || !endpoint->read || !canput(endpoint->read)) {
        freemsg(data);
        return false;
    }
    mblk_t *message = primitive_with(M_PROTO, &head, sizeof head, address, length, data);
    if (message)
        up(endpoint, message);
    return message != NULL;
}

void endpoint_undelivered(struct endpoint *endpoint, const void *address, size_t length, int error) {
    struct T_uderror_ind head = {.PRIM_type = T_UDERROR_IND,
                                 .DEST_length = (t_scalar_t)length,
                                 .DEST_offset = (t_scalar_t)sizeof head,
                                 .ERROR_type = error};
    mblk_t *message = primitive_with(M_PROTO, &head, sizeof head, address, length, NULL);
    if (message)
        up(endpoint, message);
}

void endpoint_connected(struct endpoint *endpoint) {
    if (endpoint->state != TS_WCON_CREQ)
        return;
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length = sizeof address;
    if (!endpoint->calls->remote || endpoint->calls->remote(endpoint, address, &length))
        length = 0;
    struct T_conn_con head = {
        .PRIM_type = T_CONN_CON, .RES_length = (t_scalar_t)length, .RES_offset = (t_scalar_t)sizeof head};
    endpoint->state = TS_DATA_XFER;
    mblk_t *message = primitive_with(M_PROTO, &head, sizeof head, address, length, NULL);
    if (message)
        up(endpoint, message);
}

int endpoint_incoming(struct endpoint *listener, void *incoming, const void *address, size_t length) {
    if (!listener->read || (listener->state != TS_IDLE && listener->state != TS_WRES_CIND))
        return EINVAL;
    if (listener->offered >= listener->backlog)
        return ENOSPC;
    struct offer *offer = offer_add(listener, incoming);
    if (!offer)
        return ENOMEM;
    struct T_conn_ind head = {.PRIM_type = T_CONN_IND,
                              .SRC_length = (t_scalar_t)length,
                              .SRC_offset = (t_scalar_t)sizeof head,
                              .SEQ_number = (t_scalar_t)offer->sequence};
    mblk_t *message = primitive_with(M_PROTO, &head, sizeof head, address, length, NULL);
    if (!message) {
        offer_remove(listener, offer);
        return ENOMEM;
    }
    listener->state = TS_WRES_CIND;
    up(listener, message);
    return 0;
}

/* T_DISCON_IND after the data that waits. */
static void disconnection(struct endpoint *endpoint, int error, t_scalar_t sequence) {
    struct T_discon_ind head = {.PRIM_type = T_DISCON_IND, .DISCON_reason = error, .SEQ_number = sequence};
    mblk_t *message = primitive(M_PROTO, &head, sizeof head, NULL);
    if (message)
        up(endpoint, message);
}

void endpoint_withdrawn(struct endpoint *listener, void *incoming, int error) {
    struct offer *offer = listener->offers;
    while (offer && offer->incoming != incoming)
        offer = offer->next;
    if (!offer)
        return;
    t_scalar_t sequence = (t_scalar_t)offer->sequence;
    offer_remove(listener, offer);
    if (!listener->offers && listener->state == TS_WRES_CIND)
        listener->state = TS_IDLE;
    disconnection(listener, error, sequence);
}

void endpoint_finished(struct endpoint *endpoint) {
    if (endpoint->finished || (endpoint->state != TS_DATA_XFER && endpoint->state != TS_WIND_ORDREL))
        return;
    endpoint->finished = true;
    endpoint->state = endpoint->state == TS_DATA_XFER ? TS_WREQ_ORDREL : TS_IDLE;
    struct T_ordrel_ind head = {.PRIM_type = T_ORDREL_IND};
    mblk_t *message = primitive(M_PROTO, &head, sizeof head, NULL);
    if (message)
        up(endpoint, message);
}

void endpoint_disconnected(struct endpoint *endpoint, int error) {
    if (endpoint->state == TS_UNBND || endpoint->state == TS_IDLE)
        return;
    endpoint->state = TS_IDLE;
    if (endpoint->read)
        flushq(WR(endpoint->read), FLUSHDATA);
    disconnection(endpoint, error, -1);
}

void endpoint_writable(struct endpoint *endpoint) {
    if (endpoint->read && WR(endpoint->read)->q_first)
        qenable(WR(endpoint->read));
}
