/* The ATP module: requests and responses. */
#include <string.h>

#include "atp_local.h"

void atp_drop(struct atp_endpoint *endpoint, enum at_atp_fault fault, mblk_t *mp)
{
    endpoint->counts.dropped[fault]++;
    freemsg(mp);
}

static void discard(mblk_t *mp)
{
    if (mp != NULL)
        freemsg(mp);
}

static void free_responses(void **response)
{
    for (int i = 0; i < AT_ATP_PACKETS; i++) {
        discard(response[i]);
        response[i] = NULL;
    }
}

void atp_free_request(struct atp_endpoint *endpoint, struct at_request *request)
{
    discard(request->packet);
    request->packet = NULL;
    free_responses(request->response);
    at_request_close(&endpoint->requests, request);
}

void atp_free_transaction(struct atp_endpoint *endpoint, struct at_transaction *transaction)
{
    free_responses(transaction->response);
    at_transaction_close(&endpoint->transactions, transaction);
}

/* A primitive with a name; in `block` if it is large enough and not shared. */
static mblk_t *primitive(t_scalar_t type, const struct at_address *address, mblk_t *block)
{
    const size_t size = sizeof(struct T_unitdata_req) + AT_NAME_LENGTH;
    struct T_unitdata_req *unitdata;
    if (block != NULL &&
        (block->b_datap->db_ref > 1 || (size_t)(block->b_datap->db_lim - block->b_datap->db_base) < size)) {
        freeb(block);
        block = NULL;
    }
    if (block == NULL)
        block = allocb(size, BPRI_MED);
    if (block == NULL)
        return NULL;
    block->b_datap->db_type = M_PROTO;
    block->b_rptr = block->b_datap->db_base;
    block->b_wptr = block->b_rptr + size;
    unitdata = (struct T_unitdata_req *)block->b_rptr; /* an indication has the same form */
    *unitdata = (struct T_unitdata_req){type, AT_NAME_LENGTH, sizeof *unitdata, 0, 0};
    at_name_write(block->b_rptr + sizeof *unitdata, address, AT_TYPE_ATP);
    return block;
}

/* What follows the header of a message, shared with it; NULL: nothing, or no memory (`*lost`). */
static mblk_t *after_header(const mblk_t *packet, int *lost)
{
    mblk_t *copy;
    *lost = 0;
    if (packet == NULL || (packet->b_wptr - packet->b_rptr == AT_ATP_HEADER && packet->b_cont == NULL))
        return NULL;
    copy = dupmsg((mblk_t *)packet);
    *lost = copy == NULL;
    if (copy != NULL)
        copy->b_rptr += AT_ATP_HEADER;
    return copy;
}

void atp_transmit(struct atp_endpoint *endpoint, const struct at_address *to, const struct at_atp *header,
                  const mblk_t *packet, mblk_t *request)
{
    static const at_byte none[4];
    int lost;
    mblk_t *data = allocb(AT_ATP_HEADER, BPRI_MED), *rest = after_header(packet, &lost);
    request = primitive(T_UNITDATA_REQ, to, request);
    if (data == NULL || lost || request == NULL || !canputnext(WR(endpoint->rq))) { /* as if the network lost it */
        discard(data);
        discard(rest);
        discard(request);
        endpoint->counts.dropped[AT_ATP_FULL]++;
        return;
    }
    at_atp_write(data->b_wptr, header);
    memcpy(data->b_wptr + 4, packet == NULL ? none : packet->b_rptr + 4, 4);
    data->b_wptr += AT_ATP_HEADER;
    data->b_cont = rest;
    request->b_cont = data;
    putnext(WR(endpoint->rq), request);
}

int atp_give(struct atp_endpoint *endpoint, const struct at_address *from, mblk_t *data, mblk_t *indication)
{
    queue_t *q = endpoint->rq;
    int passes = q->q_first == NULL && canputnext(q);
    if (passes || canput(q))
        indication = primitive(T_UNITDATA_IND, from, indication);
    else {
        discard(indication);
        indication = NULL;
    }
    if (indication == NULL) {
        atp_drop(endpoint, AT_ATP_FULL, data);
        return 0;
    }
    indication->b_cont = data;
    if (passes)
        putnext(q, indication);
    else
        putq(q, indication);
    return 1;
}

