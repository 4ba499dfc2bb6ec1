/* The DDP driver: its streams, links and ioctls. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ddp_local.h"

static int ddp_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *credentials);
static int ddp_close(queue_t *q, int flag, cred_t *credentials);
static int ddp_rsrv(queue_t *q);
static int ddp_wput(queue_t *q, mblk_t *mp);
static int ddp_wsrv(queue_t *q);
static int ddp_lrput(queue_t *q, mblk_t *mp);
static int ddp_lwsrv(queue_t *q);

static struct module_info upper = {0x4444, "ddp", 0, INFPSZ, 16384, 4096};
static struct module_info lower = {0x4444, "ddp", 0, AT_DDP_MOST + AT_LAP_HEADER, 16384, 4096};

int ddp_install(struct str_host *host, const char *name, struct ddp_node **installed)
{
    struct ddp_node *node = calloc(1, sizeof *node);
    int error;
    if (node == NULL || strlen(name) >= sizeof node->name) {
        free(node);
        return node == NULL ? ENOMEM : EINVAL;
    }
    at_node_init(&node->at);
    at_sockets_init(&node->sockets);
    for (int port = 0; port < AT_PORTS; port++)
        node->link[port] = (struct ddp_link){node, NULL, 0, port};
    node->host = host;
    memcpy(node->name, name, strlen(name) + 1);
    node->rinit = (struct qinit){NULL, ddp_rsrv, ddp_open, ddp_close, NULL, &upper, NULL};
    node->winit = (struct qinit){ddp_wput, ddp_wsrv, NULL, NULL, NULL, &upper, NULL};
    node->lrinit = (struct qinit){ddp_lrput, NULL, NULL, NULL, NULL, &lower, NULL};
    node->lwinit = (struct qinit){NULL, ddp_lwsrv, NULL, NULL, NULL, &lower, NULL};
    node->streamtab = (struct streamtab){&node->rinit, &node->winit, &node->lrinit, &node->lwinit};
    error = str_install(host, name, &node->streamtab, STR_DEVICE);
    if (error != 0)
        free(node);
    else
        *installed = node;
    return error;
}

int ddp_remove(struct ddp_node *node)
{
    int error = str_uninstall(node->host, node->name);
    if (error == 0)
        free(node);
    return error;
}

static int ddp_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *credentials)
{
    struct ddp_node *node = (struct ddp_node *)((char *)q->q_qinfo - offsetof(struct ddp_node, rinit));
    struct ddp_stream *stream;
    (void)oflag, (void)credentials;
    if (q->q_ptr != NULL)
        return 0;
    if (sflag != CLONEOPEN)
        return EINVAL;
    stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return ENOMEM;
    *device = ++node->minor;
    *stream = (struct ddp_stream){.node = node, .next = node->streams, .rq = q};
    node->streams = stream;
    q->q_ptr = WR(q)->q_ptr = stream;
    qprocson(q);
    return 0;
}

static int ddp_close(queue_t *q, int flag, cred_t *credentials)
{
    struct ddp_stream *stream = q->q_ptr, **link;
    (void)flag, (void)credentials;
    qprocsoff(q);
    ddp_unbind(stream);
    for (link = &stream->node->streams; *link != stream; link = &(*link)->next) {
    }
    *link = stream->next;
    free(stream);
    q->q_ptr = WR(q)->q_ptr = NULL;
    return 0;
}

static int ddp_rsrv(queue_t *q)
{
    mblk_t *mp;
    while ((mp = getq(q)) != NULL) {
        if (!canputnext(q)) {
            putbq(q, mp);
            return 0;
        }
        ddp_give(q->q_ptr, mp);
    }
    return 0;
}

static int ddp_wsrv(queue_t *q)
{
    mblk_t *mp;
    while ((mp = getq(q)) != NULL) {
        if (!ddp_send(q->q_ptr, mp)) {
            putbq(q, mp);
            return 0;
        }
    }
    return 0;
}

static void refuse(queue_t *q, mblk_t *mp, int error)
{
    struct iocblk *ioc = (struct iocblk *)mp->b_rptr;
    mp->b_datap->db_type = M_IOCNAK;
    ioc->ioc_error = error;
    qreply(q, mp);
}

static void accept(queue_t *q, mblk_t *mp, unsigned count)
{
    struct iocblk *ioc = (struct iocblk *)mp->b_rptr;
    mp->b_datap->db_type = M_IOCACK;
    ioc->ioc_count = count;
    ioc->ioc_error = 0;
    ioc->ioc_rval = 0;
    qreply(q, mp);
}

static int link_lower(struct ddp_node *node, const struct linkblk *lower_stream)
{
    for (int port = 0; port < AT_PORTS; port++) {
        struct ddp_link *link = &node->link[port];
        if (link->wq != NULL)
            continue;
        link->wq = lower_stream->l_qbot;
        link->index = lower_stream->l_index;
        link->wq->q_ptr = RD(link->wq)->q_ptr = link;
        return 0;
    }
    return ENOSPC;
}

static struct ddp_link *link_of(struct ddp_node *node, int index)
{
    for (int port = 0; port < AT_PORTS; port++)
        if (node->link[port].wq != NULL && node->link[port].index == index)
            return &node->link[port];
    return NULL;
}

static int unlink_lower(struct ddp_node *node, const struct linkblk *lower_stream)
{
    struct ddp_link *link = link_of(node, lower_stream->l_index);
    if (link == NULL)
        return EINVAL;
    link->wq->q_ptr = RD(link->wq)->q_ptr = NULL;
    link->wq = NULL;
    at_node_set(&node->at, link->port, AT_ANY_NET, AT_ANY_NODE);
    if (node->at.router_port == link->port)
        node->at.router_port = -1;
    return 0;
}

static int set_address(struct ddp_node *node, const struct ddp_address *address)
{
    struct ddp_link *link = link_of(node, address->index);
    if (link == NULL)
        return ENXIO;
    if (address->router == AT_BROADCAST || at_node_set(&node->at, link->port, address->net, address->node) != 0)
        return EINVAL;
    if (address->router != AT_ANY_NODE) {
        node->at.router_port = link->port;
        node->at.router = address->router;
    } else if (node->at.router_port == link->port) {
        node->at.router_port = -1;
    }
    return 0;
}

static void ddp_ioctl(queue_t *q, mblk_t *mp)
{
    struct ddp_node *node = ((struct ddp_stream *)q->q_ptr)->node;
    struct iocblk *ioc = (struct iocblk *)mp->b_rptr;
    mblk_t *data = mp->b_cont;
    size_t count = data == NULL ? 0 : (size_t)(data->b_wptr - data->b_rptr);
    int error = EINVAL;
    if (ioc->ioc_count == TRANSPARENT) {
        refuse(q, mp, EINVAL);
        return;
    }
    switch (ioc->ioc_cmd) {
    case I_LINK:
    case I_PLINK:
        if (count >= sizeof(struct linkblk))
            error = link_lower(node, (const struct linkblk *)data->b_rptr);
        break;
    case I_UNLINK:
    case I_PUNLINK:
        if (count >= sizeof(struct linkblk))
            error = unlink_lower(node, (const struct linkblk *)data->b_rptr);
        break;
    case DDP_SET_ADDRESS:
        if (count == sizeof(struct ddp_address)) {
            struct ddp_address address;
            memcpy(&address, data->b_rptr, sizeof address);
            error = set_address(node, &address);
        }
        break;
    case DDP_SET_CHECKSUM:
        if (count == sizeof node->checksum) {
            memcpy(&node->checksum, data->b_rptr, sizeof node->checksum);
            error = 0;
        }
        break;
    case DDP_GET_COUNTS:
        if (count == sizeof node->counts) {
            memcpy(data->b_rptr, &node->counts, sizeof node->counts);
            accept(q, mp, (unsigned)count);
            return;
        }
        break;
    default:
        break;
    }
    if (error != 0)
        refuse(q, mp, error);
    else
        accept(q, mp, 0);
}

static void flush(queue_t *q, mblk_t *mp)
{
    if (*mp->b_rptr & FLUSHW)
        flushq(q, FLUSHDATA);
    if (*mp->b_rptr & FLUSHR) {
        flushq(RD(q), FLUSHDATA);
        *mp->b_rptr &= (unsigned char)~FLUSHW;
        qreply(q, mp);
    } else {
        freemsg(mp);
    }
}

static int ddp_wput(queue_t *q, mblk_t *mp)
{
    switch (mp->b_datap->db_type) {
    case M_PROTO:
    case M_PCPROTO:
        if ((size_t)(mp->b_wptr - mp->b_rptr) < sizeof(t_scalar_t))
            freemsg(mp);
        else if (((union T_primitives *)mp->b_rptr)->type != T_UNITDATA_REQ)
            ddp_request(q, mp);
        else if (q->q_first != NULL || !ddp_send(q->q_ptr, mp))
            putq(q, mp);
        break;
    case M_DATA:
        if (q->q_first != NULL || !ddp_send(q->q_ptr, mp))
            putq(q, mp);
        break;
    case M_FLUSH:
        flush(q, mp);
        break;
    case M_IOCTL:
        ddp_ioctl(q, mp);
        break;
    default:
        freemsg(mp);
        break;
    }
    return 0;
}

static int ddp_lrput(queue_t *q, mblk_t *mp)
{
    switch (mp->b_datap->db_type) {
    case M_DATA:
        if (q->q_ptr != NULL)
            ddp_frame(q->q_ptr, mp);
        else
            freemsg(mp);
        break;
    case M_FLUSH: /* nothing waits here: the rest goes back down */
        if (*mp->b_rptr & FLUSHW) {
            *mp->b_rptr &= (unsigned char)~FLUSHR;
            qreply(q, mp);
        } else {
            freemsg(mp);
        }
        break;
    default: /* also M_ERROR and M_HANGUP: the link is silent from then on */
        freemsg(mp);
        break;
    }
    return 0;
}

/* A lower stream has room again: whoever waits tries again. */
static int ddp_lwsrv(queue_t *q)
{
    struct ddp_link *link = q->q_ptr;
    if (link == NULL)
        return 0;
    for (struct ddp_stream *stream = link->node->streams; stream != NULL; stream = stream->next)
        if (WR(stream->rq)->q_first != NULL)
            qenable(WR(stream->rq));
    return 0;
}
