/* Tests that are linked with the environment of the x-kernel: a host, and an instance of an empty graph. */
#ifndef NACRE_TESTS_XKERNEL_TOOLS_H
#define NACRE_TESTS_XKERNEL_TOOLS_H

#include "xkernel/inside.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ULL
#ifndef OPTIONS
#define OPTIONS NULL
#endif

static struct str_host *node;
static uint64_t now = 1000000 * MS;
static char logged[256];
extern const struct str_capsule nacre_capsule;

static uint64_t clock_of(void *context) { return (void)context, now; }
static void log_of(void *context, const char *line) {
    (void)context;
    snprintf(logged, sizeof logged, "%s", line);
}

static inline void begin(void) {
    static const char *options[] = {OPTIONS, NULL};
    struct str_environment environment = {.now = clock_of, .log = log_of};
    node = str_host_open(&environment);
    assert(node);
    str_enter(node);
    assert(nacre_capsule.start(node, options) == 0);
}

/* All memory of messages is back: the tests have destroyed what they made. */
static inline void finish(void) {
    assert(xk_crossings.held == 0 && nacre_capsule.lent() == 0);
    nacre_capsule.stop(node);
    assert(str_live_blocks(node) == 0 && capsule_held() == 0);
    str_host_close(node);
}

static inline void step(uint64_t ms) {
    for (uint64_t end = now + ms * MS; now < end; now += MS, str_tick(node))
        ;
}

#define RUN(name) (test_##name(), fputs("ok " #name "\n", stdout), fflush(stdout))

#endif
