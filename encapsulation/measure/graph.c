/* Hosts with a graph, and the use of their endpoints. */
#include <errno.h>
#include <string.h>

#include "graph.h"

int graph_open(struct graph_node *node, const struct graph *graph, const struct str_environment *environment,
               struct at_address address, const struct str_device_calls *calls, void *context)
{
    int error;
    *node = (struct graph_node){.address = address};
    node->host = str_host_open(environment);
    if (node->host == NULL)
        return ENOMEM;
    error = str_device_create(node->host, "frames", calls, context, &node->device);
    if (error == 0)
        error = str_open(node->host, "frames", &node->link);
    if (error == 0)
        error = graph->build(node);
    if (error == 0)
        str_close(node->link); /* it is closed when it is unlinked */
    return error;
}

void graph_close(struct graph_node *node, const struct graph *graph)
{
    if (node->lower != NULL)
        str_close(node->lower);
    if (node->control != NULL)
        str_close(node->control);
    graph->take_down(node);
    str_device_destroy(node->device);
    str_host_close(node->host);
}

at_byte graph_bind(struct graph_node *node, struct str_stream *stream, at_byte socket, at_byte type)
{
    const struct at_address address = {AT_ANY_NET, AT_ANY_NODE, socket};
    struct at_address bound;
    at_byte name[AT_NAME_LENGTH], found = 0;
    mblk_t *mp;
    str_enter(node->host);
    at_name_write(name, &address, type);
    mp = tpi_bind_req(name, sizeof name, 0);
    if (mp == NULL || str_send(stream, mp) != 0)
        return 0;
    str_run(node->host);
    if (str_receive(stream, &mp) != 0)
        return 0;
    if (tpi_type(mp) == T_BIND_ACK) {
        struct tpi_range range = tpi_address(mp);
        if (at_name_read(range.bytes, (at_long)range.length, &bound, &type) == 0)
            found = bound.socket;
    }
    freemsg(mp);
    return found;
}

int graph_send(struct graph_node *node, struct str_stream *stream, const struct at_address *to,
               const struct at_atp *header, const at_byte user[4], const void *data, size_t count)
{
    at_byte name[AT_NAME_LENGTH];
    mblk_t *mp;
    int error;
    str_enter(node->host);
    mp = allocb(AT_ATP_HEADER + count, BPRI_MED);
    if (mp == NULL)
        return ENOMEM;
    at_name_write(name, to, AT_TYPE_ATP);
    at_atp_write(mp->b_wptr, header);
    memcpy(mp->b_wptr + 4, user, 4);
    if (count > 0)
        memcpy(mp->b_wptr + AT_ATP_HEADER, data, count);
    mp->b_wptr += AT_ATP_HEADER + count;
    mp = tpi_unitdata_req(name, sizeof name, mp);
    if (mp == NULL)
        return ENOMEM;
    error = str_send(stream, mp);
    if (error != 0)
        freemsg(mp);
    return error;
}

mblk_t *graph_receive(struct graph_node *node, struct str_stream *stream, struct at_address *from,
                      struct at_atp *header, const at_byte **data, size_t *count)
{
    mblk_t *mp;
    str_enter(node->host);
    while (str_receive(stream, &mp) == 0) {
        struct tpi_range name;
        at_byte type;
        if (tpi_type(mp) == T_UNITDATA_IND && mp->b_cont != NULL && pullupmsg(mp->b_cont, -1)) {
            mblk_t *body = mp->b_cont;
            name = tpi_address(mp);
            *count = (size_t)(body->b_wptr - body->b_rptr);
            *data = body->b_rptr;
            if (at_name_read(name.bytes, (at_long)name.length, from, &type) == 0 &&
                at_atp_read(body->b_rptr, (at_long)*count, header) == 0)
                return mp;
        }
        freemsg(mp);
    }
    return NULL;
}

int graph_control(struct graph_node *node, struct str_stream *stream, int command, void *argument, size_t size)
{
    struct strioctl request = {command, INFTIM, (int)size, argument};
    int error, tries = 10;
    do {
        error = str_ioctl(stream, I_STR, &request, NULL);
        str_run(node->host);
    } while (error == EAGAIN && tries-- > 0);
    return error;
}
