/* Message blocks and messages: one test for each routine. */
#include "streams_test.h"

static void test_allocb(void) {
    static const size_t sizes[] = {0, 1, 63, 64, 65, 128, 129, 1500, 4096, 65536, 65537, 1000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        mblk_t *block = allocb(sizes[i], BPRI_LO);
        CHECK(block && block->b_rptr == block->b_wptr && block->b_rptr == block->b_datap->db_base);
        CHECK((size_t)(block->b_datap->db_lim - block->b_datap->db_base) >= sizes[i]);
        CHECK(block->b_datap->db_type == M_DATA && block->b_datap->db_ref == 1 && block->b_band == 0);
        CHECK(!block->b_cont && !block->b_next && !block->b_prev && block->b_flag == 0);
        CHECK((uintptr_t)block->b_rptr % 16 == 0);
        memset(block->b_rptr, 0xa5, sizes[i]);
        CHECK(str_live_blocks(host) == 1);
        freeb(block);
    }
    CHECK(str_live_bytes(host) == 0);
    CHECK(!allocb(SIZE_MAX, BPRI_HI) && !allocb((size_t)1 << 31, BPRI_HI));
    struct str_host *before = str_enter(NULL);
    CHECK(!allocb(1, BPRI_HI)); /* no current host */
    str_enter(before);
}

static void test_memory_is_limited(void) {
    end();
    begin_with((struct str_environment){.memory = 2000, .cache = 8});
    mblk_t *large = allocb(1024, BPRI_LO);
    CHECK(large && !allocb(1024, BPRI_LO) && !testb(1024, BPRI_LO) && testb(64, BPRI_LO));
    CHECK(str_live_bytes(host) >= 1024 && str_live_bytes(host) <= 2000);
    freeb(large);
    CHECK(str_live_bytes(host) == 0);
    /* What is kept of other sizes does not count as used. */
    large = allocb(512, BPRI_LO);
    freeb(large);
    CHECK((large = allocb(1500 - 96, BPRI_LO)) == NULL);
    CHECK((large = allocb(1000, BPRI_LO)) != NULL);
    freeb(large);
}

static void test_blocks_are_kept(void) {
    end();
    begin_with((struct str_environment){.cache = 2});
    mblk_t *three[] = {allocb(64, BPRI_LO), allocb(64, BPRI_LO), allocb(64, BPRI_LO)};
    size_t held = allocations;
    for (unsigned i = 0; i < 3; i++)
        freeb(three[i]);
    CHECK(allocations == held - 1); /* two are kept */
    mblk_t *again = allocb(10, BPRI_LO);
    CHECK(again == three[1] && allocations == held - 1 && str_live_blocks(host) == 1);
    mblk_t *copy = dupb(again);
    freeb(again);
    CHECK(str_live_blocks(host) == 1);
    mblk_t *other = allocb(10, BPRI_LO);
    CHECK(other != again && other->b_datap != copy->b_datap);
    mblk_t *copies[] = {dupb(other), dupb(other), dupb(other)};
    held = allocations;
    for (unsigned i = 0; i < 3; i++)
        freeb(copies[i]);
    CHECK(allocations == held - 1);
    mblk_t *first = dupb(other), *second = dupb(other);
    CHECK(first == copies[1] && second == copies[0] && allocations == held - 1);
    freeb(first);
    freeb(second);
    freeb(copy);
    freeb(other);
}

static unsigned released;

static void count_release(char *argument) {
    released++;
    *argument = 'x';
}

static void test_esballoc(void) {
    unsigned char buffer[10] = "0123456789";
    char mark = 0;
    frtn_t routine = {count_release, &mark};
    released = 0;
    mblk_t *block = esballoc(buffer, sizeof buffer, BPRI_LO, &routine);
    CHECK(block && block->b_rptr == buffer && block->b_wptr == buffer && block->b_datap->db_base == buffer);
    CHECK(block->b_datap->db_lim == buffer + 10 && block->b_datap->db_frtnp == &routine);
    block->b_wptr += 10; /* no byte is copied */
    mblk_t *copy = dupb(block);
    CHECK(copy->b_rptr == buffer);
    freeb(block);
    CHECK(released == 0);
    freeb(copy);
    CHECK(released == 1 && mark == 'x');
    CHECK(!esballoc(NULL, 1, BPRI_LO, &routine) && !esballoc(buffer, 1, BPRI_LO, NULL));
}

static void test_freeb(void) {
    mblk_t *message = text("one");
    linkb(message, text("two"));
    mblk_t *rest = message->b_cont;
    freeb(message); /* only this block */
    CHECK(str_live_blocks(host) == 1 && has(rest, "two"));
    freeb(rest);
}

static void test_freemsg(void) {
    mblk_t *message = text("one");
    linkb(message, text("two"));
    freemsg(message);
    freemsg(NULL);
    CHECK(str_live_blocks(host) == 0);
}

