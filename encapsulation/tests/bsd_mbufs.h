/* What tests of mbufs share. */
#ifndef NACRE_TESTS_BSD_MBUFS_H
#define NACRE_TESTS_BSD_MBUFS_H

#define STR_PREFIXED
#include "bsd/inside.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <sys/param.h>

#include <sys/domain.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/systm.h>

#include <net/if.h>

#undef log
#undef printf

/* A description without protocols but one that counts its drains. */
static int drains;
static void drain(void) { drains++; }
extern struct domain family;
static struct protosw protocols[] = {{.pr_type = SOCK_RAW, .pr_domain = &family, .pr_drain = drain}};
struct domain family = {.dom_family = 30, .dom_protosw = protocols, .dom_protoswNPROTOSW = protocols + 1};
static struct domain *const families[] = {&family, NULL};
static const struct bsd_protocol none[] = {{0}};
static const struct bsd_lower no_lowers[] = {{0}};
static const struct bsd_input inputs[] = {{0}};
const struct bsd_description bsd_description = {
    .domains = families, .protocols = none, .lowers = no_lowers, .inputs = inputs};

static struct str_host *host;
static char panicked[256];
static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(panicked, sizeof panicked, "%s", line);
}

static void begin(void) {
    static const char *const options[] = {NULL};
    struct str_environment environment = {.log = log_of};
    host = str_host_open(&environment);
    str_enter(host);
    assert(capsule_begin(host, options) == 0);
    bsd_crossings = (struct bsd_crossings){0};
}

/* Checks that nothing is left. */
static void end(void) {
    assert(bsd_mbufs_live() == 0 && bsd_crossings.lent == 0);
    bsd_clusters_drain();
    assert(str_live_blocks(host) == 0);
    bsd_mbufs_end();
    capsule_end();
    str_host_close(host);
}

static void fill(char *at, size_t length, unsigned from) {
    for (size_t i = 0; i < length; i++)
        at[i] = (char)(from + i);
}

/* A chain of mbufs with these lengths, whose bytes count up. */
static struct mbuf *chain(const int *lengths, int count, bool clusters) {
    struct mbuf *first = NULL, **end_ = &first;
    unsigned at = 0;
    for (int i = 0; i < count; i++) {
        struct mbuf *m = i == 0 ? BSD_GETHDR(M_DONTWAIT, MT_DATA) : m_get(M_DONTWAIT, MT_DATA);
        assert(m);
        if (clusters || lengths[i] > (int)MHLEN)
            bsd_clget(m, M_DONTWAIT);
        m->m_len = lengths[i];
        fill(mtod(m, char *), (size_t)lengths[i], at);
        at += (unsigned)lengths[i];
        *end_ = m;
        end_ = &m->m_next;
    }
    BSD_SET_LENGTH(first, (int)at);
    return first;
}

static int total(const struct mbuf *m) {
    int length = 0;
    for (; m; m = m->m_next)
        length += m->m_len;
    return length;
}

static void check(const struct mbuf *m, int from, int length) {
    assert(total(m) == length);
    for (; m; m = m->m_next)
        for (int i = 0; i < m->m_len; i++)
            assert(mtod(m, char *)[i] == (char)from++);
}

#define RUN(name) (test_##name(), puts("ok " #name), fflush(stdout))

#endif
