/* ATP and DDP of BSD in one capsule. */
#include <sys/param.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/socket.h>
#include <net/if.h>
#include <net/if_types.h>
#include <net/netisr.h>

#include "core/ddp.h"
#include "bsd/at.h"
#include "bsd/bsd.h"

extern struct ifqueue ddpintrq;
extern void ddpintr();

static struct domain *const families[] = {&atalkdomain, 0};
static const struct bsd_protocol protocols[] = {
    {"ddp", SOCK_DGRAM, 0, 0}, {"atp", SOCK_RDM, ATPROTO_ATP, 0}, {0}};
static const struct bsd_lower lowers[] = {
    {"at", BSD_FRAMES, IFT_LOCALTALK, AT_DDP_MOST, IFF_BROADCAST, 0, 0}, {0}};
static const struct bsd_input inputs[] = {{BSD_ANY, &ddpintrq, NETISR_ATALK, ddpintr}, {0}};

const struct bsd_description bsd_description = {
    .domains = families,
    .protocols = protocols,
    .lowers = lowers,
    .inputs = inputs,
    .shortest_address = sizeof(struct sockaddr_at),
};
