/* Seeds of a test: those of NACRE_SEEDS (a number, or FROM..TO), 10,000 in long campaigns (NACRE_SOAK), or as many as
 * are usual. If a run ends the program, its seed is printed. */
#ifndef NACRE_SEEDS_H
#define NACRE_SEEDS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH_SEED(name, usual) for (uint32_t name = seeds_begin(usual); seeds_run(name); name++)

static uint32_t seeds_now, seeds_end; /* the end is 0 when all ran */

/* What the sanitizers find aborts the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "abort_on_error=1"; }
const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void) { return "abort_on_error=1"; }

static void seeds_failed(void) {
    if (seeds_now < seeds_end)
        fprintf(stderr, "seed %u failed: repeat it with NACRE_SEEDS=%u\n", seeds_now, seeds_now);
}

static void seeds_aborted(int number) {
    seeds_failed();
    signal(number, SIG_DFL);
    raise(number);
}

static inline bool seeds_run(uint32_t number) {
    seeds_now = number;
    seeds_end = number < seeds_end ? seeds_end : 0;
    return seeds_end > 0;
}

static uint32_t seeds_begin(uint32_t usual) {
    const char *chosen = getenv("NACRE_SEEDS");
    char *rest = NULL;
    uint32_t begin = 1;
    seeds_end = getenv("NACRE_SOAK") ? 10001 : usual + 1;
    if (chosen) {
        begin = (uint32_t)strtoul(chosen, &rest, 10);
        seeds_end = strncmp(rest, "..", 2) == 0 ? (uint32_t)strtoul(rest + 2, NULL, 10) : begin + 1;
    }
    signal(SIGABRT, seeds_aborted);
    static bool begun;
    if (!begun)
        atexit(seeds_failed);
    begun = true;
    return begin;
}

#endif
