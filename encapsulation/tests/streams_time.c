/* Timeouts, bufcalls, and the host. */
#include "streams_queue.h"

static char order[64];

static void mark(void *argument) {
    size_t length = strlen(order);
    CHECK(length + 1 < sizeof order);
    order[length] = *(char *)argument;
    order[length + 1] = 0;
}

static bool ran(const char *expected) {
    bool same = strcmp(order, expected) == 0;
    order[0] = 0;
    return same;
}

static void test_timeout(void) {
    order[0] = 0;
    CHECK(str_deadline(host) == UINT64_MAX);
    timeout_id_t negative = timeout(mark, "x", -5);
    CHECK(negative && str_deadline(host) == clock_ns && untimeout(negative) == 0);
    CHECK(timeout(mark, "b", 2) && timeout(mark, "a", 1) && timeout(mark, "c", 2) && timeout(mark, "d", 0));
    CHECK(str_deadline(host) == clock_ns);
    CHECK(ran("")); /* never at once */
    str_tick(host);
    CHECK(ran("d") && str_deadline(host) == clock_ns + 10000000);
    clock_ns += 9999999;
    str_tick(host);
    CHECK(ran(""));
    clock_ns += 1;
    str_tick(host);
    CHECK(ran("a"));
    clock_ns += 1000000000;
    str_tick(host);
    CHECK(ran("bc") && str_deadline(host) == UINT64_MAX);
}

static void test_untimeout(void) {
    order[0] = 0;
    timeout_id_t a = timeout(mark, "a", 5), b = timeout(mark, "b", 7);
    clock_ns += 20000000;
    CHECK(untimeout(a) == 3 && untimeout(a) == -1);
    timeout_id_t c = timeout(mark, "c", 5); /* it may have the place of the first */
    CHECK(c != a && untimeout(a) == -1 && untimeout(0) == -1 && untimeout((timeout_id_t)-1) == -1);
    clock_ns += 1000000000;
    str_tick(host);
    CHECK(ran("bc") && untimeout(b) == -1);
    timeout_id_t at = str_timeout(host, mark, "x", clock_ns + 5);
    CHECK(at && str_untimeout(host, at) == 0 && str_untimeout(host, at) == ENOENT);
}

static void again(void *argument) {
    mark(argument);
    timeout(again, argument, 0);
}

static void test_timeout_without_delay_does_not_loop(void) {
    order[0] = 0;
    timeout_id_t id = timeout(again, "r", 0);
    str_tick(host);
    CHECK(ran("r") && untimeout(id) == -1);
    str_tick(host);
    CHECK(ran("r"));
}

static uint64_t last;
static unsigned fired;

static void in_order(void *argument) {
    uint64_t at = *(uint64_t *)argument;
    CHECK(at >= last && at <= clock_ns);
    last = at;
    fired++;
}

static void test_many_timeouts(void) {
    static uint64_t times[1000];
    timeout_id_t ids[1000];
    uint64_t state = 7;
    last = fired = 0;
    for (unsigned i = 0; i < 1000; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        times[i] = 2000 + (state >> 40) % 5000;
        ids[i] = str_timeout(host, in_order, &times[i], times[i]);
        CHECK(ids[i]);
    }
    unsigned cancelled = 0;
    for (unsigned i = 0; i < 1000; i += 3, cancelled++)
        CHECK(str_untimeout(host, ids[i]) == 0);
    while (clock_ns < 8000) {
        clock_ns += 100;
        str_tick(host);
    }
    CHECK(fired == 1000 - cancelled);
}

static void test_qtimeout(void) {
    order[0] = 0;
    struct str_stream *stream = opened();
    timeout_id_t id = qtimeout(driver, mark, "a", 1);
    CHECK(id && quntimeout(driver, id) == 1 && quntimeout(driver, id) == -1);
    CHECK(qtimeout(driver, mark, "b", 1) && qtimeout(WR(driver), mark, "c", 1));
    CHECK(qbufcall(driver, 10, BPRI_LO, mark, "d"));
    bufcall_id_t other = qbufcall(driver, 10, BPRI_LO, mark, "e");
    qunbufcall(driver, other);
    struct str_stream *second;
    CHECK(str_open(host, "driver", &second) == 0 && qtimeout(driver, mark, "o", 1));
    str_close(stream); /* they go with the queue, and those of others stay */
    clock_ns += 1000000000;
    str_tick(host);
    CHECK(ran("o"));
    str_close(second);
}

