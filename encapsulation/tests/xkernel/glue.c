/* Description of the test protocols: three protocols above frames. */
#include "protocols.h"

#include "xkernel/graph.h"

static const struct xk_lower lowers[] = {{"wire", XK_FRAMES, 1500}, {0}};
static const struct xk_protocol protocols[] = {
    {"frag", frag_init, {"wire"}, &tracefragp},
    {"dgram", dgram_init, {"frag"}, &tracedgramp},
    {"rr", rr_init, {"dgram"}, &tracerrp},
    {0}};
static const struct xk_device devices[] = {
    {"dgram", "dgram", XK_CONNECTIONLESS, 0, {{4, XK_BYTES}, {2, XK_LONG}}},
    {"rr", "rr", XK_MESSAGES, 0, {{4, XK_BYTES}, {2, XK_LONG}}},
    {"frag", "frag", XK_CONNECTIONLESS, 9, {{4, XK_BYTES}}},
    {0}};
static const struct xk_number numbers[] = {{"dgram", "frag", 1}, {0}};

const struct xk_graph xk_graph = {lowers, protocols, devices, numbers};
