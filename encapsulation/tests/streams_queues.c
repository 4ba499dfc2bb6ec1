/* Queues: order, sizes, scheduling, flow control and back-enabling; one test for each routine. */
#include "streams_queue.h"

static void test_putq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    freezestr(q);
    CHECK(insq(q, NULL, text("frozen")) && next_is(q, "frozen"));
    unfreezestr(q);
    CHECK(!getq(q));
    qwriter(q, text("written"), putq, 0);
    CHECK(next_is(q, "written") && !getq(q) && served("D"));
    CHECK(putq(q, text("a")) == 1 && served("D")); /* an empty queue wants messages */
    CHECK(putq(q, text("b")) == 1 && served("D")); /* nobody has taken one: QWANTR stays */
    CHECK(next_is(q, "a"));
    CHECK(putq(q, text("c")) == 1 && served("")); /* the last getq found one */
    CHECK(putq(q, typed(M_DATA, 1, "band")) == 1 && served("D"));
    CHECK(putq(q, typed(M_CTL, 3, "high band")) == 1 && putq(q, typed(M_PCPROTO, 9, "high")) == 1 && served("D"));
    CHECK(putq(q, typed(M_DATA, 3, "second")) && putq(q, typed(M_FLUSH, 0, "high 2")) && putq(q, text("d")));
    CHECK(q->q_first->b_band == 0); /* high priority has no band */
    static const char *const order[] = {"high", "high 2", "high band", "second", "band", "b", "c", "d"};
    for (unsigned i = 0; i < 8; i++)
        CHECK(next_is(q, order[i]));
    CHECK(!getq(q) && q->q_count == 0 && !q->q_last);
    served("D");
    noenable(q);
    CHECK(putq(q, text("x")) && putq(q, typed(M_DATA, 2, "y")) && served(""));
    CHECK(putq(q, typed(M_PCPROTO, 0, "z")) && served("D"));
    flushq(q, FLUSHALL);
    str_close(stream);
}

static void test_putbq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    putq(q, text("a"));
    putq(q, typed(M_DATA, 1, "b"));
    putq(q, typed(M_PCPROTO, 0, "h"));
    served("D");
    CHECK(next_is(q, "h")); /* QWANTR is off */
    CHECK(putbq(q, text("first")) && putbq(q, typed(M_DATA, 1, "first band")) && served(""));
    CHECK(putbq(q, typed(M_PCPROTO, 0, "high")) && served("D"));
    CHECK(putbq(q, typed(M_PCPROTO, 0, "higher")));
    static const char *const order[] = {"higher", "high", "first band", "b", "first", "a"};
    for (unsigned i = 0; i < 6; i++)
        CHECK(next_is(q, order[i]));
    served("D");
    CHECK(!getq(q) && putbq(q, text("x")) && served("D")); /* wanted */
    flushq(q, FLUSHALL);
    str_close(stream);
}

static void test_insq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    mblk_t *a = text("a"), *b = typed(M_DATA, 2, "b"), *other = text("other");
    putq(q, a);
    putq(q, b);
    CHECK(insq(q, a, text("before a")) && insq(q, NULL, text("last")) && insq(q, b, typed(M_PCPROTO, 0, "h")));
    CHECK(!insq(q, b, other)); /* band 0 before band 2 */
    other->b_band = 2;
    CHECK(!insq(q, a, other) && insq(q, b->b_next, other)); /* after b, before the first of band 0 */
    mblk_t *late = typed(M_DATA, 1, "late");
    CHECK(!insq(q, NULL, late) && qsize(q) == 6);
    freeb(late);
    static const char *const order[] = {"h", "b", "other", "before a", "a", "last"};
    for (unsigned i = 0; i < 6; i++)
        CHECK(next_is(q, order[i]));
    CHECK(q->q_count == 0);
    str_close(stream);
}

