/* TCP endpoints: TPI's calls with lwIP's connections. */
#include "instance.h"

#include <errno.h>
#include <string.h>

#include "lwip/tcp.h"

struct connection {
    struct endpoint endpoint; /* first */
    struct tcp_pcb *pcb;      /* NULL: lwIP has none any more */
    const unsigned char *written; /* the end of what was last given to lwIP, and of which data */
    dblk_t *written_of;
};

/* A connection that a listener was told of and that nobody has accepted yet. Its data waits. */
struct incoming {
    struct endpoint *listener;
    struct tcp_pcb *pcb;
    struct pbuf *data;
    bool finished;
};

static struct connection *of(struct endpoint *endpoint) { return (struct connection *)(void *)endpoint; }

static int tcp_attach_end(struct endpoint *endpoint) {
    (void)endpoint;
    return 0;
}

static err_t on_connected(void *argument, struct tcp_pcb *pcb, err_t error) {
    (void)pcb, (void)error;
    endpoint_connected(argument);
    return ERR_OK;
}

/* What the peer sent, without copying; lwIP opens the window when it has gone up. */
static void deliver(struct endpoint *endpoint, struct pbuf *data) {
    mblk_t *message = message_of(data);
    pbuf_free(data);
    if (message)
        endpoint_data(endpoint, message, false, false);
}

static err_t on_received(void *argument, struct tcp_pcb *pcb, struct pbuf *data, err_t error) {
    (void)pcb, (void)error;
    struct endpoint *endpoint = argument;
    if (!data) {
        endpoint_finished(endpoint);
        return ERR_OK;
    }
    /* Without memory lwIP keeps it, and asks again. */
    mblk_t *message = message_of(data);
    if (!message)
        return ERR_MEM;
    pbuf_free(data);
    endpoint_data(endpoint, message, false, false);
    return ERR_OK;
}

static err_t on_sent(void *argument, struct tcp_pcb *pcb, u16_t length) {
    (void)pcb, (void)length;
    endpoint_writable(argument);
    return ERR_OK;
}

static err_t on_poll(void *argument, struct tcp_pcb *pcb) {
    (void)pcb;
    endpoint_writable(argument);
    return ERR_OK;
}

static void on_error(void *argument, err_t error) {
    struct endpoint *endpoint = argument;
    of(endpoint)->pcb = NULL; /* lwIP has freed it */
    endpoint_disconnected(endpoint, error == ERR_ABRT ? ETIMEDOUT : error_of(error));
}

static void adopt(struct endpoint *endpoint, struct tcp_pcb *pcb) {
    of(endpoint)->pcb = pcb;
    tcp_arg(pcb, endpoint);
    tcp_recv(pcb, on_received);
    tcp_sent(pcb, on_sent);
    tcp_poll(pcb, on_poll, 2);
    tcp_err(pcb, on_error);
}

/* lwIP goes on alone, to deliver what was sent, or ends at once. */
static void abandon(struct endpoint *endpoint, bool at_once) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    if (!pcb)
        return;
    of(endpoint)->pcb = NULL;
    tcp_arg(pcb, NULL);
    if (pcb->state != LISTEN) {
        tcp_recv(pcb, NULL);
        tcp_sent(pcb, NULL);
        tcp_poll(pcb, NULL, 0);
        tcp_err(pcb, NULL);
    }
    if (pcb->state == LISTEN)
        tcp_close(pcb);
    else if (at_once || tcp_close(pcb) != ERR_OK)
        tcp_abort(pcb);
}

static void tcp_detach(struct endpoint *endpoint) { abandon(endpoint, false); }

static err_t early_data(void *argument, struct tcp_pcb *pcb, struct pbuf *data, err_t error) {
    (void)pcb, (void)error;
    struct incoming *incoming = argument;
    if (!data)
        incoming->finished = true;
    else if (incoming->data)
        pbuf_cat(incoming->data, data);
    else
        incoming->data = data;
    return ERR_OK;
}

static void discard(struct incoming *incoming) {
    if (incoming->data)
        pbuf_free(incoming->data);
    capsule_free(incoming);
}

static void early_error(void *argument, err_t error) {
    struct incoming *incoming = argument;
    endpoint_withdrawn(incoming->listener, incoming, error_of(error));
    discard(incoming);
}

