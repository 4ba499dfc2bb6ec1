/* Description of a test protocol with Ethernet headers. */
#include "xkernel.h"

#include "xkernel/graph.h"

extern void station_init();
extern int tracestationp;

static const struct xk_lower lowers[] = {{"eth", XK_ETHERNET, 0}, {"other", XK_ETHERNET, 0}, {0}};
static const struct xk_protocol protocols[] = {
    {"station", station_init, {"eth"}, &tracestationp}, {"far", station_init, {"other"}, &tracestationp}, {0}};
static const struct xk_device devices[] = {
    {"near", "station", XK_CONNECTIONLESS, 0, {{6, XK_BYTES}}}, {"far", "far", XK_STREAM, 0, {{6, XK_BYTES}}}, {0}};

const struct xk_graph xk_graph = {lowers, protocols, devices, 0};