static void test_dupb(void) {
    mblk_t *block = typed(M_PROTO, 7, "hello");
    block->b_flag = MSGMARK;
    block->b_rptr++;
    linkb(block, text("more"));
    mblk_t *copy = dupb(block);
    CHECK(copy != block && copy->b_datap == block->b_datap && block->b_datap->db_ref == 2);
    CHECK(copy->b_rptr == block->b_rptr && copy->b_wptr == block->b_wptr && !copy->b_cont);
    CHECK(copy->b_band == 7 && copy->b_flag == MSGMARK);
    freemsg(block);
    CHECK(has(copy, "ello") && copy->b_datap->db_ref == 1);
    freeb(copy);
}

static void test_dupmsg(void) {
    mblk_t *message = text("a");
    linkb(message, text("b"));
    mblk_t *copy = dupmsg(message);
    CHECK(has(copy, "ab") && copy->b_cont->b_datap == message->b_cont->b_datap);
    freemsg(message);
    CHECK(has(copy, "ab"));
    most_allocations = allocations;
    mblk_t *none = dupmsg(copy);
    CHECK(!none || has(none, "ab")); /* all or nothing */
    most_allocations = 0;
    freemsg(none);
    freemsg(copy);
}

static void test_copyb(void) {
    mblk_t *block = typed(M_PROTO, 3, "xhello");
    block->b_rptr++;
    mblk_t *copy = copyb(block);
    CHECK(has(copy, "hello") && copy->b_datap != block->b_datap && copy->b_datap->db_type == M_PROTO);
    CHECK(copy->b_band == 3 && ((uintptr_t)copy->b_rptr & 7) == ((uintptr_t)block->b_rptr & 7));
    *copy->b_rptr = 'j';
    CHECK(has(block, "hello"));
    freeb(block);
    freeb(copy);
}

static void test_copymsg(void) {
    mblk_t *message = text("ab");
    linkb(message, text("cd"));
    mblk_t *copy = copymsg(message);
    CHECK(has(copy, "abcd") && copy->b_cont && copy->b_cont->b_datap != message->b_cont->b_datap);
    freemsg(message);
    freemsg(copy);
}

static mblk_t *three(void) {
    mblk_t *message = text("abc");
    linkb(message, text("defg"));
    linkb(message, text("hi"));
    return message;
}

static void test_pullupmsg(void) {
    mblk_t *message = three();
    CHECK(pullupmsg(message, 5) == 1);
    CHECK(message->b_wptr - message->b_rptr == 5 && has(message, "abcdefghi") && str_live_blocks(host) == 3);
    CHECK(pullupmsg(message, 10) == 0 && has(message, "abcdefghi")); /* too short: unchanged */
    CHECK(pullupmsg(message, -1) == 1 && !message->b_cont && has(message, "abcdefghi"));
    CHECK(pullupmsg(message, 9) == 1 && pullupmsg(message, -2) == 0);
    message->b_rptr++; /* not aligned: it is moved */
    mblk_t *same = message;
    CHECK(pullupmsg(message, -1) == 1 && message == same && ((uintptr_t)message->b_rptr & 7) == 0);
    CHECK(has(message, "bcdefghi"));
    freemsg(message);
    /* What is left of a first block that is not aligned follows in a block of its own. */
    message = text("xabcdef");
    message->b_rptr++;
    linkb(message, text("gh"));
    CHECK(pullupmsg(message, 2) == 1 && message->b_wptr - message->b_rptr == 2 && has(message, "abcdefgh"));
    CHECK(has(message->b_cont, "cdefgh") && str_live_blocks(host) == 3);
    freemsg(message);
    /* Only blocks of the type of the first. */
    message = typed(M_PROTO, 0, "abc");
    linkb(message, text("def"));
    CHECK(pullupmsg(message, 4) == 0 && pullupmsg(message, -1) == 1 && message->b_cont && has(message, "abcdef"));
    message->b_rptr++;
    CHECK(pullupmsg(message, -1) == 1 && message->b_datap->db_type == M_PROTO && has(message, "bcdef"));
    freemsg(message);
    /* A block that others hold is left as it is. */
    message = three();
    mblk_t *held = dupb(message);
    CHECK(pullupmsg(message, -1) == 1 && has(message, "abcdefghi") && has(held, "abc"));
    freemsg(message);
    CHECK(has(held, "abc"));
    freeb(held);
}

static void test_pullupmsg_without_memory(void) {
    end();
    begin_with((struct str_environment){.cache = -1});
    mblk_t *message = three();
    most_allocations = 1;
    CHECK(pullupmsg(message, -1) == 0 && has(message, "abcdefghi") && !msgpullup(message, -1) && !copymsg(message));
    most_allocations = 0;
    freemsg(message);
}

