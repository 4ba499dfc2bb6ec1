/* Messages of the x-kernel in tests. */
#ifndef NACRE_TESTS_XKERNEL_MESSAGES_H
#define NACRE_TESTS_XKERNEL_MESSAGES_H

#include "tests/xkernel_tools.h"

#include "xkernel/message.h"

static const struct xk_lower lowers[] = {{0}};
static const struct xk_protocol protocols[] = {{0}};
static const struct xk_device devices[] = {{0}};
const struct xk_graph xk_graph = {lowers, protocols, devices, NULL};

/* A message of these bytes. */
static inline Msg of(const char *text) {
    Msg m;
    if (*text)
        msgConstructBuffer(&m, (char *)(uintptr_t)text, (long)strlen(text));
    else
        msgConstructEmpty(&m);
    return m;
}

static inline void is(Msg *m, const char *text) {
    char buffer[256];
    long length = (long)strlen(text);
    assert(msgLen(m) == length);
    msg2buf(m, buffer);
    assert(memcmp(buffer, text, (size_t)length) == 0);
}

/* The same of a message that is then destroyed. */
static inline void was(Msg *m, const char *text) {
    is(m, text);
    msgDestroy(m);
    assert(msgLen(m) == 0);
}

static inline void store(void *header, char *to, long length, void *argument) {
    assert(argument == &lowers);
    memcpy(to, header, (size_t)length);
}

static inline long load(void *header, char *from, long length, void *argument) {
    assert(argument == &lowers);
    memcpy(header, from, (size_t)length);
    return length;
}

#define PUSH(m, text) msgPush((m), store, (void *)(uintptr_t)(text), (long)strlen(text), (void *)(uintptr_t)&lowers)
#define POP(m, to, length) msgPop((m), load, (to), (length), (void *)(uintptr_t)&lowers)

#endif
