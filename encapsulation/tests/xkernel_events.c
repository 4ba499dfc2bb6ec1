/* Events of the x-kernel, lines of configuration, memory, time, semaphores: one test for each routine. */
#define OPTIONS "rom=first fast 3;second x;; first  10.0.0.1 02:0:0:0:0:ff"
#include "tests/xkernel_tools.h"

static const struct xk_lower lowers[] = {{"wire", XK_FRAMES, 0}, {0}};
static const struct xk_protocol protocols[] = {{"first", NULL, {"wire"}, NULL}, {0}};
static const struct xk_device devices[] = {{0}};
const struct xk_graph xk_graph = {lowers, protocols, devices, NULL};

static XObj first;

static int lines[4], fields_seen;
static xkern_return_t take_line(XObj object, char **fields, int count, int line, void *argument) {
    assert(object == first && strcmp(fields[0], "first") == 0 && argument == lines);
    fields_seen += count;
    lines[line]++;
    return XK_SUCCESS;
}
static xkern_return_t take_named(char **fields, int count, int line, void *argument) {
    (void)argument;
    assert(count == 2 && line == 2);
    return strcmp(fields[1], "x") == 0 ? XK_SUCCESS : XK_FAILURE;
}

static void test_lines_of_rom(void) {
    XObjRomOpt any[] = {{(char[]){"fast"}, 3, take_line}, {(char[]){""}, 2, take_line}};
    XObjRomOpt few[] = {{(char[]){"fast"}, 3, take_line}};
    RomOpt named[] = {{(char[]){"x"}, 2, take_named}};
    assert(strcmp(rom[0][1], "fast") == 0 && !rom[0][3] && strcmp(rom[2][2], "02:0:0:0:0:ff") == 0 && !rom[3][0]);
    assert(findXObjRomOpts(first, any, 2, lines) == XK_SUCCESS && lines[1] == 1 && lines[3] == 1 && fields_seen == 6);
    assert(findXObjRomOpts(first, few, 1, lines) == XK_FAILURE); /* a line that fits none */
    assert(findRomOpts((char[]){"second"}, named, 1, NULL) == XK_SUCCESS);
    assert(findRomOpts((char[]){"nobody"}, named, 1, NULL) == XK_SUCCESS);
}

static int fired;
static Event self_event;
static int is_cancelled;

static void fire(Event event, void *argument) {
    (void)event;
    fired += (int)(intptr_t)argument;
}

static void test_evSchedule(void) {
    fired = 0;
    evDetach(evSchedule(fire, (void *)1, 5000));
    evDetach(evSchedule(fire, (void *)10, 0));
    evDetach(evSchedule(fire, (void *)100, -5));
    assert(fired == 0); /* never within the caller */
    step(1);
    assert(fired == 110);
    step(5);
    assert(fired == 111);
}

static void test_evDetach(void) {
    fired = 0;
    size_t before = capsule_held();
    Event event = evSchedule(fire, (void *)1, 1000);
    step(2);
    assert(fired == 1 && capsule_held() > before); /* it is kept for its owner */
    evDetach(event);
    evDetach(evSchedule(fire, (void *)1, 1000));
    step(2);
    assert(fired == 2 && capsule_held() == before);
}

static EvCancelReturn within;
static void cancel_itself(Event event, void *argument) {
    (void)argument;
    within = evCancel(event);
    is_cancelled = evIsCancelled(event) != 0;
}

static void test_evCancel(void) {
    fired = 0;
    size_t before = capsule_held();
    assert(evCancel(evSchedule(fire, (void *)1, 1000)) == EVENT_CANCELLED);
    step(2);
    assert(fired == 0);
    Event done = evSchedule(fire, (void *)1, 0);
    step(1);
    assert(evCancel(done) == EVENT_FINISHED && fired == 1);
    evSchedule(cancel_itself, NULL, 0);
    step(1);
    assert(within == EVENT_RUNNING && capsule_held() == before);
}

static void look(Event event, void *argument) {
    (void)argument;
    is_cancelled = evIsCancelled(event) != 0;
    self_event = event;
}

static void test_evIsCancelled(void) {
    evSchedule(cancel_itself, NULL, 0);
    step(1);
    assert(is_cancelled);
    Event event = evSchedule(look, NULL, 0);
    assert(!evIsCancelled(event));
    step(1);
    assert(!is_cancelled && self_event == event);
    evDetach(event);
}

/* An event that schedules the next one, as protocols do. */
static void again(Event event, void *argument) {
    evDetach(event);
    if (++fired < 5)
        evSchedule(again, argument, 1000);
}

static void test_events_schedule_events(void) {
    fired = 0;
    evSchedule(again, NULL, 1000);
    step(10);
    assert(fired == 5);
}

static void test_traces_and_errors_are_logged(void) {
    xTraceLine("a %s of %d\n", "trace", 3);
    assert(strcmp(logged, "a trace of 3") == 0);
    xError("an error");
    assert(strcmp(logged, "an error") == 0);
}

