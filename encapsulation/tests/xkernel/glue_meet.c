/* Description of a protocol that waits. */
#include "xkernel.h"

#include "xkernel/graph.h"

extern void meet_init();

static const struct xk_lower lowers[] = {{"wire", XK_FRAMES, 0}, {0}};
static const struct xk_protocol protocols[] = {{"meet", meet_init, {"wire"}, 0}, {0}};
static const struct xk_device devices[] = {{"meet", "meet", XK_MESSAGES, 0, {{2, XK_LONG}}}, {0}};

const struct xk_graph xk_graph = {lowers, protocols, devices, 0};
