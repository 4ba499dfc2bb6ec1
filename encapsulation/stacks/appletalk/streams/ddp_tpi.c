/* The DDP driver: binding and the other requests of a user, by TPI. */
#include "ddp_local.h"

static t_scalar_t state_of(const struct ddp_stream *stream)
{
    return stream->local.socket == 0 ? TS_UNBND : TS_IDLE;
}

/* Sends an answer; without memory for it the request is lost. */
static void answer(queue_t *q, mblk_t *request, mblk_t *mp)
{
    freemsg(request);
    if (mp != NULL)
        qreply(q, mp);
}

static void info(queue_t *q, mblk_t *mp)
{
    const struct T_info_ack ack = {
        .PRIM_type = T_INFO_ACK,
        .TSDU_size = AT_DDP_DATA,
        .ETSDU_size = T_INVALID,
        .CDATA_size = T_INVALID,
        .DDATA_size = T_INVALID,
        .ADDR_size = AT_NAME_LENGTH,
        .OPT_size = T_INVALID,
        .TIDU_size = AT_DDP_DATA,
        .SERV_type = T_CLTS,
        .CURRENT_state = state_of(q->q_ptr),
    };
    answer(q, mp, tpi_info_ack(&ack));
}

/* Binds to a socket (0: a free dynamic one), or to all of a type. Returns 0 or an error of TPI. */
static t_scalar_t bind_to(struct ddp_stream *stream, struct at_address address, at_byte type)
{
    struct ddp_node *node = stream->node;
    if (address.socket == DDP_EVERY_SOCKET) {
        if (type == 0)
            return TBADADDR;
        if (node->every[type] != NULL)
            return TADDRBUSY;
        node->every[type] = stream;
    } else {
        at_byte socket = at_socket_bind(&node->sockets, address.socket, stream);
        if (socket == 0)
            return address.socket == 0 ? TNOADDR : TADDRBUSY;
        address.socket = socket;
    }
    stream->local = address;
    stream->type = type;
    return 0;
}

static void bind_request(queue_t *q, mblk_t *mp)
{
    struct ddp_stream *stream = q->q_ptr;
    struct tpi_range name = tpi_address(mp);
    struct at_address address = {0};
    at_byte type = 0, bytes[AT_NAME_LENGTH];
    t_scalar_t error = 0;
    if (stream->local.socket != 0)
        error = TOUTSTATE;
    else if (name.length != 0 && at_name_read(name.bytes, (at_long)name.length, &address, &type) != 0)
        error = TBADADDR;
    else
        error = bind_to(stream, address, type);
    if (error != 0) {
        answer(q, mp, tpi_error_ack(T_BIND_REQ, error, 0));
        return;
    }
    address = stream->local;
    if (address.node == AT_ANY_NODE) {
        address.net = stream->node->at.port[0].net;
        address.node = stream->node->at.port[0].node;
    }
    at_name_write(bytes, &address, type);
    answer(q, mp, tpi_bind_ack(bytes, sizeof bytes, 0));
}

void ddp_unbind(struct ddp_stream *stream)
{
    if (stream->local.socket == DDP_EVERY_SOCKET)
        stream->node->every[stream->type] = NULL;
    else if (stream->local.socket != 0)
        at_socket_unbind(&stream->node->sockets, stream->local.socket);
    stream->local.socket = 0;
}

static void unbind_request(queue_t *q, mblk_t *mp)
{
    struct ddp_stream *stream = q->q_ptr;
    if (stream->local.socket == 0) {
        answer(q, mp, tpi_error_ack(T_UNBIND_REQ, TOUTSTATE, 0));
        return;
    }
    ddp_unbind(stream);
    flushq(q, FLUSHALL);
    flushq(RD(q), FLUSHALL);
    putnextctl1(RD(q), M_FLUSH, FLUSHRW);
    answer(q, mp, tpi_ok_ack(T_UNBIND_REQ));
}

void ddp_request(queue_t *q, mblk_t *mp)
{
    int type = tpi_type(mp);
    switch (type) {
    case T_INFO_REQ:
        info(q, mp);
        break;
    case T_BIND_REQ:
        bind_request(q, mp);
        break;
    case T_UNBIND_REQ:
        unbind_request(q, mp);
        break;
    default: /* what a connectionless provider has not, and options, of which there are none */
        answer(q, mp, type < 0 ? NULL : tpi_error_ack(type, TNOTSUPPORT, 0));
        break;
    }
}
