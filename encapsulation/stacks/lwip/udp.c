/* UDP endpoints. */
#include "instance.h"

#include <errno.h>
#include <string.h>

#include "lwip/udp.h"

struct port {
    struct endpoint endpoint; /* first */
    struct udp_pcb *pcb;
};

static struct port *of(struct endpoint *endpoint) { return (struct port *)(void *)endpoint; }

static void on_received(void *argument, struct udp_pcb *pcb, struct pbuf *data, const ip_addr_t *from, u16_t port) {
    (void)pcb;
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length;
    address_to(from, port, address, &length);
    mblk_t *message = message_of(data);
    pbuf_free(data);
    if (message)
        endpoint_datagram(argument, address, length, message);
}

static int udp_attach(struct endpoint *endpoint) {
    (void)endpoint;
    return 0;
}

static int udp_unbind(struct endpoint *endpoint) {
    if (of(endpoint)->pcb)
        udp_remove(of(endpoint)->pcb);
    of(endpoint)->pcb = NULL;
    return 0;
}

static void udp_detach(struct endpoint *endpoint) { udp_unbind(endpoint); }

static int udp_bind_end(struct endpoint *endpoint, const void *bytes, size_t length, unsigned backlog) {
    ip_addr_t address;
    u16_t port;
    (void)backlog;
    int error = address_of(bytes, length, &address, &port);
    struct udp_pcb *pcb = error ? NULL : udp_new_ip_type(IPADDR_TYPE_ANY);
    if (!pcb)
        return error ? error : ENOMEM;
    error = error_of(udp_bind(pcb, &address, port));
    if (error) {
        udp_remove(pcb);
        return error;
    }
    udp_recv(pcb, on_received, endpoint);
    of(endpoint)->pcb = pcb;
    return 0;
}

static int udp_local(struct endpoint *endpoint, void *bytes, size_t *length) {
    if (!of(endpoint)->pcb)
        return ENOTCONN;
    address_to(&of(endpoint)->pcb->local_ip, of(endpoint)->pcb->local_port, bytes, length);
    return 0;
}

static int udp_send_to(struct endpoint *endpoint, const void *bytes, size_t length, mblk_t *data) {
    ip_addr_t address;
    u16_t port;
    int error = address_of(bytes, length, &address, &port);
    if (!error && (length == 0 || port == 0 || IP_GET_TYPE(&address) == IPADDR_TYPE_ANY))
        error = EDESTADDRREQ;
    if (!error && msgdsize(data) > UINT16_MAX - UDP_HLEN - IP_HLEN)
        error = EMSGSIZE;
    if (error) {
        freemsg(data);
        return error;
    }
    struct pbuf *packet = pbuf_of(data, PBUF_ROM);
    if (!packet)
        return ENOMEM;
    error = error_of(udp_sendto(of(endpoint)->pcb, packet, &address, port));
    pbuf_free(packet);
    return error;
}

const struct endpoint_calls udp_calls = {
    .service = T_CLTS,
    .data_size = 65507,
    .expedited_size = T_INVALID,
    .size = sizeof(struct port),
    .attach = udp_attach,
    .detach = udp_detach,
    .bind = udp_bind_end,
    .unbind = udp_unbind,
    .local = udp_local,
    .send_to = udp_send_to,
    .link = link_add,
    .unlink = link_remove,
    .done = timers_update,
};