/* Whether a message can be: a header, which is then contiguous in a block of its own right, and at most a packet. */
static int is_packet(mblk_t *data)
{
    size_t size = data == NULL ? 0 : msgdsize(data);
    if (size < AT_ATP_HEADER || size > AT_ATP_HEADER + AT_ATP_DATA)
        return 0;
    return (data->b_wptr - data->b_rptr >= AT_ATP_HEADER && data->b_datap->db_ref == 1) ||
           pullupmsg(data, AT_ATP_HEADER);
}

/* Reports to the user that a message cannot be sent. */
static void refuse(struct atp_endpoint *endpoint, mblk_t *mp, enum at_atp_fault fault, t_scalar_t error)
{
    struct tpi_range name = tpi_address(mp);
    mblk_t *report = tpi_uderror_ind(name.bytes, name.length, error);
    atp_drop(endpoint, fault, mp);
    if (report != NULL && canputnext(endpoint->rq))
        putnext(endpoint->rq, report);
    else
        discard(report);
}

static void ask(struct atp_endpoint *endpoint, const struct at_address *to, struct at_atp *header, mblk_t *proto)
{
    enum at_atp_fault fault;
    struct at_request *request = at_request_open(&endpoint->requests, to, header, NULL, endpoint->now, &fault);
    if (request == NULL) {
        refuse(endpoint, proto, fault, fault == AT_ATP_FULL ? TFLOW : TBADDATA);
        return;
    }
    request->packet = unlinkb(proto);
    atp_start_ticks(endpoint);
    atp_transmit(endpoint, to, header, request->packet, proto);
}

static void answer(struct atp_endpoint *endpoint, const struct at_address *to, struct at_atp *header, mblk_t *proto)
{
    struct at_transaction *one = at_transaction_find(&endpoint->transactions, to, endpoint->socket, header->tid);
    mblk_t *packet = unlinkb(proto);
    header->control &= AT_ATP_FUNCTION | AT_ATP_EOM | AT_ATP_STS;
    if (one == NULL) { /* at least once */
        atp_transmit(endpoint, to, header, packet, proto);
        freemsg(packet);
        return;
    }
    at_atp_write(packet->b_rptr, header);
    discard(one->response[header->bitmap]);
    one->response[header->bitmap] = packet;
    at_transaction_answered(one, endpoint->now);
    atp_transmit(endpoint, to, header, packet, proto);
}

void atp_send(struct atp_endpoint *endpoint, mblk_t *mp)
{
    struct tpi_range name = tpi_address(mp);
    struct at_address to;
    struct at_atp header;
    at_byte type;
    t_scalar_t error = 0;
    if (at_name_read(name.bytes, (at_long)name.length, &to, &type) != 0 || to.node == AT_ANY_NODE ||
        to.node == AT_BROADCAST)
        error = TBADADDR;
    else if (!is_packet(mp->b_cont) || at_atp_read(mp->b_cont->b_rptr, AT_ATP_HEADER, &header) != 0)
        error = TBADDATA;
    else if ((header.control & AT_ATP_FUNCTION) == AT_ATP_REQUEST)
        ask(endpoint, &to, &header, mp);
    else if ((header.control & AT_ATP_FUNCTION) == AT_ATP_RESPONSE && header.bitmap < AT_ATP_PACKETS)
        answer(endpoint, &to, &header, mp);
    else
        error = TBADDATA;
    if (error != 0)
        refuse(endpoint, mp, AT_ATP_MALFORMED, error);
}

/* Sends again what was sent of the packets that the requester misses. */
static void send_again(struct atp_endpoint *endpoint, struct at_transaction *one)
{
    struct at_atp header;
    at_transaction_answered(one, endpoint->now);
    for (int i = 0; i < AT_ATP_PACKETS; i++) {
        mblk_t *packet = one->response[i];
        if (packet == NULL || (one->bitmap >> i & 1) == 0)
            continue;
        at_atp_read(packet->b_rptr, AT_ATP_HEADER, &header);
        endpoint->counts.resent++;
        atp_transmit(endpoint, &one->peer, &header, packet, NULL);
    }
}

