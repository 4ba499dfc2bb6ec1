/* Protocol graphs of ATP over DDP, native to STREAMS or imported (figure 4 of Krupczak, Calvert, Ammar 1996), and a
 * program's way to use them: endpoints of ATP by TPI, on hosts with one link each. */
#ifndef NACRE_MEASURE_GRAPH_H
#define NACRE_MEASURE_GRAPH_H

#include "stacks/appletalk/core/atp.h"
#include "stacks/appletalk/core/ddp.h"
#include "streams/host.h"
#include "streams/tpi.h"

/* A node: a host with a graph, over a device. */
struct graph_node {
    struct str_host *host;
    struct str_device *device;
    struct str_stream *link;    /* below DDP, until it is linked */
    struct str_stream *control; /* the stream of DDP that has the link */
    struct str_stream *lower;   /* Import3: the DDP stream below ATP */
    struct at_address address;
    void *own; /* the graph's */
};

struct graph {
    const char *name;
    /* Installs the protocols, links the device's stream and gives DDP its address. 0 or an errno value. */
    int (*build)(struct graph_node *);
    /* Opens an endpoint of ATP, and one of DDP. */
    int (*open_atp)(struct graph_node *, struct str_stream **);
    int (*open_ddp)(struct graph_node *, struct str_stream **);
    /* Removes what `build` installed; the control stream is closed. */
    void (*take_down)(struct graph_node *);
};

extern const struct graph graph_native, graph_import1, graph_import2, graph_import3, graph_import4;

/* Opens a host with a graph. Frames go to `transmit`. 0 or an errno value. */
int graph_open(struct graph_node *, const struct graph *, const struct str_environment *, struct at_address address,
               const struct str_device_calls *calls, void *context);
void graph_close(struct graph_node *, const struct graph *);

/* Binds an endpoint to a socket (0: any); returns its number, or 0. */
at_byte graph_bind(struct graph_node *, struct str_stream *, at_byte socket, at_byte type);

/* Sends a message that begins with an ATP header. 0 or an errno value. */
int graph_send(struct graph_node *, struct str_stream *, const struct at_address *to, const struct at_atp *header,
               const at_byte user[4], const void *data, size_t count);

/* Takes a message: its sender, header, and data. Returns the message to be freed, or NULL. The data is at `*data`. */
mblk_t *graph_receive(struct graph_node *, struct str_stream *, struct at_address *from, struct at_atp *header,
                      const at_byte **data, size_t *count);

/* An ioctl of one structure (I_STR), with the host's queues served until the answer is there. */
int graph_control(struct graph_node *, struct str_stream *, int command, void *argument, size_t size);

#endif
