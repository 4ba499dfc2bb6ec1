/* Addresses, routes and sockets of a node. */
#include "ddp.h"

void at_node_init(struct at_node *node)
{
    int i;

    for (i = 0; i < AT_PORTS; i++) {
        node->port[i].net = AT_ANY_NET;
        node->port[i].node = AT_ANY_NODE;
    }
    node->router_port = -1;
    node->router = AT_ANY_NODE;
}

int at_node_set(struct at_node *node, int port, at_short net, at_byte number)
{
    if (port < 0 || port >= AT_PORTS || number == AT_BROADCAST)
        return -1;
    node->port[port].net = net;
    node->port[port].node = number;
    return 0;
}

static void out(struct at_route *route, int port, at_byte next)
{
    route->port = port;
    route->next = next;
    route->own = port;
}

enum at_ddp_fault at_node_route(const struct at_node *node, const struct at_address *to, struct at_route *route)
{
    int i;

    route->local = 0;
    route->port = -1;
    route->next = AT_ANY_NODE;
    for (i = 0; i < AT_PORTS; i++) {
        const struct at_port *port = &node->port[i];
        if (port->node == AT_ANY_NODE || (to->net != AT_ANY_NET && to->net != port->net))
            continue;
        route->own = i;
        route->local = to->node == port->node || to->node == AT_BROADCAST;
        if (to->node != port->node)
            out(route, i, to->node);
        return AT_DDP_GOOD;
    }
    if (node->router_port < 0 || node->port[node->router_port].node == AT_ANY_NODE)
        return AT_DDP_UNREACHABLE;
    out(route, node->router_port, node->router);
    return AT_DDP_GOOD;
}

int at_node_accepts(const struct at_node *node, int port, const struct at_address *to)
{
    int i;

    if (port < 0 || port >= AT_PORTS || node->port[port].node == AT_ANY_NODE)
        return 0;
    if (to->node == AT_BROADCAST)
        return to->net == AT_ANY_NET || to->net == node->port[port].net;
    for (i = 0; i < AT_PORTS; i++) /* also the address of another interface */
        if (node->port[i].node == to->node && node->port[i].node != AT_ANY_NODE &&
            (to->net == node->port[i].net || (to->net == AT_ANY_NET && i == port)))
            return 1;
    return 0;
}

void at_sockets_init(struct at_sockets *sockets)
{
    int i;

    for (i = 0; i < 256; i++)
        sockets->owner[i] = 0;
    sockets->next = AT_FIRST_DYNAMIC;
}

static at_byte successor(at_byte socket)
{
    return socket == AT_LAST_SOCKET ? AT_FIRST_DYNAMIC : (at_byte)(socket + 1);
}

at_byte at_socket_bind(struct at_sockets *sockets, at_byte wanted, void *owner)
{
    at_byte tried = sockets->next;

    if (wanted == 0) {
        do {
            if (sockets->owner[tried] == 0)
                wanted = tried;
            tried = successor(tried);
        } while (wanted == 0 && tried != sockets->next);
        sockets->next = tried;
    }
    if (wanted < AT_FIRST_SOCKET || wanted > AT_LAST_SOCKET || sockets->owner[wanted] != 0)
        return 0;
    sockets->owner[wanted] = owner;
    return wanted;
}

void at_socket_unbind(struct at_sockets *sockets, at_byte socket)
{
    sockets->owner[socket] = 0;
}