static void test_rmvq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    mblk_t *a = text("a"), *b = text("bb"), *c = typed(M_DATA, 1, "c");
    putq(q, a);
    putq(q, b);
    putq(q, c);
    rmvq(q, b);
    CHECK(!b->b_next && !b->b_prev && q->q_count == 1 && qsize(q) == 2);
    rmvq(q, c);
    mblk_t *first;
    CHECK(strqget(q, QFIRST, 1, &first) == 0 && !first);
    rmvq(q, a);
    CHECK(!q->q_first && !q->q_last && q->q_count == 0);
    freeb(a);
    freeb(b);
    freeb(c);
    str_close(stream);
}

static mblk_t *bytes(size_t count, unsigned char band) {
    mblk_t *message = allocb(count, BPRI_LO);
    CHECK(message);
    memset(message->b_wptr, 'x', count);
    message->b_wptr += count;
    message->b_band = band;
    return message;
}

static void test_canput(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    CHECK(str_push(stream, "bare") == 0);
    CHECK(canput(q) && putq(q, bytes(99, 0)) && canput(q) && !(q->q_flag & QWANTW));
    CHECK(putq(q, bytes(1, 0)) && q->q_flag & QFULL);
    CHECK(!canput(q) && q->q_flag & QWANTW);
    CHECK(!canput(WR(module))); /* it has no service procedure: the next decides */
    CHECK(putq(q, bytes(10, 0)) && q->q_count == 110); /* it is not refused */
    flushq(q, FLUSHALL);
    CHECK(canput(q) && canput(WR(module)) && !(q->q_flag & QWANTW));
    /* Empty messages fill a queue, too. */
    for (unsigned i = 0; i < 100; i++)
        putq(q, bytes(0, 0));
    CHECK(!canput(q));
    str_close(stream);
}

static void test_canputnext(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    CHECK(canputnext(WR(module)) && !canputnext(WR(driver))); /* nothing is below the driver */
    putq(WR(driver), bytes(100, 0));
    CHECK(!canputnext(WR(module)) && canput(WR(module)));
    CHECK(bcanputnext(WR(module), 1) && !bcanputnext(WR(module), 0));
    putq(WR(driver), bytes(100, 1));
    CHECK(!bcanputnext(WR(module), 1) && bcanputnext(WR(module), 2));
    str_close(stream);
}

static void test_bcanput(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    CHECK(bcanput(q, 3) && q->q_nband == 0); /* a band that does not exist is not full */
    putq(q, bytes(100, 2));
    CHECK(!bcanput(q, 2) && bcanput(q, 1) && bcanput(q, 3) && canput(q) && bcanput(q, 0));
    unsigned flag;
    CHECK(strqget(q, QFLAG, 2, &flag) == 0 && flag == (QB_FULL | QB_WANTW));
    CHECK(q->q_nband == 2 && q->q_count == 0);
    size_t count;
    CHECK(strqget(q, QCOUNT, 2, &count) == 0 && count == 100);
    flushq(q, FLUSHALL);
    CHECK(bcanput(q, 2));
    str_close(stream);
}

static void test_back_enabling(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0 && str_push(stream, "bare") == 0);
    queue_t *q = WR(driver);
    for (unsigned i = 0; i < 10; i++)
        putq(q, bytes(10, 0));
    served("D");
    for (unsigned i = 0; i < 10; i++) /* nobody was refused: nobody is enabled */
        freemsg(getq(q));
    CHECK(served(""));
    for (unsigned i = 0; i < 10; i++)
        putq(q, bytes(10, 0));
    queue_t *of_module = backq(q);
    CHECK(of_module->q_qinfo == &module_write && !canputnext(of_module));
    for (unsigned i = 0; i < 6; i++)
        freemsg(getq(q));
    CHECK(q->q_count == 40 && served("")); /* at the low-water mark, not below */
    CHECK(!(q->q_flag & QFULL)); /* yet there is room again */
    freemsg(getq(q));
    CHECK(of_module->q_flag & QBACK && served("M") && !(of_module->q_flag & QBACK));
    freemsg(getq(q));
    CHECK(served("")); /* once */
    flushq(q, FLUSHALL);
    putq(q, bytes(100, 5));
    CHECK(!bcanputnext(of_module, 5) && canputnext(of_module) && served("D"));
    flushband(q, 5, FLUSHALL);
    CHECK(served("M"));
    str_close(stream);
}

