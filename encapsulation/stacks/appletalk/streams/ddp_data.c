/* The DDP driver: datagrams. */
#include "ddp_local.h"

void ddp_drop(struct ddp_node *node, enum at_ddp_fault fault, mblk_t *mp)
{
    node->counts.dropped[fault]++;
    freemsg(mp);
}

static at_short checksum(const mblk_t *mp)
{
    at_long skip = AT_CHECKSUM_FROM;
    at_short sum = 0;
    for (; mp != NULL; mp = mp->b_cont) {
        at_long count = (at_long)(mp->b_wptr - mp->b_rptr), part = count < skip ? count : skip;
        sum = at_checksum_add(sum, mp->b_rptr + part, count - part);
        skip -= part;
    }
    return at_checksum_sent(sum);
}

/* Whom a datagram is for, or NULL. */
static struct ddp_stream *receiver(const struct ddp_node *node, const struct at_datagram *d)
{
    struct ddp_stream *stream = node->sockets.owner[d->to.socket];
    if (stream != NULL && (stream->type == 0 || stream->type == d->type))
        return stream;
    return node->every[d->type];
}

/* Queues a datagram for its stream of this node, which is served later: who sends is never called back. */
static void loop(struct ddp_node *node, const struct at_datagram *d, mblk_t *mp)
{
    struct ddp_stream *stream = receiver(node, d);
    if (stream == NULL) {
        ddp_drop(node, AT_DDP_NO_SOCKET, mp);
    } else if (!canput(stream->rq)) {
        ddp_drop(node, AT_DDP_NO_ROOM, mp);
    } else {
        node->counts.looped++;
        putq(stream->rq, mp);
    }
}

/* Puts a datagram with a long header on a link. */
static void transmit(struct ddp_node *node, const struct at_route *route, struct at_datagram *d, mblk_t *mp)
{
    at_byte *lap;
    int is_short = node->at.port[route->port].net == AT_ANY_NET; /* a network without number has no router */
    if (is_short) {
        mp->b_rptr += AT_LONG_HEADER - AT_SHORT_HEADER;
        d->length = (at_short)(d->length - (AT_LONG_HEADER - AT_SHORT_HEADER));
        at_short_write(mp->b_rptr, d);
    }
    if (mp->b_rptr - mp->b_datap->db_base < AT_LAP_HEADER) {
        mblk_t *header = allocb(AT_LAP_HEADER, BPRI_HI);
        if (header == NULL) {
            ddp_drop(node, AT_DDP_NO_ROOM, mp);
            return;
        }
        header->b_rptr = header->b_wptr = header->b_datap->db_lim;
        linkb(header, mp);
        mp = header;
    }
    lap = mp->b_rptr -= AT_LAP_HEADER;
    lap[0] = route->next;
    lap[1] = node->at.port[route->port].node;
    lap[2] = is_short ? AT_LAP_SHORT : AT_LAP_LONG;
    putnext(node->link[route->port].wq, mp);
}

/* Sends a datagram along its route. Its long header lies at the front of a block that no other shares. */
static void forward(struct ddp_stream *stream, const struct at_route *route, struct at_datagram *d, mblk_t *mp)
{
    struct ddp_node *node = stream->node;
    d->from = stream->local.socket == DDP_EVERY_SOCKET ? d->from : stream->local;
    if (d->from.node == AT_ANY_NODE) {
        d->from.net = node->at.port[route->own].net;
        d->from.node = node->at.port[route->own].node;
    }
    d->checksum = 0;
    d->hops = 0;
    at_long_write(mp->b_rptr, d);
    if (node->checksum)
        at_put_short(mp->b_rptr + 2, checksum(mp));
    node->counts.sent++;
    if (route->local && route->port < 0) {
        loop(node, d, mp);
        return;
    }
    if (route->local) {
        mblk_t *copy = copymsg(mp);
        if (copy != NULL)
            loop(node, d, copy);
    }
    transmit(node, route, d, mp);
}

/* Whether the way is free now. */
static int is_free(const struct ddp_node *node, const struct at_route *route)
{
    return route->port < 0 || (node->link[route->port].wq != NULL && canputnext(node->link[route->port].wq));
}

/* Reports that a datagram cannot be sent. */
static void refuse(struct ddp_stream *stream, mblk_t *mp, t_scalar_t error)
{
    struct tpi_range name = tpi_address(mp);
    mblk_t *report = tpi_uderror_ind(name.bytes, name.length, error);
    stream->node->counts.dropped[error == TNOADDR ? AT_DDP_UNREACHABLE : AT_DDP_ADDRESS]++;
    freemsg(mp);
    if (report != NULL && canputnext(stream->rq))
        putnext(stream->rq, report);
    else if (report != NULL)
        freemsg(report);
}

