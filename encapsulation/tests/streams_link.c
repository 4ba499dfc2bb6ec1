/* Multiplexors: I_LINK, I_UNLINK, I_PLINK, and messages between upper and lower streams. */
#include "streams_queue.h"

static queue_t *upper; /* read queue of the multiplexor's upper stream */
static queue_t *lower[4]; /* write queues of its lower streams */
static int ids[4];
static int refusal; /* an errno value, or -1: keep the request */
static mblk_t *request;
static unsigned unlinked;

static int mux_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)oflag;
    (void)sflag;
    (void)cred;
    upper = q;
    qprocson(q);
    return 0;
}

static void answer(queue_t *q, mblk_t *message) {
    struct iocblk *head = (struct iocblk *)(void *)message->b_rptr;
    struct linkblk link;
    CHECK(head->ioc_count == sizeof link);
    memcpy(&link, message->b_cont->b_rptr, sizeof link);
    bool persistent = head->ioc_cmd == I_PLINK || head->ioc_cmd == I_PUNLINK;
    CHECK(persistent ? !link.l_qtop : link.l_qtop == q);
    for (unsigned i = 0; i < 4; i++) {
        if ((head->ioc_cmd == I_LINK || head->ioc_cmd == I_PLINK) && !lower[i]) {
            lower[i] = link.l_qbot;
            ids[i] = link.l_index;
            break;
        }
        if ((head->ioc_cmd == I_UNLINK || head->ioc_cmd == I_PUNLINK) && lower[i] == link.l_qbot) {
            CHECK(ids[i] == link.l_index);
            lower[i] = NULL;
            unlinked++;
        }
    }
    str_miocack(q, message, 0, 0);
}

static int upper_put(queue_t *q, mblk_t *message) {
    if (message->b_datap->db_type != M_IOCTL)
        return putq(q, message);
    if (refusal > 0) {
        str_miocnak(q, message, 0, refusal);
    } else if (refusal < 0) {
        request = message;
    } else {
        answer(q, message);
    }
    return 0;
}

static int upper_service(queue_t *q) {
    mblk_t *message;
    note('U');
    while ((message = getq(q))) {
        if (!lower[0] || !canputnext(lower[0])) {
            putbq(q, message);
            return 0;
        }
        putnext(lower[0], message);
    }
    return 0;
}

/* Room below: the upper stream goes on. */
static int lower_write_service(queue_t *q) {
    (void)q;
    note('L');
    qenable(WR(upper));
    return 0;
}

static int lower_put(queue_t *q, mblk_t *message) {
    if (canputnext(upper))
        putnext(upper, message);
    else
        putq(q, message);
    return 0;
}

static struct module_info mux_info = {3, "mux", 0, INFPSZ, 60, 30};
static struct qinit upper_read = {.qi_qopen = mux_open, .qi_qclose = driver_close, .qi_minfo = &mux_info};
static struct qinit upper_write = {.qi_putp = upper_put, .qi_srvp = upper_service, .qi_minfo = &mux_info};
static struct qinit lower_read = {.qi_putp = lower_put, .qi_minfo = &mux_info};
static struct qinit lower_write = {.qi_srvp = lower_write_service, .qi_minfo = &mux_info};
static struct streamtab mux_tab = {&upper_read, &upper_write, &lower_read, &lower_write};

static void ready(struct str_stream **mux, struct str_stream **below) {
    *below = opened();
    CHECK(str_install(host, "mux", &mux_tab, STR_DEVICE) == 0);
    memset(lower, 0, sizeof lower);
    refusal = 0;
    unlinked = 0;
    CHECK(str_open(host, "mux", mux) == 0);
}

static bool receives(struct str_stream *stream, const char *expected) {
    mblk_t *message;
    bool same = str_receive(stream, &message) == 0 && message && has(message, expected);
    freemsg(message);
    return same;
}

