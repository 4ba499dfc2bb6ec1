/* Domains and the protocol switch. They are initialized when the first socket is made or the first packet comes:
 * until then the graph of streams may be built. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include "bsd/lower.h"

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/kernel.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/route.h>

struct domain *domains;

#define MS 1000000U
#define SLOW_MS 500U
#define FAST_MS 200U

struct period {
    uint64_t length, next; /* in ns */
    timeout_id_t timer;
    bool is_slow;
};

static struct period fast, slow = {.is_slow = true};
static bool started;

/* Calls a routine of every protocol that has it. */
#define EACH_PROTOCOL(pr) \
    for (struct domain *dp = domains; dp; dp = dp->dom_next) \
        for (struct protosw *pr = dp->dom_protosw; pr < dp->dom_protoswNPROTOSW; pr++)

static void tell_time(void *argument) {
    struct period *period = argument;
    bsd_clock();
    EACH_PROTOCOL(pr) {
        void (*routine)() = period->is_slow ? pr->pr_slowtimo : pr->pr_fasttimo;
        if (routine)
            (*routine)();
    }
}

static void arm(struct period *period);

static void due(void *argument) {
    struct period *period = argument;
    period->timer = 0;
    capsule_run(tell_time, period);
    bsd_settle();
    if (!capsule_failed())
        arm(period);
}

static void arm(struct period *period) {
    uint64_t now = capsule_now();
    period->next += period->length;
    if (period->next <= now) /* the host was late: periods that were missed are not made up for */
        period->next = now + period->length;
    period->timer = str_timeout(capsule_host(), due, period, period->next);
}

static bool has(bool is_slow) {
    EACH_PROTOCOL(pr) if (is_slow ? (void *)pr->pr_slowtimo : (void *)pr->pr_fasttimo) return true;
    return false;
}

static void begin(struct period *period, unsigned ms) {
    if (!has(period->is_slow))
        return;
    period->length = (uint64_t)ms * MS;
    period->next = capsule_now();
    arm(period);
}

static bool is_attached(const struct domain *domain) {
    const struct domain *dp = domains;
    while (dp && dp != domain)
        dp = dp->dom_next;
    return dp != NULL;
}

/* Domains that are there already belong to a loadable driver, which has initialized them. */
void domaininit(void) {
    struct domain *const before = domains;
    for (struct domain *const *each = bsd_description.domains; *each; each++)
        if (!is_attached(*each)) {
            (*each)->dom_next = domains;
            domains = *each;
        }
    for (struct domain *dp = domains; dp != before; dp = dp->dom_next) {
        if (dp->dom_init)
            (*dp->dom_init)();
        for (struct protosw *pr = dp->dom_protosw; pr < dp->dom_protoswNPROTOSW; pr++)
            if (pr->pr_init)
                (*pr->pr_init)();
    }
    bsd_mbufs_begin();
    begin(&fast, bsd_description.fast_ms ? (unsigned)bsd_description.fast_ms : FAST_MS);
    begin(&slow, SLOW_MS);
}

void bsd_start(void) {
    if (started)
        return;
    started = true;
    bsd_clock();
    route_init();
    bsd_loopback_attach();
    if (bsd_description.prepare)
        bsd_description.prepare();
    domaininit();
}

void bsd_timeouts_end(void) {
    if (fast.timer)
        str_untimeout(capsule_host(), fast.timer);
    if (slow.timer)
        str_untimeout(capsule_host(), slow.timer);
    fast.timer = slow.timer = 0;
}

static struct domain *of_family(int family) {
    struct domain *dp = domains;
    while (dp && dp->dom_family != family)
        dp = dp->dom_next;
    return dp;
}

struct protosw *pffindtype(int family, int type) {
    struct domain *dp = of_family(family);
    for (struct protosw *pr = dp ? dp->dom_protosw : NULL; dp && pr < dp->dom_protoswNPROTOSW; pr++)
        if (pr->pr_type && pr->pr_type == type)
            return pr;
    return NULL;
}

/* The entry of a protocol and type; a raw entry of protocol 0 stands for all protocols. */
struct protosw *pffindproto(int family, int protocol, int type) {
    struct domain *dp = of_family(family);
    struct protosw *wild = NULL;
    for (struct protosw *pr = dp ? dp->dom_protosw : NULL; dp && pr < dp->dom_protoswNPROTOSW; pr++) {
        if (pr->pr_protocol == protocol && pr->pr_type == type)
            return pr;
        if (type == SOCK_RAW && pr->pr_type == SOCK_RAW && pr->pr_protocol == 0 && !wild)
            wild = pr;
    }
    return wild;
}

void pfctlinput(int command, struct sockaddr *address) {
    EACH_PROTOCOL(pr) if (pr->pr_ctlinput)(*pr->pr_ctlinput)(command, address, (caddr_t)0);
}

void m_reclaim(void) {
    mbstat.m_drain++;
    EACH_PROTOCOL(pr) if (pr->pr_drain)(*pr->pr_drain)();
}