static err_t on_accept(void *argument, struct tcp_pcb *pcb, err_t error) {
    struct endpoint *listener = argument;
    if (error != ERR_OK || !pcb || !listener)
        return ERR_VAL;
    struct incoming *incoming = capsule_calloc(1, sizeof *incoming);
    if (!incoming)
        return ERR_MEM;
    *incoming = (struct incoming){.listener = listener, .pcb = pcb};
    tcp_arg(pcb, incoming);
    tcp_recv(pcb, early_data);
    tcp_err(pcb, early_error);
    tcp_backlog_delayed(pcb);
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length;
    address_to(&pcb->remote_ip, pcb->remote_port, address, &length);
    if (endpoint_incoming(listener, incoming, address, length)) {
        tcp_err(pcb, NULL);
        capsule_free(incoming);
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    return ERR_OK;
}

static int tcp_bind_end(struct endpoint *endpoint, const void *bytes, size_t length, unsigned backlog) {
    ip_addr_t address;
    u16_t port;
    int error = address_of(bytes, length, &address, &port);
    if (error)
        return error;
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    if (!pcb)
        return ENOMEM;
    error = error_of(tcp_bind(pcb, &address, port));
    if (error) {
        tcp_abort(pcb);
        return error;
    }
    if (backlog == 0) {
        adopt(endpoint, pcb);
        return 0;
    }
    struct tcp_pcb *listening = tcp_listen_with_backlog(pcb, (u8_t)(backlog > 255 ? 255 : backlog));
    if (!listening) {
        tcp_abort(pcb);
        return ENOMEM;
    }
    of(endpoint)->pcb = listening;
    tcp_arg(listening, endpoint);
    tcp_accept(listening, on_accept);
    return 0;
}

static int tcp_unbind(struct endpoint *endpoint) {
    abandon(endpoint, true);
    return 0;
}

static int tcp_local(struct endpoint *endpoint, void *bytes, size_t *length) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    if (!pcb)
        return ENOTCONN;
    address_to(&pcb->local_ip, pcb->local_port, bytes, length);
    return 0;
}

static int tcp_remote(struct endpoint *endpoint, void *bytes, size_t *length) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    if (!pcb || pcb->state == LISTEN)
        return ENOTCONN;
    address_to(&pcb->remote_ip, pcb->remote_port, bytes, length);
    return 0;
}

/* An endpoint that was connected before gets a new connection. */
static int renew(struct endpoint *endpoint) {
    if (of(endpoint)->pcb)
        return 0;
    struct tcp_pcb *pcb = tcp_new_ip_type(IPADDR_TYPE_ANY);
    if (!pcb)
        return ENOMEM;
    adopt(endpoint, pcb);
    return 0;
}

static int tcp_connect_end(struct endpoint *endpoint, const void *bytes, size_t length) {
    ip_addr_t address;
    u16_t port;
    int error = address_of(bytes, length, &address, &port);
    if (!error && (length == 0 || port == 0 || IP_GET_TYPE(&address) == IPADDR_TYPE_ANY))
        error = EADDRNOTAVAIL;
    if (!error)
        error = renew(endpoint);
    return error ? error : error_of(tcp_connect(of(endpoint)->pcb, &address, port, on_connected));
}

static int tcp_accept_end(struct endpoint *listener, void *argument, struct endpoint *acceptor) {
    struct incoming *incoming = argument;
    (void)listener;
    if (acceptor == listener)
        return EOPNOTSUPP;
    abandon(acceptor, true);
    adopt(acceptor, incoming->pcb);
    tcp_backlog_accepted(incoming->pcb);
    acceptor->state = TS_DATA_XFER;
    if (incoming->data)
        deliver(acceptor, incoming->data);
    incoming->data = NULL;
    if (incoming->finished)
        endpoint_finished(acceptor);
    discard(incoming);
    return 0;
}

static void tcp_refuse(struct endpoint *listener, void *argument) {
    struct incoming *incoming = argument;
    (void)listener;
    tcp_err(incoming->pcb, NULL);
    tcp_abort(incoming->pcb);
    discard(incoming);
}

