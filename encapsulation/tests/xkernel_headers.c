/* The message tool of the x-kernel: headers, trailers, fragments. One test for each routine. */
#include "tests/xkernel_messages.h"

static long load_half(void *header, char *from, long length, void *argument) {
    (void)argument;
    memcpy(header, from, (size_t)length);
    return length / 2;
}

static long load_wrong(void *header, char *from, long length, void *argument) {
    (void)header, (void)from, (void)argument;
    return length + 1000;
}

static void test_msgTruncate(void) {
    Msg m = of("front"), tail = of("back"), copy;
    msgJoin(&m, &m, &tail);
    msgConstructCopy(&copy, &m);
    msgTruncate(&m, 100);
    msgTruncate(&m, -1);
    is(&m, "frontback");
    msgTruncate(&m, 7);
    is(&m, "frontba");
    msgTruncate(&m, 3);
    is(&m, "fro");
    msgTruncate(&m, 0);
    was(&m, "");
    was(&tail, "back");
    was(&copy, "frontback");
}

static void test_msgChopOff(void) {
    Msg m = of("abcdef"), more = of("ghi"), head = of("before");
    msgJoin(&m, &m, &more);
    size_t before = xk_crossings.copied;
    msgChopOff(&m, &head, 2);
    is(&head, "ab");
    is(&m, "cdefghi");
    msgBreak(&m, &head, 4); /* a whole block */
    is(&head, "cdef");
    is(&m, "ghi");
    msgChopOff(&m, &head, 100);
    is(&head, "ghi");
    is(&m, "");
    msgChopOff(&head, &head, 1);
    is(&head, "g");
    msgChopOff(&head, &m, -1); /* all */
    was(&m, "g");
    was(&head, "");
    was(&more, "ghi");
    assert(xk_crossings.copied == before);
}

static void test_msgJoin(void) {
    Msg a = of("aa"), b = of("bb"), to = of("gone"), empty = of("");
    size_t before = xk_crossings.copied;
    msgJoin(&to, &a, &b);
    is(&to, "aabb");
    msgJoin(&to, &to, &a);
    is(&to, "aabbaa");
    msgJoin(&to, &b, &to);
    is(&to, "bbaabbaa");
    msgJoin(&a, &a, &a);
    is(&a, "aaaa");
    msgJoin(&b, &empty, &b);
    msgJoin(&b, &b, &empty);
    is(&b, "bb");
    msgJoin(&empty, &b, &b);
    was(&empty, "bbbb");
    was(&b, "bb");
    was(&a, "aaaa");
    was(&to, "bbaabbaa");
    assert(xk_crossings.copied == before);
}

static void test_msgPush(void) {
    Msg m = of("data");
    static char large[300];
    memset(large, 'h', sizeof large - 1);
    PUSH(&m, "h1");
    PUSH(&m, "h2");
    assert(!m.blocks->b_cont);
    is(&m, "h2h1data");
    large[XK_STACK - 4] = 0;
    PUSH(&m, large); /* all of the room */
    assert(!m.blocks->b_cont && msgPopDiscard(&m, XK_STACK - 4));
    large[XK_STACK - 4] = 'h';
    PUSH(&m, large); /* more than the room */
    assert(msgLen(&m) == 8 + 299 && m.blocks->b_cont);
    msgDestroy(&m);
    msgConstructEmpty(&m);
    PUSH(&m, "alone");
    was(&m, "alone");
}

static void test_msgPop(void) {
    char header[300] = "";
    Msg m = of("head"), more = of("er and data");
    size_t before = xk_crossings.copied;
    msgJoin(&m, &m, &more);
    assert(!POP(&m, header, 100) && !POP(&m, header, -1));
    is(&m, "header and data");
    assert(POP(&m, header, 6) && memcmp(header, "header", 6) == 0); /* of two blocks */
    is(&m, " and data");
    assert(POP(&m, header, 0));
    assert(msgPop(&m, load_half, header, 4, NULL) && memcmp(header, " and", 4) == 0); /* the header has two bytes */
    is(&m, "nd data");
    assert(!msgPop(&m, load_wrong, header, 4, NULL));
    assert(POP(&m, header, 7) && !POP(&m, header, 1));
    assert(xk_crossings.copied == before);
    was(&m, "");
    was(&more, "er and data");
    Msg first = of(""), large;
    for (int i = 0; i < 100; i++) { /* a header of many blocks */
        large = of("abc");
        msgJoin(&first, &first, &large);
        msgDestroy(&large);
    }
    assert(POP(&first, header, 299) && memcmp(header + 296, "cab", 3) == 0);
    was(&first, "c");
}

static void test_msgPop_reuses_the_room(void) {
    char header[4];
    Msg m = of("headdata");
    assert(POP(&m, header, 4));
    const unsigned char *data = m.blocks->b_rptr;
    PUSH(&m, "HEAD");
    assert(m.blocks->b_rptr == data - 4);
    was(&m, "HEADdata");
}

static void test_msgPeek(void) {
    char header[4];
    Msg m = of("headdata");
    assert(msgPeek(&m, load, header, 4, (void *)(uintptr_t)&lowers) && memcmp(header, "head", 4) == 0);
    assert(!msgPeek(&m, load, header, 9, (void *)(uintptr_t)&lowers));
    was(&m, "headdata");
}

static void test_msgPopDiscard(void) {
    Msg m = of("ab"), more = of("cdef");
    msgJoin(&m, &m, &more);
    msgDestroy(&more);
    assert(!msgPopDiscard(&m, 7) && !msgPopDiscard(&m, -1));
    assert(msgPopDiscard(&m, 3));
    is(&m, "def");
    assert(msgDiscard(&m, 3));
    was(&m, "");
}

