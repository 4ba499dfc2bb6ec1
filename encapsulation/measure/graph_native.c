/* The native graph: ATP, a module, over DDP, a driver. */
#include "graph.h"
#include "stacks/appletalk/streams/appletalk.h"

static int build(struct graph_node *node)
{
    struct ddp_address address = {0, node->address.net, node->address.node, AT_ANY_NODE};
    struct ddp_node *ddp;
    int error = ddp_install(node->host, "ddp", &ddp);
    if (error != 0)
        return error;
    node->own = ddp;
    error = str_install(node->host, "atp", &atp_streamtab, STR_MODULE);
    if (error == 0)
        error = str_open(node->host, "ddp", &node->control);
    if (error == 0)
        error = str_link(node->control, node->link, 0, &address.index);
    if (error == 0)
        error = graph_control(node, node->control, DDP_SET_ADDRESS, &address, sizeof address);
    return error;
}

static int open_ddp(struct graph_node *node, struct str_stream **stream)
{
    return str_open(node->host, "ddp", stream);
}

static int open_atp(struct graph_node *node, struct str_stream **stream)
{
    int error = str_open(node->host, "ddp", stream);
    if (error != 0)
        return error;
    error = str_push(*stream, "atp");
    if (error != 0)
        str_close(*stream);
    return error;
}

static void take_down(struct graph_node *node)
{
    str_uninstall(node->host, "atp");
    ddp_remove(node->own);
}

const struct graph graph_native = {"Native", build, open_atp, open_ddp, take_down};