static void test_back_enabling_at_zero(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    queue_t *q = WR(driver);
    CHECK(strqset(q, QLOWAT, 0, 0) == 0);
    putq(q, bytes(60, 0));
    putq(q, bytes(60, 0));
    served("D");
    CHECK(!canput(q));
    freemsg(getq(q));
    CHECK(served(""));
    freemsg(getq(q));
    CHECK(served("M")); /* an empty queue always enables */
    str_close(stream);
}

static void test_getq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    putq(q, text("ab"));
    served("D");
    CHECK(q->q_flag & QWANTR && next_is(q, "ab") && !(q->q_flag & QWANTR));
    CHECK(!getq(q) && q->q_flag & QWANTR);
    str_close(stream);
}

static void test_flushq(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    putq(q, text("data"));
    putq(q, typed(M_PROTO, 4, "proto"));
    putq(q, typed(M_PCPROTO, 0, "pcproto"));
    putq(q, typed(M_CTL, 0, "control"));
    putq(q, typed(M_IOCACK, 0, "ack"));
    flushq(q, FLUSHDATA);
    CHECK(qsize(q) == 2 && next_is(q, "ack") && next_is(q, "control"));
    putq(q, typed(M_CTL, 0, "control"));
    flushq(q, FLUSHALL);
    CHECK(!q->q_first);
    str_close(stream);
}

static void test_flushband(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    for (unsigned i = 0; i < 3; i++) {
        putq(q, typed(M_DATA, (unsigned char)i, "data"));
        putq(q, typed(M_CTL, (unsigned char)i, "control"));
    }
    putq(q, typed(M_PCPROTO, 0, "high"));
    flushband(q, 1, FLUSHDATA);
    CHECK(qsize(q) == 6);
    flushband(q, 1, FLUSHALL);
    CHECK(qsize(q) == 5);
    flushband(q, 0, FLUSHALL); /* ordinary messages, and those of high priority */
    CHECK(qsize(q) == 2 && q->q_first->b_band == 2);
    str_close(stream);
}

static void test_qenable(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0 && str_push(stream, "bare") == 0);
    queue_t *m = backq(WR(driver));
    qenable(WR(driver));
    qenable(m);
    qenable(RD(m));
    qenable(WR(driver)); /* once */
    qenable(WR(module)); /* it has no service procedure */
    CHECK(WR(driver)->q_flag & QENAB && served("DMm") && !(WR(driver)->q_flag & QENAB));
    str_close(stream);
}

static void test_noenable(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    noenable(q);
    CHECK(!canenable(q) && putq(q, text("a")) && served(""));
    qenable(q); /* explicitly */
    CHECK(served("D"));
    enableok(q);
    CHECK(canenable(q) && served("") && putq(q, text("b")) && served("D"));
    str_close(stream);
}

static void test_putctl(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "bare") == 0);
    queue_t *q = WR(driver);
    CHECK(!putctl(q, M_DATA) && !putctl(q, M_PROTO) && !putctl1(q, M_PCPROTO, 1) && !putctl(q, 256));
    CHECK(putctl(q, M_CTL) && putctl(q, M_DELAY) && putctl1(q, M_HANGUP, 7) && putnextctl(WR(module), M_START));
    CHECK(putnextctl1(WR(module), M_FLUSH, FLUSHR) && !putnextctl(q, M_CTL) && !putnextctl1(q, M_CTL, 1));
    static const unsigned char types[] = {M_HANGUP, M_START, M_FLUSH, M_CTL, M_DELAY};
    for (unsigned i = 0; i < 5; i++) {
        mblk_t *message = getq(q);
        CHECK(message && message->b_datap->db_type == types[i]);
        CHECK(message->b_wptr - message->b_rptr == (types[i] == M_HANGUP || types[i] == M_FLUSH));
        freemsg(message);
    }
    str_close(stream);
}

static void test_putnext(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    putnext(WR(module), text("down"));
    putnext(driver, text("up"));
    put(WR(module), text("here"));
    CHECK(next_is(WR(driver), "down") && next_is(module, "up") && next_is(WR(module), "here"));
    putnext(WR(driver), text("nowhere"));
    str_close(stream);
}

