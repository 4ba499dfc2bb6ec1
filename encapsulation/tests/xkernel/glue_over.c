/* Description of the test protocols over a transport provider, whose addresses have 16 bytes. */
#include "protocols.h"

#include "xkernel/graph.h"

static const struct xk_lower lowers[] = {{"under", XK_DATAGRAMS, 500}, {0}};
static const struct xk_protocol protocols[] = {
    {"dgram", dgram_init, {"under"}, &tracedgramp}, {"rr", rr_init, {"dgram"}, &tracerrp}, {0}};
static const struct xk_device devices[] = {
    {"dgram", "dgram", XK_CONNECTIONLESS, 0, {{16, XK_BYTES}, {2, XK_LONG}}},
    {"rr", "rr", XK_MESSAGES, 0, {{16, XK_BYTES}, {2, XK_LONG}}},
    {0}};

const struct xk_graph xk_graph = {lowers, protocols, devices, 0};
