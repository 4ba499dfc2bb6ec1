/* A protocol of 4.4BSD that notes what it is asked, for tests that are linked with the environment. */
#ifndef NACRE_TESTS_BSD_PROTOCOL_H
#define NACRE_TESTS_BSD_PROTOCOL_H

#define STR_PREFIXED
#include "bsd/inside.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct str_environment environment;
static void set_log(void (*routine)(void *, const char *)) { environment.log = routine; }
static void set_clock(uint64_t (*routine)(void *)) { environment.now = routine; }

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/proc.h>
#include <sys/protosw.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/syslog.h>
#include <sys/sysctl.h>
#include <sys/systm.h>
#include <sys/uio.h>

#include <net/if.h>
#include <net/if_dl.h>
#include <net/netisr.h>
#include <net/route.h>
#include <netinet/in.h>
#include <netinet/in_systm.h>

#define MS 1000000ULL
#define FAMILY 30

/* A protocol that notes what it is asked. */
static int initialized, fasts, slows, ctl_command, requests[PRU_NREQ + 1], interrupts;
static int refuse_attach, abort_lingers;
static void initialize(void) { initialized++; }
static void fast(void) { fasts++; }
static void slow(void) { slows++; }
static void control_input(int command, struct sockaddr *address) { (void)address, ctl_command = command; }

static int request(struct socket *so, int number, struct mbuf *m, struct mbuf *nam, struct mbuf *control) {
    (void)nam, (void)control;
    requests[number]++;
    if (number == PRU_ATTACH) {
        so->so_pcb = refuse_attach ? NULL : (caddr_t)so;
        return refuse_attach ? ENOBUFS : so->so_snd.sb_hiwat ? 0 : soreserve(so, 2000, 2000);
    }
    if (number == PRU_ABORT && abort_lingers)
        return 0; /* it tells the peer first */
    if (number == PRU_DETACH || number == PRU_ABORT) {
        so->so_pcb = NULL;
        soisdisconnected(so);
        if (number == PRU_ABORT)
            sofree(so);
    }
    if (m && number != PRU_CONTROL)
        m_freem(m);
    return 0;
}

extern struct domain family;
static struct protosw protocols[] = {
    {.pr_type = SOCK_DGRAM, .pr_domain = &family, .pr_protocol = 17, .pr_flags = PR_ATOMIC | PR_ADDR,
     .pr_usrreq = request, .pr_init = initialize, .pr_slowtimo = slow, .pr_ctlinput = control_input},
    {.pr_type = SOCK_STREAM, .pr_domain = &family, .pr_protocol = 6, .pr_usrreq = request, .pr_init = initialize,
     .pr_fasttimo = fast},
    {.pr_type = SOCK_RAW, .pr_domain = &family, .pr_protocol = 0, .pr_usrreq = request},
};
struct domain family = {
    .dom_family = FAMILY, .dom_init = initialize, .dom_protosw = protocols, .dom_protoswNPROTOSW = protocols + 3};
static struct domain *const families[] = {&family, NULL};
static const struct bsd_protocol exported[] = {{.name = "", .type = SOCK_DGRAM, .protocol = 17}, {0}};
static const struct bsd_lower lowers[] = {{"en", BSD_FRAMES, 0, 0, 0, 0, 0}, {0}};
static struct ifqueue queue;
static void interrupt(void) { interrupts++; }
static const struct bsd_input inputs[] = {
    {.key = BSD_ANY, .queue = &queue, .netisr = NETISR_USER, .routine = interrupt}, {0}};
const struct bsd_description bsd_description = {
    .domains = families, .protocols = exported, .lowers = lowers, .inputs = inputs};

static struct str_host *host;
static uint64_t now;
static char logged[256];
static uint64_t clock_of(void *context) { return (void)context, now; }
static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(logged, sizeof logged, "%s", line);
}

static void begin(void) {
    static const char *const options[] = {NULL};
    set_log(log_of);
    set_clock(clock_of);
    now = 5000 * MS;
    host = str_host_open(&environment);
    str_enter(host);
    assert(capsule_begin(host, options) == 0);
    bsd_start();
}

static struct mbuf *data(const char *text) {
    struct mbuf *m = BSD_GETHDR(M_DONTWAIT, MT_DATA);
    m->m_len = (int)strlen(text);
    BSD_SET_LENGTH(m, m->m_len);
    memcpy(mtod(m, char *), text, strlen(text));
    return m;
}

static void finish(void) {
    bsd_timeouts_end();
    bsd_callouts_end();
    assert(bsd_mbufs_live() == 0 && str_live_blocks(host) == 0);
    bsd_mbufs_end();
    capsule_end();
    str_host_close(host);
}

#undef printf
/* At the end of each test no mbuf and no block is left. */
#define RUN(name) \
    (test_##name(), bsd_clusters_drain(), assert(bsd_mbufs_live() == 0 && str_live_blocks(host) == 0), \
     puts("ok " #name), fflush(stdout))

#endif