static void test_texts_of_addresses(void) {
    IPhost host = {10, 1, 2, 255};
    ETHhost station;
    memcpy(&station, "\x02\x00\x00\x00\x0a\xff", 6);
    IPhost read, mask = {255, 255, 0, 0};
    ETHhost from;
    assert(str2ipHost(&read, (char[]){"10.1.2.255"}) == XK_SUCCESS && IP_EQUAL(read, host));
    assert(str2ethHost(&from, (char[]){"02:0:00:0:A:ff"}) == XK_SUCCESS && ETH_ADS_EQUAL(from, station));
    assert(str2ipHost(&read, (char[]){"10.1.2"}) == XK_FAILURE);
    assert(str2ipHost(&read, (char[]){"10.1.2.256"}) == XK_FAILURE);
    assert(str2ethHost(&from, (char[]){"02:0:0:0:0:0:0"}) == XK_FAILURE);
    IP_AND(read, host, mask);
    assert(strcmp(ipHostStr(&read), "10.1.0.0") == 0);
    IP_COMP(read, mask);
    IP_OR(read, read, host);
    assert(strcmp(ipHostStr(&read), "10.1.255.255") == 0);
    assert(strcmp(ipHostStr(&host), "10.1.2.255") == 0 && strcmp(ethHostStr(&station), "02:00:00:00:0a:ff") == 0);
}

static IPhost ip(u_char a, u_char b, u_char c, u_char d) { return (IPhost){a, b, c, d}; }

static void test_netmasks(void) {
    IPhost mask, net = ip(10, 0, 0, 0), bits = ip(255, 255, 0, 0), hosts[] = {ip(10, 1, 2, 3), ip(10, 2, 0, 1)};
    IPhost class_b = ip(172, 16, 1, 1), class_c = ip(192, 168, 1, 1);
    netMaskInit();
    netMaskDefault(&mask, &class_b);
    assert(strcmp(ipHostStr(&mask), "255.255.0.0") == 0);
    netMaskDefault(&mask, &class_c);
    assert(strcmp(ipHostStr(&mask), "255.255.255.0") == 0);
    assert(netMaskSubnetsEqual(&hosts[0], &hosts[1]) && netMaskNetsEqual(&hosts[0], &hosts[1]));
    assert(netMaskAdd(&net, &bits) == 0);
    netMaskFind(&mask, &hosts[0]);
    assert(IP_EQUAL(mask, bits));
    assert(!netMaskSubnetsEqual(&hosts[0], &hosts[1]) && netMaskNetsEqual(&hosts[0], &hosts[1]));
    assert(!netMaskNetsEqual(&hosts[0], &class_b));
    IPhost all = ip(10, 1, 255, 255), none = ip(10, 1, 0, 0), whole = ip(10, 255, 255, 255);
    assert(netMaskIsBroadcast(&all) && netMaskIsBroadcast(&none) && netMaskIsBroadcast(&whole));
    assert(netMaskIsBroadcast(&IP_LOCAL_BCAST) && !netMaskIsBroadcast(&hosts[0]));
    for (int i = 0; i < 70; i++) {
        net = ip(11, 0, 0, 0);
        net.a = (u_char)(11 + i);
        assert(netMaskAdd(&net, &bits) == (i < 63 ? 0 : -1));
    }
}

static void test_xGetTime(void) {
    XTime time;
    now = 5000001 * MS;
    xGetTime(&time);
    assert(time.sec == 5000 && time.usec == 1000);
}

static void test_ocsum(void) {
    u_short words[] = {0xffff, 1, 2};
    assert(ocsum(words, 3) == 3);
}

static void test_memory_with_small_addresses(void) {
    char *pieces[100];
    for (int i = 0; i < 100; i++) {
        pieces[i] = xk_low_allocate((size_t)i * i * 10);
        assert(pieces[i] && (char *)(intptr_t)(int)(intptr_t)pieces[i] == pieces[i] && (uintptr_t)pieces[i] % 16 == 0);
        memset(pieces[i], i, (size_t)i * (size_t)i * 10);
    }
    for (int i = 0; i < 100; i++) {
        assert(i == 0 || (pieces[i][0] == i && pieces[i][i * i * 10 - 1] == i));
        xk_low_free(pieces[i]);
    }
    assert(xk_low_allocate(98010) == pieces[99] && xk_low_allocate(98010) == pieces[98]); /* they are taken again */
    assert(!xk_low_allocate(65U << 20) && xk_low_allocate(30U << 20) && !xk_low_allocate(32U << 20));
    xk_low_free(NULL);
}

static void test_xMalloc(void) {
    size_t before = capsule_held();
    char *memory = xMalloc(100), *none = xMalloc(0);
    assert(memory && none && capsule_held() == before + 101);
    xFree(memory);
    xFree(none);
    xFree(NULL);
    assert(capsule_held() == before);
}

static void wait_for_nothing(void *argument) {
    Semaphore *semaphore = argument;
    semWait(semaphore);
}

/* Last: the instance ends. */
static void test_a_semaphore_that_would_block_ends_the_instance(void) {
    Semaphore semaphore;
    semInit(&semaphore, 1);
    semWait(&semaphore);
    semSignal(&semaphore);
    semWait(&semaphore);
    assert(!capsule_run(wait_for_nothing, &semaphore) && strstr(logged, "semWait"));
}

int main(void) {
    begin();
    xk_start();
    first = xGetProtlByName("first");
    RUN(evSchedule);
    RUN(evDetach);
    RUN(evCancel);
    RUN(evIsCancelled);
    RUN(events_schedule_events);
    RUN(lines_of_rom);
    RUN(traces_and_errors_are_logged);
    RUN(texts_of_addresses);
    RUN(netmasks);
    RUN(xGetTime);
    RUN(ocsum);
    RUN(xMalloc);
    RUN(memory_with_small_addresses);
    RUN(a_semaphore_that_would_block_ends_the_instance);
    finish();
    return 0;
}