/* The block of the request becomes that of the header. */
static mblk_t *header_of(mblk_t *mp)
{
    if (mp->b_datap->db_ref > 1) {
        mblk_t *header = allocb(sizeof(struct T_unitdata_ind) + AT_NAME_LENGTH, BPRI_HI);
        if (header == NULL)
            return NULL;
        header->b_cont = mp->b_cont;
        mp->b_cont = NULL;
        freeb(mp);
        mp = header;
    }
    mp->b_datap->db_type = M_DATA;
    mp->b_rptr = mp->b_datap->db_base + AT_LAP_HEADER;
    mp->b_wptr = mp->b_rptr + AT_LONG_HEADER;
    return mp;
}

static int send_request(struct ddp_stream *stream, mblk_t *mp)
{
    struct at_datagram d;
    struct at_route route;
    size_t size = msgdsize(mp);
    mblk_t *header;
    struct tpi_range name;
    if (tpi_type(mp) != T_UNITDATA_REQ || stream->local.socket == 0 || stream->local.socket == DDP_EVERY_SOCKET) {
        ddp_drop(stream->node, AT_DDP_ADDRESS, mp);
        return 1;
    }
    name = tpi_address(mp);
    if (at_name_read(name.bytes, (at_long)name.length, &d.to, &d.type) != 0) {
        refuse(stream, mp, TBADADDR);
        return 1;
    }
    d.type = d.type == 0 ? stream->type : d.type;
    if (d.to.socket < AT_FIRST_SOCKET || d.to.socket > AT_LAST_SOCKET || d.to.node == AT_ANY_NODE || d.type == 0) {
        refuse(stream, mp, TBADADDR);
        return 1;
    }
    if (size > AT_DDP_DATA) {
        refuse(stream, mp, TBADDATA);
        return 1;
    }
    if (at_node_route(&stream->node->at, &d.to, &route) != AT_DDP_GOOD) {
        refuse(stream, mp, TNOADDR);
        return 1;
    }
    if (!is_free(stream->node, &route))
        return 0;
    header = header_of(mp);
    if (header == NULL) {
        ddp_drop(stream->node, AT_DDP_NO_ROOM, mp);
        return 1;
    }
    d.length = (at_short)(AT_LONG_HEADER + size);
    forward(stream, &route, &d, header);
    return 1;
}

/* A datagram with its header, of a stream that has a whole type. */
static int send_whole(struct ddp_stream *stream, mblk_t *mp)
{
    struct at_datagram d;
    struct at_route route;
    size_t size = msgdsize(mp);
    const at_byte *header;
    enum at_ddp_fault fault = AT_DDP_ADDRESS;
    if (stream->local.socket != DDP_EVERY_SOCKET || size < AT_LONG_HEADER || size > AT_DDP_MOST) {
        ddp_drop(stream->node, size > AT_DDP_MOST ? AT_DDP_LENGTH : AT_DDP_ADDRESS, mp);
        return 1;
    }
    if ((mp->b_wptr - mp->b_rptr < AT_LONG_HEADER || mp->b_datap->db_ref > 1) && !pullupmsg(mp, AT_LONG_HEADER)) {
        ddp_drop(stream->node, AT_DDP_NO_ROOM, mp);
        return 1;
    }
    header = mp->b_rptr;
    d.to = (struct at_address){at_get_short(header + 4), header[8], header[10]};
    d.from = (struct at_address){at_get_short(header + 6), header[9], header[11]};
    d.type = header[12];
    d.length = (at_short)size;
    if (d.to.node != AT_ANY_NODE && d.type == stream->type && d.to.socket != 0 && d.to.socket <= AT_LAST_SOCKET)
        fault = at_node_route(&stream->node->at, &d.to, &route);
    if (fault != AT_DDP_GOOD) {
        ddp_drop(stream->node, fault, mp);
        return 1;
    }
    if (!is_free(stream->node, &route))
        return 0;
    forward(stream, &route, &d, mp);
    return 1;
}

int ddp_send(struct ddp_stream *stream, mblk_t *mp)
{
    return mp->b_datap->db_type == M_DATA ? send_whole(stream, mp) : send_request(stream, mp);
}