static void test_link(void) {
    struct str_stream *mux, *below;
    ready(&mux, &below);
    putnext(driver, text("before"));
    int id = 0;
    CHECK(str_link(mux, below, 0, &id) == 0 && id == ids[0] && id > 0);
    CHECK(receives(mux, "before")); /* what was at the head is the multiplexor's */
    CHECK(lower[0]->q_qinfo == &lower_write && RD(lower[0])->q_qinfo == &lower_read && !lower[0]->q_ptr);
    size_t size;
    CHECK(strqget(lower[0], QHIWAT, 0, &size) == 0 && size == 60);
    CHECK(str_write(below, "x", 1, NULL) == EINVAL && str_push(below, "module") == EINVAL);
    CHECK(str_poll(below, STR_POLLIN) == STR_POLLERR && str_link(mux, below, 0, NULL) == EINVAL);
    mblk_t *none;
    CHECK(str_receive(below, &none) == EINVAL && str_ioctl(below, I_NREAD, NULL, NULL) == EINVAL);
    putnext(driver, text("up"));
    CHECK(receives(mux, "up") && str_write(mux, "down", 4, NULL) == 0);
    str_run(host);
    CHECK(next_is(WR(driver), "down"));
    CHECK(putq(RD(lower[0]), text("the multiplexor's")) && putq(lower[0], text("too")));
    CHECK(str_unlink(mux, id + 1, 0) == EINVAL && str_unlink(mux, id, STR_PERSISTENT) == EINVAL);
    CHECK(str_unlink(mux, id, 0) == 0 && unlinked == 1);
    putnext(driver, text("again"));
    CHECK(receives(below, "again") && str_write(below, "x", 1, NULL) == 0 && next_is(WR(driver), "x"));
    str_close(below);
    str_close(mux);
}

static void test_link_that_is_refused(void) {
    struct str_stream *mux, *below;
    ready(&mux, &below);
    putnext(driver, text("kept"));
    refusal = EPROTO;
    CHECK(str_link(mux, below, 0, NULL) == EPROTO && receives(below, "kept"));
    CHECK(str_link(below, mux, 0, NULL) == EINVAL); /* no multiplexor */
    CHECK(str_link(mux, mux, 0, NULL) == EINVAL && str_link(mux, below, 8, NULL) == EINVAL);
    struct str_host *other = str_host_open(NULL);
    struct str_stream *ends[2];
    CHECK(str_pipe(other, ends) == 0 && str_link(mux, ends[0], 0, NULL) == EINVAL);
    str_host_close(other);
    str_enter(host);
    putnextctl(driver, M_HANGUP);
    CHECK(str_link(mux, below, 0, NULL) == ENXIO);
    str_close(mux);
    str_close(below);
}

static void test_link_that_waits(void) {
    struct str_stream *mux, *below;
    ready(&mux, &below);
    int id;
    refusal = -1;
    CHECK(str_ioctl(mux, I_LINK, below, &id) == EAGAIN && str_ioctl(mux, I_LINK, below, &id) == EAGAIN);
    answer(WR(upper), request);
    CHECK(str_ioctl(mux, I_LINK, below, &id) == 0 && id == ids[0]);
    CHECK(str_ioctl(mux, I_UNLINK, (void *)(intptr_t)id, NULL) == EAGAIN);
    answer(WR(upper), request);
    CHECK(str_ioctl(mux, I_UNLINK, (void *)(intptr_t)id, NULL) == 0);
    CHECK(str_link(mux, below, 0, &id) == EAGAIN);
    str_ioctl_cancel(mux);
    CHECK(str_write(below, "x", 1, NULL) == 0);
    freemsg(request);
    str_close(mux);
    str_close(below);
}