static void test_msgpullup(void) {
    mblk_t *message = three();
    message->b_band = 4;
    mblk_t *copy = msgpullup(message, 5);
    CHECK(copy && has(copy, "abcdefghi") && copy->b_wptr - copy->b_rptr == 5 && copy->b_band == 4);
    CHECK(has(message, "abcdefghi") && message->b_wptr - message->b_rptr == 3);
    *copy->b_cont->b_rptr = 'X';
    CHECK(has(message, "abcdefghi"));
    freemsg(copy);
    copy = msgpullup(message, -1);
    CHECK(copy && !copy->b_cont && has(copy, "abcdefghi"));
    freemsg(copy);
    CHECK(!msgpullup(message, 10) && !msgpullup(message, -2));
    freemsg(message);
    message = typed(M_PROTO, 0, "abc");
    linkb(message, text("def"));
    copy = msgpullup(message, -1);
    CHECK(copy && copy->b_datap->db_type == M_PROTO && copy->b_cont->b_datap->db_type == M_DATA);
    CHECK(has(copy, "abcdef") && !msgpullup(message, 4));
    freemsg(copy);
    freemsg(message);
}

static void test_linkb(void) {
    mblk_t *message = text("a");
    linkb(message, text("b"));
    linkb(message, text("c"));
    CHECK(has(message, "abc") && has(message->b_cont->b_cont, "c"));
    freemsg(message);
}

static void test_unlinkb(void) {
    mblk_t *message = three(), *rest = unlinkb(message);
    CHECK(has(message, "abc") && has(rest, "defghi"));
    freemsg(message);
    CHECK(unlinkb(rest->b_cont) == NULL);
    freemsg(rest);
}

static void test_rmvb(void) {
    mblk_t *message = three(), *middle = message->b_cont;
    CHECK(rmvb(message, middle) == message && has(message, "abchi") && !middle->b_cont);
    CHECK(rmvb(message, middle) == (mblk_t *)-1);
    mblk_t *rest = rmvb(message, message);
    CHECK(has(rest, "hi") && rmvb(rest, rest) == NULL);
    freeb(message);
    freeb(middle);
    freeb(rest);
}

static void test_adjmsg(void) {
    mblk_t *message = three();
    CHECK(adjmsg(message, 0) == 1 && adjmsg(message, 10) == 0 && adjmsg(message, -10) == 0);
    CHECK(has(message, "abcdefghi"));
    CHECK(adjmsg(message, 4) == 1 && has(message, "efghi"));
    CHECK(adjmsg(message, -3) == 1 && has(message, "ef") && adjmsg(message, -2) == 1 && msgdsize(message) == 0);
    CHECK(adjmsg(message, PTRDIFF_MIN) == 0);
    freemsg(message);
    message = typed(M_PROTO, 0, "abc");
    linkb(message, text("def"));
    CHECK(adjmsg(message, 4) == 0 && adjmsg(message, -4) == 0); /* of one type only */
    CHECK(adjmsg(message, 2) == 1 && adjmsg(message, -2) == 1 && has(message, "cd"));
    freemsg(message);
    message = typed(M_PROTO, 0, "abc");
    linkb(message, text("def"));
    linkb(message, text("gh"));
    CHECK(adjmsg(message, -3) == 1 && has(message, "abcde") && !message->b_cont->b_cont); /* without empty blocks */
    CHECK(adjmsg(message, -2) == 1 && has(message, "abc") && !message->b_cont);
    freemsg(message);
}

static void test_msgdsize(void) {
    mblk_t *message = typed(M_PROTO, 0, "head");
    linkb(message, text("abc"));
    linkb(message, text(""));
    linkb(message, text("de"));
    CHECK(msgdsize(message) == 5 && msgsize(message) == 9);
    freemsg(message);
}

static void test_datamsg(void) {
    static const unsigned char data[] = {M_DATA, M_PROTO, M_PCPROTO, M_DELAY};
    for (unsigned type = 0; type < 256; type++) {
        bool expected = false;
        for (unsigned i = 0; i < sizeof data; i++)
            expected = expected || data[i] == type;
        CHECK((datamsg((unsigned char)type) != 0) == expected);
        CHECK((pcmsg((unsigned char)type) != 0) == (type >= QPCTL));
    }
}

static void test_closed_host_waits_for_its_blocks(void) {
    mblk_t *block = text("late");
    str_host_close(host);
    CHECK(allocations > 0 && has(block, "late"));
    freeb(block);
    CHECK(allocations == 0);
    begin();
}

int main(void) {
    RUN(allocb);
    RUN(memory_is_limited);
    RUN(blocks_are_kept);
    RUN(esballoc);
    RUN(freeb);
    RUN(freemsg);
    RUN(dupb);
    RUN(dupmsg);
    RUN(copyb);
    RUN(copymsg);
    RUN(pullupmsg);
    RUN(pullupmsg_without_memory);
    RUN(msgpullup);
    RUN(linkb);
    RUN(unlinkb);
    RUN(rmvb);
    RUN(adjmsg);
    RUN(msgdsize);
    RUN(datamsg);
    RUN(closed_host_waits_for_its_blocks);
    return 0;
}