/* Makes the indication of a datagram whose header was checked: in the block of the header, if it has no other use. */
static mblk_t *indication_of(mblk_t *mp)
{
    const size_t size = sizeof(struct T_unitdata_ind) + AT_NAME_LENGTH;
    dblk_t *block = mp->b_datap;
    struct T_unitdata_ind *ind;
    struct at_address from;
    at_byte type = at_long_sender(mp->b_rptr, &from);
    mblk_t *first = mp;
    mp->b_rptr += AT_LONG_HEADER;
    if (mp->b_rptr < mp->b_wptr || block->db_ref > 1 || (size_t)(block->db_lim - block->db_base) < size ||
        block->db_frtnp != NULL) {
        first = allocb(size, BPRI_MED);
        if (first == NULL)
            return NULL;
        if (mp->b_rptr == mp->b_wptr && mp->b_cont != NULL) {
            first->b_cont = mp->b_cont;
            freeb(mp);
        } else {
            first->b_cont = mp;
        }
    }
    first->b_datap->db_type = M_PROTO;
    first->b_rptr = first->b_datap->db_base;
    first->b_wptr = first->b_rptr + size;
    ind = (struct T_unitdata_ind *)first->b_rptr;
    *ind = (struct T_unitdata_ind){T_UNITDATA_IND, AT_NAME_LENGTH, sizeof *ind, 0, 0};
    at_name_write(first->b_rptr + sizeof *ind, &from, type);
    return first;
}

void ddp_give(struct ddp_stream *stream, mblk_t *mp)
{
    mblk_t *ind = mp;
    if (stream->local.socket != DDP_EVERY_SOCKET) {
        if (stream->local.socket == 0) {
            ddp_drop(stream->node, AT_DDP_NO_SOCKET, mp); /* the socket was closed meanwhile */
            return;
        }
        ind = indication_of(mp);
        if (ind == NULL) {
            ddp_drop(stream->node, AT_DDP_NO_ROOM, mp);
            return;
        }
    }
    putnext(stream->rq, ind);
}

/* A short header becomes a long one, so that all that follows sees one form. */
static mblk_t *lengthen(mblk_t *mp, struct at_datagram *d)
{
    mblk_t *header = allocb(sizeof(struct T_unitdata_ind) + AT_NAME_LENGTH, BPRI_MED);
    if (header == NULL)
        return NULL;
    mp->b_rptr += AT_SHORT_HEADER;
    d->length = (at_short)(d->length + AT_LONG_HEADER - AT_SHORT_HEADER);
    header->b_wptr += AT_LONG_HEADER;
    at_long_write(header->b_rptr, d);
    header->b_cont = mp;
    return header;
}

/* Reads and checks the headers of a frame, and removes that of the link and the padding. */
static enum at_ddp_fault read_headers(struct ddp_link *link, mblk_t *mp, struct at_datagram *d)
{
    size_t total = msgdsize(mp), wanted = total < DDP_HEADERS ? total : DDP_HEADERS;
    enum at_ddp_fault fault = AT_DDP_LINK;
    const at_byte *lap;
    if (wanted < AT_LAP_HEADER)
        return AT_DDP_LINK;
    if ((size_t)(mp->b_wptr - mp->b_rptr) < wanted && !pullupmsg(mp, (ssize_t)wanted))
        return AT_DDP_NO_ROOM;
    lap = mp->b_rptr;
    mp->b_rptr += AT_LAP_HEADER;
    wanted -= AT_LAP_HEADER;
    total -= AT_LAP_HEADER;
    if (lap[2] == AT_LAP_LONG)
        fault = at_long_read(mp->b_rptr, (at_long)wanted, (at_long)total, d);
    else if (lap[2] == AT_LAP_SHORT)
        fault = at_short_read(mp->b_rptr, (at_long)wanted, (at_long)total, link->node->at.port[link->port].net, lap, d);
    if (fault == AT_DDP_GOOD && total > d->length)
        adjmsg(mp, (ssize_t)d->length - (ssize_t)total);
    return fault;
}

void ddp_frame(struct ddp_link *link, mblk_t *mp)
{
    struct ddp_node *node = link->node;
    struct at_datagram d;
    enum at_ddp_fault fault = read_headers(link, mp, &d);
    struct ddp_stream *stream;
    node->counts.received++;
    if (fault == AT_DDP_GOOD && d.checksum != 0 && checksum(mp) != d.checksum)
        fault = AT_DDP_CHECKSUM;
    if (fault == AT_DDP_GOOD && !at_node_accepts(&node->at, link->port, &d.to))
        fault = AT_DDP_ELSEWHERE;
    stream = fault == AT_DDP_GOOD ? receiver(node, &d) : NULL;
    if (stream == NULL) {
        ddp_drop(node, fault == AT_DDP_GOOD ? AT_DDP_NO_SOCKET : fault, mp);
        return;
    }
    if (d.header == AT_SHORT_HEADER) {
        mblk_t *longer = lengthen(mp, &d);
        if (longer == NULL) {
            ddp_drop(node, AT_DDP_NO_ROOM, mp);
            return;
        }
        mp = longer;
    }
    if (stream->rq->q_first == NULL && canputnext(stream->rq))
        ddp_give(stream, mp);
    else if (canput(stream->rq))
        putq(stream->rq, mp);
    else
        ddp_drop(node, AT_DDP_NO_ROOM, mp);
}