/* Gives lwIP a part of a block, which it sends from where it is. */
static err_t write_part(struct connection *connection, mblk_t *block, u16_t length, u8_t flags) {
    /* lwIP extends a pbuf by data that follows in memory; data of another block has another holder. */
    if (block->b_rptr == connection->written && block->b_datap != connection->written_of)
        flags |= TCP_WRITE_FLAG_COPY;
    pbuf_lend(block);
    err_t error = tcp_write(connection->pcb, block->b_rptr, length, flags);
    pbuf_lend(NULL);
    if (error == ERR_OK) {
        block->b_rptr += length;
        connection->written = block->b_rptr;
        connection->written_of = block->b_datap;
    }
    return error;
}

static int tcp_send(struct endpoint *endpoint, mblk_t **message, bool expedited, bool more) {
    struct connection *connection = of(endpoint);
    (void)expedited;
    if (!connection->pcb)
        return ENOTCONN;
    err_t error = ERR_OK;
    while (*message && error == ERR_OK) {
        size_t left = (size_t)((*message)->b_wptr - (*message)->b_rptr), room = tcp_sndbuf(connection->pcb);
        size_t length = left < room ? left : room;
        length = length < UINT16_MAX ? length : UINT16_MAX;
        if (length > 0)
            error = write_part(connection, *message, (u16_t)length,
                               more || (*message)->b_cont ? TCP_WRITE_FLAG_MORE : 0);
        else if (left > 0)
            error = ERR_MEM;
        if (error == ERR_OK && length == left) {
            mblk_t *rest = unlinkb(*message);
            freeb(*message);
            *message = rest;
        }
    }
    tcp_output(connection->pcb);
    return error == ERR_MEM ? EAGAIN : error_of(error);
}

static int tcp_finish(struct endpoint *endpoint) {
    struct connection *connection = of(endpoint);
    if (!connection->pcb)
        return ENOTCONN;
    err_t error = tcp_shutdown(connection->pcb, 0, 1);
    return error == ERR_MEM ? EAGAIN : error_of(error);
}

static int tcp_disconnect(struct endpoint *endpoint) {
    abandon(endpoint, true);
    return 0;
}

static void tcp_taken(struct endpoint *endpoint, size_t bytes) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    for (; pcb && bytes > 0; bytes -= LWIP_MIN(bytes, UINT16_MAX))
        tcp_recved(pcb, (u16_t)LWIP_MIN(bytes, UINT16_MAX));
}

#define OPTION_LEVEL 6 /* IPPROTO_TCP */
#define OPTION_NODELAY 1

static int tcp_set_option(struct endpoint *endpoint, int level, int name, const void *value, size_t length) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    int number;
    if (level != OPTION_LEVEL || name != OPTION_NODELAY || length != sizeof number)
        return EOPNOTSUPP;
    if (!pcb || pcb->state == LISTEN)
        return ENOTCONN;
    memcpy(&number, value, sizeof number);
    if (number)
        tcp_nagle_disable(pcb);
    else
        tcp_nagle_enable(pcb);
    return 0;
}

static int tcp_option(struct endpoint *endpoint, int level, int name, void *value, size_t *length) {
    struct tcp_pcb *pcb = of(endpoint)->pcb;
    if (level != OPTION_LEVEL || name != OPTION_NODELAY)
        return EOPNOTSUPP;
    if (!pcb || pcb->state == LISTEN)
        return ENOTCONN;
    int number = tcp_nagle_disabled(pcb) ? 1 : 0;
    memcpy(value, &number, *length = sizeof number);
    return 0;
}

const struct endpoint_calls tcp_calls = {
    .service = T_COTS_ORD,
    .data_size = 0,
    .expedited_size = T_INVALID,
    .size = sizeof(struct connection),
    .attach = tcp_attach_end,
    .detach = tcp_detach,
    .bind = tcp_bind_end,
    .unbind = tcp_unbind,
    .local = tcp_local,
    .remote = tcp_remote,
    .connect = tcp_connect_end,
    .accept = tcp_accept_end,
    .refuse = tcp_refuse,
    .send = tcp_send,
    .finish = tcp_finish,
    .disconnect = tcp_disconnect,
    .taken = tcp_taken,
    .set_option = tcp_set_option,
    .option = tcp_option,
    .link = link_add,
    .unlink = link_remove,
    .done = timers_update,
};
