/* What the tests of STREAMS share: checks, a host with a clock that the test sets, and a driver that keeps what it
 * gets. */
#ifndef NACRE_STREAMS_TEST_H
#define NACRE_STREAMS_TEST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams/tpi.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define RUN(name)                                                                                                      \
    do {                                                                                                               \
        begin();                                                                                                       \
        test_##name();                                                                                                 \
        end();                                                                                                         \
        printf("ok %s\n", #name);                                                                                      \
    } while (0)

static uint64_t clock_ns;
static size_t allocations, most_allocations; /* pieces of memory that are held; the limit, if it is not 0 */
static struct str_host *host;

static uint64_t now(void *context) {
    (void)context;
    return clock_ns;
}

static void *allocate(void *context, size_t size) {
    (void)context;
    if (most_allocations && allocations >= most_allocations)
        return NULL;
    allocations++;
    return malloc(size);
}

static void release(void *context, void *memory, size_t size) {
    (void)context;
    (void)size;
    allocations--;
    free(memory);
}

static void begin_with(struct str_environment environment) {
    clock_ns = 1000;
    most_allocations = 0;
    environment.now = now;
    environment.allocate = allocate;
    environment.release = release;
    host = str_host_open(&environment);
    CHECK(host && str_enter(host) == NULL);
}

static void begin(void) { begin_with((struct str_environment){.cache = 0}); }

static void end(void) {
    CHECK(str_live_blocks(host) == 0);
    str_host_close(host);
    CHECK(allocations == 0 && str_current() == NULL);
}

/* A message of one block with these bytes. */
static inline mblk_t *text(const char *bytes) {
    size_t length = strlen(bytes);
    mblk_t *message = allocb(length, BPRI_MED);
    CHECK(message);
    memcpy(message->b_wptr, bytes, length);
    message->b_wptr += length;
    return message;
}

static inline mblk_t *typed(unsigned char type, unsigned char band, const char *bytes) {
    mblk_t *message = text(bytes);
    message->b_datap->db_type = type;
    message->b_band = band;
    return message;
}

/* Whether the bytes of a message are these, block after block. */
static inline bool has(const mblk_t *message, const char *bytes) {
    for (; message; message = message->b_cont) {
        size_t length = (size_t)(message->b_wptr - message->b_rptr);
        if (strncmp((const char *)message->b_rptr, bytes, length) != 0)
            return false;
        bytes += length;
    }
    return *bytes == 0;
}

static inline bool next_is(queue_t *q, const char *bytes) {
    mblk_t *message = getq(q);
    bool same = message && has(message, bytes);
    freemsg(message);
    return same;
}

#endif