static void take_request(struct atp_endpoint *endpoint, const struct at_address *from, const struct at_atp *header,
                         mblk_t *proto)
{
    struct at_transaction *one;
    enum at_atp_fault fault;
    int what = at_request_arrived(&endpoint->transactions, from, endpoint->socket, NULL, header, endpoint->now, &one,
                                  &fault);
    if (what == AT_DELIVER) {
        mblk_t *data = unlinkb(proto);
        if (one != NULL)
            atp_start_ticks(endpoint);
        endpoint->counts.requests++;
        if (!atp_give(endpoint, from, data, proto) && one != NULL)
            atp_free_transaction(endpoint, one);
    } else if (what == AT_RESEND) {
        send_again(endpoint, one);
        freemsg(proto);
    } else {
        atp_drop(endpoint, fault, proto);
    }
}

/* The response is complete: the user gets it, and the responder may forget it. */
static void complete(struct atp_endpoint *endpoint, struct at_request *request, mblk_t *proto)
{
    const struct at_atp release = {AT_ATP_RELEASE, 0, request->tid};
    const struct at_address peer = request->peer;
    at_short reference = request->reference;
    int last = request->last;
    mblk_t *packet[AT_ATP_PACKETS];
    if (request->control & AT_ATP_XO)
        atp_transmit(endpoint, &peer, &release, NULL, NULL);
    for (int i = 0; i <= last; i++) {
        packet[i] = request->response[i];
        request->response[i] = NULL;
    }
    atp_free_request(endpoint, request);
    for (int i = 0; i <= last; i++) {
        if (packet[i] == NULL)
            continue;
        at_put_short(packet[i]->b_rptr + 2, reference);
        atp_give(endpoint, &peer, packet[i], proto);
        proto = NULL;
    }
    discard(proto);
}

static void take_response(struct atp_endpoint *endpoint, const struct at_address *from, const struct at_atp *header,
                          mblk_t *proto)
{
    struct at_request *request;
    enum at_atp_fault fault;
    int what = at_response_arrived(&endpoint->requests, from, header, endpoint->now, &request, &fault);
    struct at_atp again;
    if (what == 0) {
        atp_drop(endpoint, fault, proto);
        return;
    }
    endpoint->counts.responses++;
    request->response[header->bitmap] = unlinkb(proto);
    if (what & AT_DONE) {
        complete(endpoint, request, proto);
        return;
    }
    freemsg(proto);
    if (what & AT_ASK) {
        at_request_header(request, &again);
        atp_transmit(endpoint, &request->peer, &again, request->packet, NULL);
    }
}

void atp_receive(struct atp_endpoint *endpoint, mblk_t *mp)
{
    struct tpi_range name = tpi_address(mp);
    struct at_transaction *one;
    struct at_address from;
    struct at_atp header;
    at_byte type;
    if (at_name_read(name.bytes, (at_long)name.length, &from, &type) != 0 || type != AT_TYPE_ATP ||
        !is_packet(mp->b_cont)) {
        atp_drop(endpoint, AT_ATP_MALFORMED, mp);
        return;
    }
    at_atp_read(mp->b_cont->b_rptr, AT_ATP_HEADER, &header);
    switch (header.control & AT_ATP_FUNCTION) {
    case AT_ATP_REQUEST:
        take_request(endpoint, &from, &header, mp);
        break;
    case AT_ATP_RESPONSE:
        take_response(endpoint, &from, &header, mp);
        break;
    case AT_ATP_RELEASE:
        one = at_transaction_find(&endpoint->transactions, &from, endpoint->socket, header.tid);
        if (one != NULL) {
            endpoint->counts.releases++;
            atp_free_transaction(endpoint, one);
        }
        freemsg(mp);
        break;
    default:
        atp_drop(endpoint, AT_ATP_MALFORMED, mp);
        break;
    }
}