static void test_qreply(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    qreply(WR(driver), text("back"));
    qreply(module, text("down"));
    CHECK(next_is(module, "back") && next_is(WR(driver), "down"));
    str_close(stream);
}

static void test_neighbours(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    CHECK(RD(WR(driver)) == driver && WR(driver) == driver + 1 && RD(driver) == driver && WR(WR(driver)) == WR(driver));
    CHECK(OTHERQ(driver) == WR(driver) && OTHERQ(WR(driver)) == driver);
    CHECK(backq(WR(driver)) == WR(module) && backq(module) == driver && backq(driver) == NULL);
    CHECK(SAMESTR(WR(module)) && !SAMESTR(WR(driver)));
    str_close(stream);
}

static void test_strqget_and_strqset(void) {
    struct str_stream *stream = opened();
    queue_t *q = WR(driver);
    size_t size;
    ssize_t limit;
    CHECK(strqget(q, QHIWAT, 0, &size) == 0 && size == 100 && strqget(q, QLOWAT, 0, &size) == 0 && size == 40);
    CHECK(strqget(q, QMAXPSZ, 0, &limit) == 0 && limit == 1000 && strqget(q, QMINPSZ, 0, &limit) == 0 && limit == 0);
    CHECK(strqset(q, QHIWAT, 0, 10) == 0 && strqset(q, QHIWAT, 2, 3) == 0 && strqset(q, QLOWAT, 2, 1) == 0);
    CHECK(strqset(q, QMAXPSZ, 0, 500) == 0 && strqget(q, QMAXPSZ, 0, &limit) == 0 && limit == 500);
    CHECK(strqset(q, QCOUNT, 0, 1) == EPERM && strqset(q, QFIRST, 0, 0) == EPERM && strqset(q, QFLAG, 0, 0) == EPERM);
    CHECK(strqset(q, (qfields_t)99, 0, 0) == EINVAL && strqget(q, (qfields_t)99, 0, &size) == EINVAL);
    CHECK(strqget(q, QHIWAT, 3, &size) == ENOENT && strqget(q, QHIWAT, 2, &size) == 0 && size == 3);
    putq(q, bytes(10, 0));
    putq(q, bytes(3, 2));
    CHECK(!canput(q) && !bcanput(q, 2) && bcanput(q, 1));
    str_close(stream);
}

static void test_qprocs(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    qenable(module);
    putq(module, text("lost"));
    qprocsoff(module); /* messages go past it, and it is not served */
    CHECK(served("d") && backq(WR(driver)) != WR(module)); /* those behind look again */
    putnext(driver, text("up"));
    mblk_t *message;
    CHECK(str_receive(stream, &message) == 0 && has(message, "up"));
    freemsg(message);
    CHECK(str_pop(stream) == 0);
    str_close(stream);
}

static int endless(queue_t *q) {
    qenable(q);
    return 0;
}

static void test_endless_service_is_left(void) {
    struct str_stream *stream = opened();
    CHECK(str_push(stream, "module") == 0);
    module_drains = true;
    struct qinit again = module_write;
    again.qi_srvp = endless;
    WR(module)->q_qinfo = &again;
    qenable(WR(module));
    CHECK(str_run(host)); /* some are left */
    WR(module)->q_qinfo = &module_write;
    CHECK(!str_run(host));
    str_close(stream);
}

int main(void) {
    RUN(putq);
    RUN(putbq);
    RUN(insq);
    RUN(rmvq);
    RUN(canput);
    RUN(canputnext);
    RUN(bcanput);
    RUN(back_enabling);
    RUN(back_enabling_at_zero);
    RUN(getq);
    RUN(flushq);
    RUN(flushband);
    RUN(qenable);
    RUN(noenable);
    RUN(putctl);
    RUN(putnext);
    RUN(qreply);
    RUN(neighbours);
    RUN(strqget_and_strqset);
    RUN(qprocs);
    RUN(endless_service_is_left);
    return 0;
}
