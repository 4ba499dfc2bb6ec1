/* The ATP module: its streams, time, and what passes through it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "atp_local.h"

#define RETRY_MS 2000
#define RETRIES 8

static int atp_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *credentials);
static int atp_close(queue_t *q, int flag, cred_t *credentials);
static int atp_rput(queue_t *q, mblk_t *mp);
static int atp_rsrv(queue_t *q);
static int atp_wput(queue_t *q, mblk_t *mp);
static int atp_wsrv(queue_t *q);

static struct module_info info = {0x4154, "atp", 0, INFPSZ, 32768, 8192};
static struct qinit rinit = {atp_rput, atp_rsrv, atp_open, atp_close, NULL, &info, NULL};
static struct qinit winit = {atp_wput, atp_wsrv, NULL, NULL, NULL, &info, NULL};
struct streamtab atp_streamtab = {&rinit, &winit, NULL, NULL};

static int atp_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *credentials)
{
    struct atp_endpoint *endpoint;
    at_short first;
    (void)device, (void)oflag, (void)credentials;
    if (q->q_ptr != NULL)
        return 0;
    if (sflag != MODOPEN)
        return EINVAL;
    endpoint = calloc(1, sizeof *endpoint);
    if (endpoint == NULL)
        return ENOMEM;
    endpoint->rq = q;
    str_random(q->q_host, &first, sizeof first);
    at_requests_init(&endpoint->requests, endpoint->request, ATP_REQUESTS, first, RETRY_MS, RETRIES);
    at_transactions_init(&endpoint->transactions, endpoint->transaction, ATP_TRANSACTIONS);
    q->q_ptr = WR(q)->q_ptr = endpoint;
    qprocson(q);
    return 0;
}

static void forget_all(struct atp_endpoint *endpoint)
{
    for (int i = 0; i < ATP_REQUESTS; i++)
        if (endpoint->request[i].used)
            atp_free_request(endpoint, &endpoint->request[i]);
    for (int i = 0; i < ATP_TRANSACTIONS; i++)
        if (endpoint->transaction[i].used)
            atp_free_transaction(endpoint, &endpoint->transaction[i]);
}

static int atp_close(queue_t *q, int flag, cred_t *credentials)
{
    struct atp_endpoint *endpoint = q->q_ptr;
    (void)flag, (void)credentials;
    qprocsoff(q);
    if (endpoint->tick != 0)
        quntimeout(q, endpoint->tick);
    forget_all(endpoint);
    free(endpoint);
    q->q_ptr = WR(q)->q_ptr = NULL;
    return 0;
}

/* No response came: the user gets the header of the request with function AT_ATP_FAILED. */
static void fail(struct atp_endpoint *endpoint, struct at_request *request)
{
    struct at_atp header = {AT_ATP_FAILED, request->bitmap, request->reference};
    struct at_address peer = request->peer;
    mblk_t *mp = request->packet;
    mblk_t *rest = unlinkb(mp);
    if (rest != NULL)
        freemsg(rest);
    at_atp_write(mp->b_rptr, &header);
    mp->b_wptr = mp->b_rptr + AT_ATP_HEADER;
    request->packet = NULL;
    endpoint->counts.expired++;
    atp_free_request(endpoint, request);
    atp_give(endpoint, &peer, mp, NULL);
}

static void tick(void *argument)
{
    struct atp_endpoint *endpoint = argument;
    struct at_request *request;
    struct at_transaction *transaction;
    struct at_atp header;
    at_short cursor = 0;
    int again;
    endpoint->tick = 0;
    endpoint->now += ATP_TICK_MS;
    while ((request = at_request_due(&endpoint->requests, endpoint->now, &cursor, &again)) != NULL) {
        if (!again) {
            fail(endpoint, request);
            continue;
        }
        endpoint->counts.resent++;
        at_request_header(request, &header);
        atp_transmit(endpoint, &request->peer, &header, request->packet, NULL);
    }
    cursor = 0;
    while ((transaction = at_transaction_due(&endpoint->transactions, endpoint->now, &cursor)) != NULL) {
        endpoint->counts.forgotten++;
        atp_free_transaction(endpoint, transaction);
    }
    if (endpoint->requests.used != 0 || endpoint->transactions.used != 0)
        atp_start_ticks(endpoint);
}

void atp_start_ticks(struct atp_endpoint *endpoint)
{
    if (endpoint->tick == 0)
        endpoint->tick = qtimeout(endpoint->rq, tick, endpoint, drv_usectohz(ATP_TICK_MS * 1000));
}

