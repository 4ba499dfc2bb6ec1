/* Services of the 4.4BSD kernel: memory, time, queues, messages; the protocol switch. */
#include "tests/bsd_protocol.h"

#include <sys/timeout.h>

static void step(uint64_t ms) {
    for (uint64_t end = now + ms * MS; now < end; now += MS, str_tick(host))
        ;
}

static void test_domains_are_initialized_once(void) {
    bsd_start();
    assert(initialized == 3 && domains == &family);
    assert(max_hdr == max_linkhdr + max_protohdr && max_datalen == (int)MHLEN - max_hdr);
}

static void test_protocols_are_found(void) {
    assert(pffindtype(FAMILY, SOCK_STREAM) == &protocols[1] && pffindtype(FAMILY, SOCK_SEQPACKET) == NULL);
    assert(pffindproto(FAMILY, 17, SOCK_DGRAM) == &protocols[0] && pffindproto(FAMILY, 17, SOCK_STREAM) == NULL);
    assert(pffindproto(FAMILY, 99, SOCK_RAW) == &protocols[2] && pffindproto(FAMILY + 1, 17, SOCK_DGRAM) == NULL);
}

static void test_control_input_reaches_all(void) {
    pfctlinput(PRC_QUENCH, NULL);
    assert(ctl_command == PRC_QUENCH);
}

static void test_periodic_timeouts(void) {
    fasts = slows = 0;
    step(10000);
    assert(fasts >= 49 && fasts <= 50 && slows >= 19 && slows <= 20);
    now += 60000 * MS; /* a late host does not make up for them */
    str_tick(host);
    assert(slows <= 22);
}

static int called;
static void call(void *argument) { called += (int)(intptr_t)argument; }

static void test_timeouts(void) {
    called = 0;
    bsd_timeout(call, (void *)1, hz / 2);
    bsd_timeout(call, (void *)10, hz);
    bsd_timeout(call, (void *)100, 0); /* at the next tick */
    step(20);
    assert(called == 100);
    step(500);
    assert(called == 101);
    untimeout(call, (void *)10);
    untimeout(call, (void *)10);
    step(1000);
    assert(called == 101);
}

static void test_callouts(void) {
    struct callout callout = CALLOUT_INITIALIZER;
    struct timeout timer;
    called = 0;
    callout_init(&callout);
    callout_reset(&callout, hz, call, (void *)1);
    callout_reset(&callout, 2 * hz, call, (void *)10); /* in its place */
    step(1500);
    assert(called == 0 && callout_pending(&callout));
    step(1000);
    assert(called == 10 && !callout_pending(&callout));
    callout_schedule(&callout, hz);
    callout_stop(&callout);
    callout_stop(&callout);
    timeout_set(&timer, call, (void *)100);
    assert(timeout_initialized(&timer) && !timeout_pending(&timer));
    timeout_add(&timer, hz);
    step(1500);
    assert(called == 110);
    timeout_add(&timer, hz);
    timeout_del(&timer);
    step(1500);
    assert(called == 110);
}

static void wake(void *argument) { wakeup(argument); }

static void test_a_sleep_brings_timeouts_forward(void) {
    int channel, other;
    called = 0;
    uint64_t before = now;
    bsd_timeout(call, (void *)1, hz);
    bsd_timeout(wake, &other, 2 * hz);
    bsd_timeout(wake, &channel, 3 * hz);
    bsd_timeout(call, (void *)10, 4 * hz);
    assert(tsleep(&channel, PZERO, "test", hz / 2) == EWOULDBLOCK && called == 0);
    assert(tsleep(&channel, PZERO | PCATCH, "test", 0) == 0 && called == 1 && now == before);
    assert(tsleep(&channel, PZERO, "test", 0) == EWOULDBLOCK && called == 11);
    step(5000);
    assert(called == 11);
}

static void test_time_follows_the_host(void) {
    struct timeval exact, earlier = {4, 900000};
    now = 7123456789ULL;
    microtime(&exact);
    assert(exact.tv_sec == 7 && exact.tv_usec == 123456);
    bsd_clock();
    assert(time.tv_sec == 7 && time.tv_usec / 10000 == 12);
    assert(timercmp(&earlier, &exact, <) && !timercmp(&earlier, &exact, >));
    struct timeval when = {8, 123456};
    assert(hzto(&when) == hz && hzto(&earlier) == 0);
    timevaladd(&earlier, &when);
    assert(earlier.tv_sec == 13 && earlier.tv_usec == 23456);
    timevalsub(&earlier, &when);
    assert(earlier.tv_sec == 4 && earlier.tv_usec == 900000);
    assert(ntohl(iptime()) == 7123);
}

static void test_memory_is_counted(void) {
    size_t before = capsule_held();
    char *a, *b;
    MALLOC(a, char *, 100, M_PCB, M_WAITOK);
    b = malloc(0, M_TEMP, M_NOWAIT);
    assert(a && b && capsule_held() > before);
    memset(a, 1, 100);
    assert(malloc(1UL << 40, M_TEMP, M_NOWAIT) == NULL);
    FREE(a, M_PCB);
    free(b, M_TEMP);
    assert(capsule_held() == before);
}