static void test_unlink_all(void) {
    struct str_stream *mux, *below, *second;
    ready(&mux, &below);
    CHECK(str_open(host, "driver", &second) == 0);
    CHECK(str_link(mux, below, 0, NULL) == 0 && str_link(mux, second, 0, NULL) == 0 && ids[0] != ids[1]);
    CHECK(str_unlink(mux, MUXID_ALL, 0) == 0 && unlinked == 2 && str_unlink(mux, MUXID_ALL, 0) == 0);
    CHECK(str_link(mux, below, 0, NULL) == 0 && str_link(mux, second, 0, NULL) == 0);
    refusal = -1;
    CHECK(str_unlink(mux, MUXID_ALL, 0) == EAGAIN);
    answer(WR(upper), request);
    CHECK(unlinked == 3 && str_unlink(mux, MUXID_ALL, 0) == EAGAIN); /* the second */
    answer(WR(upper), request);
    CHECK(str_unlink(mux, MUXID_ALL, 0) == 0 && unlinked == 4);
    refusal = 0;
    CHECK(str_link(mux, below, 0, NULL) == 0);
    refusal = EPERM; /* a driver that keeps it */
    CHECK(str_unlink(mux, MUXID_ALL, 0) == EPERM && str_write(below, "x", 1, NULL) == EINVAL);
    str_close(below);
    str_close(second);
    str_close(mux);
}

static void test_close_unlinks(void) {
    struct str_stream *mux, *below;
    ready(&mux, &below);
    CHECK(str_link(mux, below, 0, NULL) == 0);
    str_close(below); /* it remains as long as it is linked */
    putnext(driver, text("up"));
    CHECK(receives(mux, "up") && str_uninstall(host, "driver") == EBUSY);
    str_close(mux);
    CHECK(unlinked == 1 && str_uninstall(host, "driver") == 0 && str_uninstall(host, "mux") == 0);
}

static void test_persistent_link(void) {
    struct str_stream *mux, *below, *second;
    ready(&mux, &below);
    int id;
    CHECK(str_ioctl(mux, I_PLINK, below, &id) == 0);
    str_close(below);
    queue_t *first = upper;
    CHECK(str_open(host, "mux", &second) == 0 && upper != first);
    str_close(mux); /* the link passes to the other stream */
    CHECK(unlinked == 0 && str_write(second, "down", 4, NULL) == 0);
    str_run(host);
    CHECK(next_is(WR(driver), "down"));
    CHECK(str_open(host, "mux", &mux) == 0);
    CHECK(str_unlink(mux, id, 0) == EINVAL && str_unlink(mux, id, STR_PERSISTENT) == 0 && unlinked == 1);
    CHECK(str_uninstall(host, "driver") == 0);
    str_close(mux);
    str_close(second);
}

static void test_flow_control_through_a_multiplexor(void) {
    struct str_stream *mux, *below;
    ready(&mux, &below);
    CHECK(str_link(mux, below, 0, NULL) == 0);
    char bytes[100] = {0};
    CHECK(str_write(mux, bytes, 100, NULL) == 0 && served("UD")); /* the lower stream is full now */
    CHECK(str_write(mux, bytes, 60, NULL) == 0 && served("U") && str_write(mux, bytes, 1, NULL) == EAGAIN);
    freemsg(getq(WR(driver)));
    CHECK(served("LU") && qsize(WR(driver)) == 1 && str_write(mux, bytes, 1, NULL) == 0);
    str_close(mux);
    str_close(below);
}

static void test_cycles_are_refused(void) {
    struct str_stream *mux, *below, *other, *top;
    ready(&mux, &below);
    struct streamtab tab = mux_tab;
    CHECK(str_install(host, "mux2", &tab, STR_DEVICE) == 0);
    CHECK(str_open(host, "mux", &other) == 0 && str_link(mux, other, 0, NULL) == EINVAL);
    queue_t *of_mux = upper;
    CHECK(str_open(host, "mux2", &top) == 0 && str_link(top, mux, 0, NULL) == 0);
    upper = of_mux;
    struct str_stream *top2;
    CHECK(str_open(host, "mux2", &top2) == 0 && str_link(other, top2, 0, NULL) == EINVAL);
    str_close(top2);
    str_close(other);
    str_host_close(host); /* whatever is open */
    CHECK(allocations == 0);
    begin();
}

int main(void) {
    RUN(link);
    RUN(link_that_is_refused);
    RUN(link_that_waits);
    RUN(unlink_all);
    RUN(close_unlinks);
    RUN(persistent_link);
    RUN(flow_control_through_a_multiplexor);
    RUN(cycles_are_refused);
    return 0;
}