static void answer_ioctl(queue_t *q, mblk_t *mp)
{
    struct atp_endpoint *endpoint = q->q_ptr;
    const struct iocblk *ioc = (const struct iocblk *)mp->b_rptr;
    mblk_t *data = mp->b_cont;
    size_t count = data == NULL ? 0 : (size_t)(data->b_wptr - data->b_rptr);
    if (ioc->ioc_cmd == ATP_GET_COUNTS && count == sizeof endpoint->counts) {
        memcpy(data->b_rptr, &endpoint->counts, count);
        miocack(q, mp, (int)count, 0);
    } else if (ioc->ioc_cmd == ATP_SET_RETRY && count == sizeof(struct atp_retry)) {
        struct atp_retry retry;
        memcpy(&retry, data->b_rptr, sizeof retry);
        if (endpoint->requests.used != 0 || retry.retry_ms == 0 || retry.tries > AT_TRIES_FOREVER) {
            miocnak(q, mp, 0, endpoint->requests.used != 0 ? EBUSY : EINVAL);
            return;
        }
        endpoint->requests.retry_ms = retry.retry_ms;
        endpoint->requests.tries = (at_short)retry.tries;
        miocack(q, mp, 0, 0);
    } else {
        putnext(q, mp);
    }
}

/* Bind: datagrams of a DDP stream have its type. */
static void set_type(mblk_t *mp)
{
    struct tpi_range name = tpi_address(mp);
    if (name.length >= AT_NAME_LENGTH && mp->b_datap->db_ref == 1)
        mp->b_rptr[name.bytes - mp->b_rptr + 3] = AT_TYPE_ATP;
}

static void request(queue_t *q, mblk_t *mp)
{
    struct atp_endpoint *endpoint = q->q_ptr;
    switch (tpi_type(mp)) {
    case T_UNITDATA_REQ:
        if (q->q_first != NULL || !canputnext(q))
            putq(q, mp);
        else
            atp_send(endpoint, mp);
        return;
    case T_BIND_REQ:
        set_type(mp);
        break;
    case T_UNBIND_REQ:
        forget_all(endpoint);
        break;
    default:
        break;
    }
    putnext(q, mp);
}

static int atp_wput(queue_t *q, mblk_t *mp)
{
    switch (mp->b_datap->db_type) {
    case M_PROTO:
    case M_PCPROTO:
        request(q, mp);
        break;
    case M_IOCTL:
        answer_ioctl(q, mp);
        break;
    case M_FLUSH:
        if (*mp->b_rptr & FLUSHW)
            flushq(q, FLUSHDATA);
        putnext(q, mp);
        break;
    case M_DATA: /* a transaction has an address */
        atp_drop(q->q_ptr, AT_ATP_MALFORMED, mp);
        break;
    default:
        putnext(q, mp);
        break;
    }
    return 0;
}

static int atp_wsrv(queue_t *q)
{
    mblk_t *mp;
    while ((mp = getq(q)) != NULL) {
        if (!canputnext(q)) {
            putbq(q, mp);
            return 0;
        }
        atp_send(q->q_ptr, mp);
    }
    return 0;
}

static void indication(queue_t *q, mblk_t *mp)
{
    struct atp_endpoint *endpoint = q->q_ptr;
    struct at_address address;
    struct tpi_range name;
    at_byte type;
    switch (tpi_type(mp)) {
    case T_UNITDATA_IND:
        atp_receive(endpoint, mp);
        return;
    case T_BIND_ACK:
        name = tpi_address(mp);
        if (at_name_read(name.bytes, (at_long)name.length, &address, &type) == 0)
            endpoint->socket = address.socket;
        break;
    case T_INFO_ACK:
        if (mp->b_datap->db_ref == 1)
            ((struct T_info_ack *)mp->b_rptr)->TSDU_size = AT_ATP_HEADER + AT_ATP_DATA;
        break;
    default:
        break;
    }
    putnext(q, mp);
}

static int atp_rput(queue_t *q, mblk_t *mp)
{
    switch (mp->b_datap->db_type) {
    case M_PROTO:
    case M_PCPROTO:
        indication(q, mp);
        break;
    case M_FLUSH:
        if (*mp->b_rptr & FLUSHR)
            flushq(q, FLUSHDATA);
        putnext(q, mp);
        break;
    case M_DATA:
        atp_drop(q->q_ptr, AT_ATP_MALFORMED, mp);
        break;
    default:
        putnext(q, mp);
        break;
    }
    return 0;
}

static int atp_rsrv(queue_t *q)
{
    mblk_t *mp;
    while ((mp = getq(q)) != NULL) {
        if (!canputnext(q)) {
            putbq(q, mp);
            return 0;
        }
        putnext(q, mp);
    }
    return 0;
}