static void test_bytes(void) {
    char a[8] = "abcdefg", b[8];
    bcopy(a, b, 8);
    assert(bcmp(a, b, 8) == 0);
    ovbcopy(a, a + 1, 6);
    assert(memcmp(a, "aabcdef", 7) == 0 && bcmp(a, b, 8) != 0);
    bzero(b, 8);
    assert(b[0] == 0 && b[7] == 0 && bcmp(a, b, 0) == 0);
    assert(copyin("xyz", b, 4) == 0 && copyout(b, a, 4) == 0 && a[2] == 'z');
    size_t copied;
    assert(copystr("abc", b, sizeof b, &copied) == 0 && copied == 4);
    assert(copystr("abcdefghij", b, sizeof b, &copied) == ENAMETOOLONG);
    struct iovec part[2] = {{b, 3}, {b + 4, 3}};
    struct uio uio = {.uio_iov = part, .uio_iovcnt = 2, .uio_resid = 6, .uio_rw = UIO_READ};
    char from[] = "123456";
    assert(uiomove(from, 6, &uio) == 0 && uio.uio_resid == 0 && b[2] == '3' && b[4] == '4');
}

static void test_numbers(void) {
    assert(min(3, 4) == 3 && max(3, 4) == 4 && imin(-1, 1) == -1 && imax(-1, 1) == 1);
    assert(lmin(-5, 2) == -5 && ulmax(1, ~0UL) == ~0UL);
    assert(ntohs(htons(0x1234)) == 0x1234 && ntohl(htonl(0x12345678)) == 0x12345678);
    unsigned char order[2];
    unsigned short net = htons(0x0102);
    memcpy(order, &net, 2);
    assert(order[0] == 1 && order[1] == 2);
    assert(random() >= 0);
}

struct element {
    struct element *next, *previous;
};

static void test_queues_of_elements(void) {
    struct element head = {&head, &head}, a, b;
    insque(&a, &head);
    insque(&b, &a);
    assert(head.next == &a && a.next == &b && b.next == &head && head.previous == &b && b.previous == &a);
    remque(&a);
    assert(head.next == &b && b.previous == &head);
}

struct item {
    LIST_ENTRY(item) list;
    TAILQ_ENTRY(item) tail;
};

static void test_lists(void) {
    LIST_HEAD(, item) list;
    TAILQ_HEAD(, item) tail;
    struct item a, b;
    LIST_INIT(&list);
    LIST_INSERT_HEAD(&list, &a, list);
    LIST_INSERT_AFTER(&a, &b, list);
    assert(list.lh_first == &a && a.list.le_next == &b);
    LIST_REMOVE(&a, list);
    assert(list.lh_first == &b);
    TAILQ_INIT(&tail);
    TAILQ_INSERT_TAIL(&tail, &a, tail);
    TAILQ_INSERT_TAIL(&tail, &b, tail);
    TAILQ_REMOVE(&tail, &b, tail);
    assert(tail.tqh_first == &a && a.tail.tqe_next == NULL && tail.tqh_last == &a.tail.tqe_next);
}

struct member {
    int number;
    SIMPLEQ_ENTRY(member) simple;
    CIRCLEQ_ENTRY(member) circle;
    TAILQ_ENTRY(member) tail;
};

static void test_other_queues(void) {
    SIMPLEQ_HEAD(, member) simple;
    CIRCLEQ_HEAD(circle_head, member) circle;
    TAILQ_HEAD(tail_head, member) tail = TAILQ_HEAD_INITIALIZER(tail);
    struct member members[3] = {{.number = 0}, {.number = 1}, {.number = 2}}, *each;
    SIMPLEQ_INIT(&simple);
    CIRCLEQ_INIT(&circle);
    SIMPLEQ_INSERT_TAIL(&simple, &members[1], simple);
    SIMPLEQ_INSERT_HEAD(&simple, &members[0], simple);
    SIMPLEQ_INSERT_TAIL(&simple, &members[2], simple);
    CIRCLEQ_INSERT_HEAD(&circle, &members[1], circle);
    CIRCLEQ_INSERT_HEAD(&circle, &members[0], circle);
    CIRCLEQ_INSERT_TAIL(&circle, &members[2], circle);
    TAILQ_INSERT_TAIL(&tail, &members[2], tail);
    TAILQ_INSERT_BEFORE(&members[2], &members[0], tail);
    TAILQ_INSERT_AFTER(&tail, &members[0], &members[1], tail);
    int numbers = 0;
    TAILQ_FOREACH(each, &tail, tail)
    numbers = numbers * 10 + each->number;
    assert(numbers == 12 && TAILQ_LAST(&tail, tail_head) == &members[2] && TAILQ_FIRST(&tail) == &members[0]);
    assert(TAILQ_PREV(&members[2], tail_head, tail) == &members[1] && TAILQ_NEXT(&members[0], tail) == &members[1]);
    SIMPLEQ_REMOVE_HEAD(&simple, &members[0], simple);
    assert(simple.sqh_first == &members[1] && members[1].simple.sqe_next == &members[2]);
    CIRCLEQ_REMOVE(&circle, &members[1], circle);
    assert(circle.cqh_first->circle.cqe_next == &members[2] && circle.cqh_last->circle.cqe_prev == &members[0]);
    CIRCLEQ_REMOVE(&circle, &members[0], circle);
    CIRCLEQ_REMOVE(&circle, &members[2], circle);
    assert(circle.cqh_first == (void *)&circle && circle.cqh_last == (void *)&circle);
}

