/* The time of single calls, in ticks, less the cost of reading the clock. */
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
static uint64_t ticks(void) {
    _mm_lfence();
    uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
}
#else
static uint64_t ticks(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
#endif

enum { INTERRUPTED = 20000 }; /* ticks; a longer call was interrupted and is excluded from the mean */
static uint64_t clock_ticks = UINT64_MAX;
struct times {
    uint64_t sum, counted, all;
};

static void note(struct times *t, uint64_t from) {
    uint64_t d = ticks() - from;
    t->all++;
    if (d < INTERRUPTED) {
        t->sum += d > clock_ticks ? d - clock_ticks : 0;
        t->counted++;
    }
}

static void time_the_clock(void) {
    for (int i = 0; i < 10000; i++) {
        uint64_t from = ticks(), d = ticks() - from;
        if (d < clock_ticks) { clock_ticks = d; }
    }
}

static double mean(const struct times *t, uint64_t messages) {
    return t->counted ? (double)t->sum / (double)t->counted * (double)t->all / (double)messages : 0;
}