static void test_msgAppend(void) {
    Msg m = of("data"), copy;
    msgAppend(&m, store, "+tail", 5, (void *)(uintptr_t)&lowers, 64);
    msgConstructCopy(&copy, &m);
    msgAppend(&m, store, "+more", 5, (void *)(uintptr_t)&lowers, 64); /* shared: a new block */
    is(&m, "data+tail+more");
    unsigned char *end = m.blocks->b_cont->b_cont ? m.blocks->b_cont->b_cont->b_wptr : m.blocks->b_cont->b_wptr;
    msgAppend(&m, store, "!", 1, (void *)(uintptr_t)&lowers, 64);
    assert(*end == '!');
    was(&copy, "data+tail");
    was(&m, "data+tail+more!");
    char *room;
    msgConstructAppend(&m, 8, &room);
    size_t held = xk_crossings.held;
    static char tail[101];
    memset(tail, 't', 100);
    msgAppend(&m, store, tail, 100, (void *)(uintptr_t)&lowers, 0); /* more than the room */
    assert(xk_crossings.held == held + 1);
    was(&m, tail);
    msgConstructEmpty(&m);
    msgAppend(&m, store, "x", 1, (void *)(uintptr_t)&lowers, 0);
    was(&m, "x");
}

static void test_msgCleanUp(void) {
    char header[4];
    Msg m = of("head"), more = of("data");
    msgJoin(&m, &m, &more);
    msgDestroy(&more);
    assert(POP(&m, header, 4));
    msgCleanUp(&m);
    assert(xk_crossings.held == 1);
    was(&m, "data");
}

static void test_msg2buf(void) {
    char buffer[6] = "xxxxx";
    Msg m = of("ab"), more = of("cd");
    msgJoin(&m, &m, &more);
    msg2buf(&m, buffer);
    assert(strcmp(buffer, "abcdx") == 0);
    msgDestroy(&m);
    msgDestroy(&more);
}

static char collected[64];
static int collect(char *part, long length, void *argument) {
    strncat(collected, part, (size_t)length);
    strcat(collected, "|");
    return --*(int *)argument;
}

static void test_msgForEach(void) {
    Msg m = of("ab"), more = of("cd"), last = of("ef");
    int left = 10;
    char header[2];
    msgJoin(&m, &m, &more);
    msgJoin(&m, &m, &last);
    collected[0] = 0;
    msgForEach(&m, collect, &left);
    assert(strcmp(collected, "ab|cd|ef|") == 0);
    left = 2;
    collected[0] = 0;
    msgForEach(&m, collect, &left);
    assert(strcmp(collected, "ab|cd|") == 0);
    left = 10;
    collected[0] = 0;
    assert(POP(&m, header, 2));
    msgForEach(&m, collect, &left);
    assert(strcmp(collected, "cd|ef|") == 0); /* nothing of the block that is empty now */
    msgDestroy(&m);
    msgDestroy(&more);
    msgDestroy(&last);
}

static void test_operations_of_3_3(void) {
    Msg m = of("data"), more = of("more"), copy;
    memcpy(xk_msgPush(&m, 4), "head", 4);
    is(&m, "headdata");
    msgJoin(&m, &m, &more);
    msgConstructCopy(&copy, &m);
    size_t before = xk_crossings.copied;
    char *header = xk_msgPop(&m, 6); /* shared: a copy, which may be changed in place */
    assert(memcmp(header, "headda", 6) == 0 && xk_crossings.copied == before + 6);
    header[0] = 'H';
    char *second = xk_msgPop(&m, 4); /* of two blocks; the first header is still there */
    assert(memcmp(second, "tamo", 4) == 0 && header[0] == 'H');
    assert(!xk_msgPop(&m, 3) && !xk_msgPop(&m, -1) && memcmp(xk_msgPeek(&m, 2), "re", 2) == 0);
    is(&m, "re");
    assert(xk_msgPeek(&m, 0) && xk_msgPop(&m, 2) && xk_msgPop(&m, 0));
    msgDestroy(&m);
    was(&copy, "headdatamore");
    was(&more, "more");
    memcpy(xk_msgConstructAllocate(&m, 2), "ab", 2);
    memcpy(xk_msgAppend(&m, 2, 64), "cd", 2);
    was(&m, "abcd");
    assert(xk_msgConstructAppend(&m, 10) && msgLen(&m) == 0);
    msgDestroy(&m);
}

static void test_inCkSum(void) {
    Msg m = of("\x01\x02\x03"), more = of("\x04\x05");
    u_short words[] = {htons(0x1000)};
    msgJoin(&m, &m, &more); /* a word lies in two blocks */
    assert(inCkSum(&m, words, 2) == htons((u_short)~(0x1000 + 0x0102 + 0x0304 + 0x0500)));
    u_short sum = inCkSum(&m, NULL, 0);
    Msg with;
    msgConstructBuffer(&with, (char *)&sum, 2);
    msgJoin(&with, &with, &m);
    assert(inCkSum(&with, NULL, 0) == 0);
    msgDestroy(&m);
    msgDestroy(&more);
    msgDestroy(&with);
}

int main(void) {
    begin();
    RUN(msgTruncate);
    RUN(msgChopOff);
    RUN(msgJoin);
    RUN(msgPush);
    RUN(msgPop);
    RUN(msgPop_reuses_the_room);
    RUN(msgPeek);
    RUN(msgPopDiscard);
    RUN(msgAppend);
    RUN(msgCleanUp);
    RUN(msg2buf);
    RUN(msgForEach);
    RUN(operations_of_3_3);
    RUN(inCkSum);
    finish();
    return 0;
}