static void test_ticks(void) {
    CHECK(drv_usectohz(1) == 1 && drv_usectohz(10000) == 1 && drv_usectohz(10001) == 2 && drv_usectohz(0) == 0);
    CHECK(drv_hztousec(3) == 30000 && drv_hztousec(-1) == 0 && drv_hztousec(INT64_MAX) == INT64_MAX);
    CHECK(drv_usectohz(INT64_MAX) > 0 && str_lbolt() == 0);
    timeout_id_t late = timeout(mark, "x", INT64_MAX);
    CHECK(str_deadline(host) > (uint64_t)1 << 60 && untimeout(late) > 0);
    clock_ns += 50000000;
    CHECK(str_lbolt() == 5 && str_now(host) == clock_ns);
}

static void test_bufcall(void) {
    end();
    begin_with((struct str_environment){.memory = 1000});
    order[0] = 0;
    mblk_t *held = allocb(512, BPRI_LO);
    CHECK(held && !testb(512, BPRI_LO));
    CHECK(bufcall(512, BPRI_LO, mark, "a") && bufcall(512, BPRI_LO, mark, "b"));
    bufcall_id_t id = bufcall(512, BPRI_LO, mark, "c");
    unbufcall(id);
    unbufcall(id);
    str_run(host);
    CHECK(ran(""));
    freeb(held);
    CHECK(ran("")); /* not within freeb */
    str_run(host);
    CHECK(ran("ab"));
    str_run(host);
    CHECK(ran(""));
}

static void ask_again(void *argument) {
    mark(argument);
    bufcall(1, BPRI_LO, ask_again, argument);
}

static void test_bufcall_does_not_loop(void) {
    order[0] = 0;
    bufcall(1, BPRI_LO, ask_again, "x");
    str_run(host);
    CHECK(ran("x"));
}

static void test_install(void) {
    static char longest[80];
    memset(longest, 'n', 79);
    CHECK(str_install(host, longest, &driver_tab, 0) == EINVAL && str_install(host, "", &driver_tab, 0) == EINVAL);
    CHECK(str_install(host, NULL, &driver_tab, 0) == EINVAL && str_install(host, "x", NULL, 0) == EINVAL);
    CHECK(str_install(host, "x", &driver_tab, 8) == EINVAL);
    struct qinit bare = {.qi_putp = putq};
    struct streamtab without[] = {{&bare, &driver_write, NULL, NULL}, {&driver_read, NULL, NULL, NULL},
                                  {&driver_read, &driver_write, &driver_read, NULL},
                                  {&driver_read, &driver_write, &bare, &driver_write}};
    for (unsigned i = 0; i < 4; i++)
        CHECK(str_install(host, "x", &without[i], 0) == EINVAL);
    longest[63] = 0;
    CHECK(str_install(host, longest, &driver_tab, STR_DEVICE) == 0);
    CHECK(str_install(host, longest, &driver_tab, 0) == EEXIST);
    CHECK(str_install(host, longest, &module_tab, STR_MODULE) == 0);
    struct str_stream *stream;
    CHECK(str_open(host, "none", &stream) == ENXIO && str_open(host, longest, &stream) == 0);
    CHECK(str_push(stream, longest) == 0 && str_uninstall(host, longest) == EBUSY);
    str_close(stream);
    CHECK(str_uninstall(host, longest) == 0 && str_uninstall(host, longest) == 0);
    CHECK(str_uninstall(host, longest) == ENOENT && str_uninstall(host, NULL) == ENOENT);
}

static void test_hosts_are_apart(void) {
    struct str_host *other = str_host_open(NULL), *first = host;
    CHECK(other && str_current() == first && str_enter(other) == first);
    mblk_t *block = allocb(10, BPRI_LO);
    CHECK(str_live_blocks(other) == 1 && str_live_blocks(first) == 0);
    str_enter(first);
    mblk_t *copy = dupb(block); /* a block stays its host's */
    CHECK(str_live_blocks(other) == 2 && str_live_blocks(first) == 0);
    freeb(block);
    freeb(copy);
    unsigned char bytes[2][8];
    str_random(other, bytes[0], 8);
    str_random(other, bytes[1], 8);
    CHECK(memcmp(bytes[0], bytes[1], 8) != 0);
    str_host_close(other);
    CHECK(str_current() == first);
}

static char logged[64];

static void keep_line(void *context, const char *line) {
    CHECK(context == logged);
    snprintf(logged, sizeof logged, "%s", line);
}

static void test_log(void) {
    str_log(host, "dropped %d", 1);
    end();
    begin_with((struct str_environment){.context = logged, .log = keep_line});
    str_log(host, "%s %d", "frames", 7);
    CHECK(strcmp(logged, "frames 7") == 0);
}

int main(void) {
    RUN(timeout);
    RUN(untimeout);
    RUN(timeout_without_delay_does_not_loop);
    RUN(many_timeouts);
    RUN(qtimeout);
    RUN(ticks);
    RUN(bufcall);
    RUN(bufcall_does_not_loop);
    RUN(install);
    RUN(hosts_are_apart);
    RUN(log);
    return 0;
}
