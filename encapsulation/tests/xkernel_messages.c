/* The message tool of the x-kernel: construction, sharing, the crossing to blocks. One test for each routine. */
#include "tests/xkernel_messages.h"

static void test_msgConstructEmpty(void) {
    Msg m;
    msgConstructEmpty(&m);
    assert(msgLen(&m) == 0 && msgGetAttr(&m, 0) == NULL);
    msgDestroy(&m);
    msgDestroy(&m); /* an empty one may be destroyed again */
}

static void test_msgConstructBuffer(void) {
    char text[] = "buffer";
    Msg m;
    size_t before = xk_crossings.copied;
    msgConstructBuffer(&m, text, 6);
    text[0] = 'x';
    assert(xk_crossings.copied == before + 6);
    was(&m, "buffer");
}

static void test_msgConstructAllocate(void) {
    char *room;
    Msg m;
    msgConstructAllocate(&m, 5, &room);
    memcpy(room, "12345", 5);
    PUSH(&m, "0");
    assert(m.blocks->b_cont == NULL); /* there is room for headers */
    was(&m, "012345");
}

static void test_msgConstructAppend(void) {
    char *room;
    Msg m;
    msgConstructAppend(&m, 100, &room);
    assert(msgLen(&m) == 0);
    msgAppend(&m, store, "tail", 4, (void *)(uintptr_t)&lowers, 0);
    assert(memcmp(room, "tail", 4) == 0);
    was(&m, "tail");
}

static char *released;
static void release(char *data) { released = data; }

static void test_msgConstructInplace(void) {
    static char text[] = "in place";
    Msg m, copy;
    released = NULL;
    msgConstructInplace(&m, text, 8, release);
    msgConstructCopy(&copy, &m);
    assert((char *)m.blocks->b_rptr == text && nacre_capsule.lent() == 1);
    PUSH(&m, "not ");
    assert(memcmp(text, "in place", 8) == 0);
    was(&m, "not in place");
    assert(!released);
    char header[4];
    assert(POP(&copy, header, 3));
    PUSH(&copy, "IN "); /* the caller's bytes stay */
    assert(memcmp(text, "in place", 8) == 0);
    was(&copy, "IN place");
    assert(released == text && nacre_capsule.lent() == 0);
    msgConstructInplace(&m, text, 8, NULL);
    mblk_t *lent = xk_blocks(&m);
    assert(nacre_capsule.lent() == 1);
    freemsg(lent);
}

static void test_msgConstructCopy(void) {
    Msg m = of("shared"), copy;
    size_t before = xk_crossings.copied;
    msgSetAttr(&m, 0, &m, 7);
    msgConstructCopy(&copy, &m);
    assert(copy.blocks->b_rptr == m.blocks->b_rptr && msgGetAttr(&copy, 0) == &m && copy.attrLen == 7);
    PUSH(&copy, "A"); /* the room before shared data is not written */
    PUSH(&m, "B");
    assert(xk_crossings.copied == before);
    was(&copy, "Ashared");
    PUSH(&m, "C");
    was(&m, "CBshared");
}

static void test_msgAssign(void) {
    Msg m = of("one"), other = of("other");
    msgAssign(&m, &other);
    msgAssign(&m, &m);
    was(&other, "other");
    was(&m, "other");
}

static void test_msgDestroy(void) {
    Msg m = of("gone");
    size_t before = xk_crossings.held;
    msgDestroy(&m);
    assert(xk_crossings.held == before - 1 && msgLen(&m) == 0 && !m.blocks);
}

static void test_msgLen(void) {
    Msg m = of("four");
    assert(msgLen(&m) == 4 && msgLength(&m) == 4);
    msgDestroy(&m);
}

static void test_msgSetAttr_msgGetAttr(void) {
    Msg m = of("x"), other = of("y");
    int attribute = 1;
    assert(msgSetAttr(&m, 0, &attribute, sizeof attribute) == XK_SUCCESS && msgGetAttr(&m, 0) == &attribute);
    assert(msgSetAttr(&m, 1, &attribute, 4) == XK_FAILURE && msgGetAttr(&m, 1) == NULL);
    msgAssign(&other, &m);
    assert(msgGetAttr(&other, 0) == &attribute);
    msgDestroy(&m);
    msgDestroy(&other);
}

static void test_msgShow_msgStats(void) {
    Msg m = of("12345");
    msgShow(&m);
    assert(strstr(logged, "5 bytes in 1 block"));
    msgStats();
    assert(strstr(logged, "hold 1 block"));
    msgDestroy(&m);
}

static void test_blocks_become_messages_and_back(void) {
    struct xk_crossings before = xk_crossings;
    mblk_t *one = allocb(10, BPRI_MED), *empty = allocb(10, BPRI_MED), *two = allocb(10, BPRI_MED), *out;
    memcpy(one->b_wptr, "one", 3);
    one->b_wptr += 3;
    memcpy(two->b_wptr, "two", 3);
    two->b_wptr += 3;
    linkb(one, empty);
    linkb(one, two);
    Msg m;
    xk_message(&m, one);
    is(&m, "onetwo");
    PUSH(&m, "new");
    assert((out = xk_blocks(&m)) && out->b_cont == one && one->b_cont == two && !two->b_cont);
    assert(msgLen(&m) == 0 && !out->b_next && !out->b_prev);
    assert(xk_crossings.in == before.in + 2 && xk_crossings.out == before.out + 3);
    assert(xk_crossings.copied == before.copied);
    freemsg(out);
    out = xk_blocks(&m);
    assert(out && msgdsize(out) == 0);
    freemsg(out);
}

static void allocate_too_much(void *argument) {
    Msg m;
    (void)argument;
    xk_msgConstructAllocate(&m, -1);
}

/* Last: the instance ends. */
static void test_an_impossible_length_ends_the_instance(void) {
    assert(!capsule_run(allocate_too_much, NULL) && strstr(logged, "length of a message"));
}

int main(void) {
    begin();
    RUN(msgConstructEmpty);
    RUN(msgConstructBuffer);
    RUN(msgConstructAllocate);
    RUN(msgConstructAppend);
    RUN(msgConstructInplace);
    RUN(msgConstructCopy);
    RUN(msgAssign);
    RUN(msgDestroy);
    RUN(msgLen);
    RUN(msgSetAttr_msgGetAttr);
    RUN(msgShow_msgStats);
    RUN(blocks_become_messages_and_back);
    RUN(an_impossible_length_ends_the_instance);
    finish();
    return 0;
}
