/* Description of the test protocols. */
#include <sys/param.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/socket.h>
#include <net/if.h>
#include <net/netisr.h>
#include <netinet/in_systm.h>

#include "bsd/bsd.h"
#include "tp.h"

extern int tpintr();

static struct domain *const families[] = {&tpdomain, 0};
static const struct bsd_protocol protocols[] = {{"tdp", SOCK_DGRAM, 0, 0}, {"tsp", SOCK_STREAM, 0, 1}, {0}};
static const struct bsd_lower lowers[] = {{"tl", BSD_FRAMES, 0, 1500, 0, 0, 0}, {0}};
static const struct bsd_input inputs[] = {{BSD_ANY, &tpintrq, NETISR_USER, (void (*)())tpintr}, {0}};

const struct bsd_description bsd_description = {
    .domains = families,
    .protocols = protocols,
    .lowers = lowers,
    .inputs = inputs,
    .shortest_address = sizeof(struct sockaddr_tp),
};