static void test_messages_are_logged_as_lines(void) {
    logged[0] = 0;
    bsd_printf("half ");
    assert(logged[0] == 0);
    bsd_printf("line %d\n", 7);
    assert(strcmp(logged, "half line 7") == 0);
    bsd_log(LOG_DEBUG, "quiet\n");
    assert(strcmp(logged, "half line 7") == 0);
    bsd_log(LOG_ERR, "loud\n");
    assert(strcmp(logged, "loud") == 0);
}

static void test_processes(void) {
    u_short flags = 0;
    assert(suser(curproc->p_ucred, &flags) == 0 && pfind(1) == NULL);
    int value = 5, other = 9;
    size_t length = sizeof other;
    assert(sysctl_int(&other, &length, NULL, 0, &value) == 0 && other == 5);
    other = 7;
    assert(sysctl_int(NULL, &length, &other, sizeof other, &value) == 0 && value == 7);
    assert(sysctl_rdint(NULL, &length, &other, value) == EPERM);
    struct timeval mine = {1, 2}, read;
    length = sizeof read - 1;
    assert(sysctl_rdstruct(&read, &length, NULL, &mine, sizeof mine) == ENOMEM);
    length = sizeof read;
    assert(sysctl_rdstruct(&read, &length, NULL, &mine, sizeof mine) == 0 && read.tv_usec == 2);
    assert(sysctl_rdstruct(&read, &length, &read, &mine, sizeof mine) == EPERM);
    read.tv_sec = 9;
    assert(sysctl_struct(NULL, &length, &read, sizeof read, &mine, sizeof mine) == 0 && mine.tv_sec == 9);
    assert(sysctl_struct(NULL, &length, &read, sizeof read + 1, &mine, sizeof mine) == EINVAL);
    char text[8];
    length = sizeof text;
    assert(sysctl_rdstring(text, &length, NULL, "name") == 0 && length == 5 && strcmp(text, "name") == 0);
}

static void test_checksum(void) {
    /* RFC 1071's example: 00 01 f2 03 f4 f5 f6 f7 has the sum ddf2. */
    static const unsigned char example[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    for (size_t cut = 0; cut <= sizeof example; cut++) {
        struct mbuf *m = m_gethdr(M_DONTWAIT, MT_DATA), *n = m_get(M_DONTWAIT, MT_DATA);
        m->m_next = n;
        n->m_data++; /* unaligned */
        memcpy(m->m_data, example, cut);
        memcpy(n->m_data, example + cut, sizeof example - cut);
        m->m_len = (int)cut;
        n->m_len = (int)(sizeof example - cut);
        int sum = in_cksum(m, sizeof example);
        assert(ntohs((u_short)sum) == (u_short)~0xddf2);
        m_freem(m);
    }
    struct mbuf *odd = data("abc");
    assert(ntohs((u_short)in_cksum(odd, 3)) == (u_short)~(0x6162 + 0x6300));
    assert(in_cksum(odd, 5) && strstr(logged, "out of data"));
    m_freem(odd);
}

static void panics(void *argument) { (void)argument, panic("test %d", 5); }

/* The last: the instance is over after it. */
static void test_panic_ends_the_instance(void) {
    assert(!capsule_run(panics, NULL) && capsule_failed() && strcmp(panicstr, "test 5") == 0);
    assert(strstr(logged, "test 5"));
    fasts = 0;
    step(1000);
    assert(fasts == 0);
}

int main(void) {
    begin();
    RUN(domains_are_initialized_once);
    RUN(protocols_are_found);
    RUN(control_input_reaches_all);
    RUN(periodic_timeouts);
    RUN(timeouts);
    RUN(callouts);
    RUN(a_sleep_brings_timeouts_forward);
    RUN(time_follows_the_host);
    RUN(memory_is_counted);
    RUN(bytes);
    RUN(numbers);
    RUN(queues_of_elements);
    RUN(lists);
    RUN(other_queues);
    RUN(messages_are_logged_as_lines);
    RUN(processes);
    RUN(checksum);
    RUN(panic_ends_the_instance);
    finish();
    return 0;
}
