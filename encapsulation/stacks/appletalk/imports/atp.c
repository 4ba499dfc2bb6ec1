/* ATP of BSD, above a DDP that is none of BSD: a stream below that takes datagrams with their headers. */
#include <sys/param.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/socket.h>
#include <net/if.h>
#include <net/if_types.h>
#include <net/route.h>

#include "core/ddp.h"
#include "bsd/at.h"
#include "bsd/bsd.h"

static struct domain *const families[] = {&atalkdomain, 0};
static const struct bsd_protocol protocols[] = {{"", SOCK_RDM, ATPROTO_ATP, 0}, {0}};
static const struct bsd_lower lowers[] = {
    {"ddp", BSD_PACKETS, IFT_OTHER, AT_DDP_MOST, 0, ATPROTO_ATP, AT_LONG_HEADER}, {0}};
static const struct bsd_input inputs[] = {{0}};

const struct bsd_description bsd_description = {
    .domains = families,
    .protocols = protocols,
    .lowers = lowers,
    .inputs = inputs,
    .shortest_address = sizeof(struct sockaddr_at),
};

int ddp_output(struct mbuf *m, struct route *ro, int flags)
{
    (void)ro, (void)flags;
    return bsd_send_below("ddp", m);
}
