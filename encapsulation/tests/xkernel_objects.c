/* Events, and the uniform protocol interface of the x-kernel: references, defaults, operations. */
#define OPTIONS "rom=first fast 3;second x;; first  10.0.0.1 02:0:0:0:0:ff", "trace=4"
#include "tests/xkernel_tools.h"

static void init_first(XObj self);
static int tracefirst;
static const struct xk_lower lowers[] = {{"wire", XK_FRAMES, 0}, {0}};
static const struct xk_protocol protocols[] = {
    {"first", init_first, {"wire"}, &tracefirst}, {"second", NULL, {"first", "wire"}, NULL}, {0}};
static const struct xk_device devices[] = {{0}};
static const struct xk_number numbers[] = {{"second", "first", 17}, {0}};
const struct xk_graph xk_graph = {lowers, protocols, devices, numbers};

static XObj first, second, wire;
static int inits;

static void init_first(XObj self) {
    inits++;
    assert(strcmp(self->name, "first") == 0 && xGetDown(self, 0) == xGetProtlByName("wire"));
}

static void test_the_graph_is_created_once(void) {
    xk_start();
    xk_start();
    first = xGetProtlByName("first");
    second = xGetProtlByName("second");
    wire = xGetProtlByName("wire");
    assert(inits == 1 && xIsProtocol(first) && xGetDown(second, 0) == first && xGetDown(second, 1) == wire);
    assert(xGetDown(second, 2) == ERR_XOBJ && xGetDown(second, -1) == ERR_XOBJ && first->rcnt == 1);
    assert(tracefirst == 4 && xIsProtocol(xNullProtl) && protTblGetId("second") == second->id);
    assert(protTblGetId("third") == -1 && xGetProtlByName("third") == ERR_XOBJ && xMyProtl(first) == first && first->traceVar == &tracefirst);
}

static void test_relProtNum(void) {
    assert(relProtNum(second, first) == 17 && relProtNum(first, second) == -1 && relProtNum(second, wire) == -1);
}

/* Events. */

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

/* Sessions. */

static int closed, popped, demuxed, opened_done;
static xkern_return_t close_session(XObj s) {
    closed++;
    return xDestroy(s);
}
static xkern_return_t pop_session(XObj s, XObj lls, Msg *m, void *header) {
    assert(s->rcnt >= 1 && lls == wire && header == &popped);
    popped++;
    return xDemux(s, m);
}
static void init_session(XObj s) {
    s->close = close_session;
    s->pop = pop_session;
}
static xkern_return_t take(XObj self, XObj lls, Msg *m) {
    assert(self == second && xMyProtl(lls) == first && msgLen(m) == 0);
    demuxed++;
    return XK_SUCCESS;
}
static xkern_return_t done(XObj self, XObj lls, XObj llp, XObj type) {
    assert(self == second && llp == first && type == second && lls->up == second);
    opened_done++;
    return XK_SUCCESS;
}
static XObj session;
static XObj open_first(XObj self, XObj receiver, XObj type, Part *p) {
    (void)p;
    if (!session)
        session = xCreateSessn((Pfv)init_session, receiver, type, self, 1, &wire);
    return session;
}
static XObj open_null(XObj self, XObj receiver, XObj type, Part *p) {
    return (void)self, (void)receiver, (void)type, (void)p, NULL;
}

static void test_references_of_sessions(void) {
    session = NULL;
    closed = 0;
    first->open = open_first;
    assert(xOpen(second, second, first, NULL) == session && session->rcnt == 1 && first->rcnt == 2);
    assert(xIsSession(session) && !xIsProtocol(session) && xGetUp(session) == second && xHlpType(session) == second);
    assert(xOpen(second, second, first, NULL) == session && session->rcnt == 2);
    assert(xDuplicate(session) == XK_SUCCESS && session->rcnt == 3 && xIsValidXObj(session));
    assert(xk_is_referred(second));
    xClose(session);
    xClose(session);
    assert(closed == 0);
    XObj gone = session;
    xClose(session);
    assert(closed == 1 && first->rcnt == 1 && !xIsValidXObj(gone) && !xk_is_referred(second));
    first->open = open_null;
    assert(xOpen(second, second, first, NULL) == ERR_XOBJ); /* a null pointer is no session either */
}

static void test_a_session_for_one_message_is_closed(void) {
    Msg m;
    msgConstructEmpty(&m);
    closed = popped = demuxed = 0;
    second->demux = take;
    XObj passive = xCreateSessn((Pfv)init_session, second, second, first, 1, &wire);
    assert(xPop(passive, wire, &m, &popped) == XK_SUCCESS && popped == 1 && demuxed == 1 && closed == 1);
    passive = xCreateSessn((Pfv)init_session, second, second, first, 1, &wire);
    xDuplicate(passive); /* its user keeps it */
    assert(xPop(passive, wire, &m, &popped) == XK_SUCCESS && closed == 1);
    xClose(passive);
    assert(closed == 2);
}

static int close_dones;
static xkern_return_t lost(XObj s) {
    assert(xMyProtl(s) == first);
    close_dones++;
    return XK_SUCCESS;
}

static void test_xOpenDone_xCloseDone(void) {
    opened_done = close_dones = 0;
    XObj passive = xCreateSessn((Pfv)init_session, first, second, first, 0, NULL);
    second->opendone = done;
    second->closedone = lost;
    assert(xOpenDone(second, passive, first) == XK_SUCCESS && opened_done == 1 && xGetUp(passive) == second);
    assert(xCloseDone(passive) == XK_SUCCESS && close_dones == 1);
    second->opendone = NULL;
    assert(xOpenDone(second, passive, first) == XK_SUCCESS);
    xDestroy(passive);
}

static void test_operations_that_are_missing_fail(void) {
    Msg m, reply;
    char buffer[8];
    msgConstructEmpty(&m);
    msgConstructEmpty(&reply);
    XObj s = xCreateSessn(NULL, second, second, first, 0, NULL);
    second->demux = NULL;
    assert(xPush(s, &m) == XMSG_ERR_HANDLE && xDemux(s, &m) == XK_SUCCESS && xCall(s, &m, &reply) == XK_FAILURE);
    assert(xCallDemux(s, &m, &reply) == XK_FAILURE && xControl(s, GETMYHOST, buffer, 8) == -1);
    assert(xControl(ERR_XOBJ, GETMYHOST, buffer, 8) == -1 && xShutDown(s) == XK_SUCCESS);
    assert(xGetParticipants(s) == NULL);
    xDuplicate(s);
    xDuplicate(s);
    assert(xCallPop(s, wire, &m, NULL, &reply) == XK_FAILURE && s->rcnt == 2);
    assert(xOpenEnable(first, first, second, NULL) == XK_FAILURE);
    assert(xOpenDisable(first, first, second, NULL) == XK_FAILURE && xOpenDisableAll(first, second) == XK_SUCCESS);
    xDestroy(s);
}

static xkern_return_t answer(XObj s, Msg *m, Msg *reply) {
    (void)s;
    msgAssign(reply, m);
    return XK_SUCCESS;
}

static void test_calls_are_passed(void) {
    Msg m, reply;
    char text[] = "call";
    msgConstructBuffer(&m, text, 4);
    msgConstructEmpty(&reply);
    XObj s = xCreateSessn(NULL, second, second, first, 0, NULL);
    s->call = answer;
    assert(xCall(s, &m, &reply) == XK_SUCCESS && msgLen(&reply) == 4);
    msgDestroy(&m);
    msgDestroy(&reply);
    xDestroy(s);
}

static void test_objects_below(void) {
    XObj s = xCreateSessn(NULL, second, second, first, 0, NULL);
    assert(xSetDown(s, 20, wire) == XK_SUCCESS && xGetDown(s, 20) == wire && xGetDown(s, 3) == ERR_XOBJ);
    assert(xGetDown(s, 12) == ERR_XOBJ && xGetDown(s, 21) == ERR_XOBJ);
    assert(xSetDown(s, 2, first) == XK_SUCCESS && xGetDown(s, 2) == first && xSetDown(s, -1, first) == XK_FAILURE);
    xPrintXObj(s);
    assert(strstr(logged, "21 below"));
    xDestroy(s);
}

static int forgotten;
static void forget(void *key, Enable *enable) {
    (void)key;
    assert(enable->hlp == second);
    forgotten++;
}

static void test_default_operations(void) {
    Map map = mapCreate(8, sizeof(long)), any = mapCreate(8, -1);
    long key = 1, other = 2;
    Enable *enable;
    assert(defaultOpenEnable(map, second, second, &key) == XK_SUCCESS);
    assert(defaultOpenEnable(map, second, second, &key) == XK_SUCCESS);
    assert(defaultOpenEnable(map, first, first, &key) == XK_FAILURE);
    assert(mapResolve(map, &key, &enable) == XK_SUCCESS && enable->hlpRcv == second && enable->rcnt == 2);
    assert(defaultOpenDisable(map, first, second, &key) == XK_FAILURE);
    assert(defaultOpenDisable(map, second, second, &key) == XK_SUCCESS && mapResolve(map, &key, NULL) == XK_SUCCESS);
    assert(defaultOpenDisable(map, second, second, &key) == XK_SUCCESS && mapResolve(map, &key, NULL) == XK_FAILURE);
    assert(defaultOpenDisable(map, second, second, &key) == XK_FAILURE);
    defaultOpenEnable(map, second, second, &key);
    defaultOpenEnable(map, first, first, &other);
    assert(defaultOpenDisableAll(map, second, forget) == XK_SUCCESS && forgotten == 1);
    assert(mapResolve(map, &other, NULL) == XK_SUCCESS && defaultOpenDisable(map, first, first, &other) == XK_SUCCESS);
    assert(defaultVarOpenEnable(any, second, second, "abc", 3) == XK_SUCCESS);
    assert(defaultVarOpenDisable(any, second, second, "abc", 3) == XK_SUCCESS);
    mapClose(map);
    mapClose(any);
}

static int enables[2], disables[2];
static XObj below[2];
static xkern_return_t enable_below(XObj self, XObj receiver, XObj type, Part *p) {
    assert(receiver == first && type == second && *(long *)partPop(p[0]) == 7);
    enables[self == below[1]]++;
    return self == below[1] && disables[0] < 0 ? XK_FAILURE : XK_SUCCESS;
}
static xkern_return_t disable_below(XObj self, XObj receiver, XObj type, Part *p) {
    assert(receiver == first && type == second && *(long *)partPop(p[0]) == 7);
    disables[self == below[1]]++;
    return XK_SUCCESS;
}

static void test_default_virtual_operations(void) {
    Map map = mapCreate(8, sizeof(XObj));
    XObj llp[3] = {NULL};
    long port = 7;
    Part p;
    for (int i = 0; i < 2; i++) {
        llp[i] = below[i] = xCreateProtl(NULL, (char[]){"below"}, (char[]){"1"}, NULL, 0, NULL);
        below[i]->openenable = enable_below;
        below[i]->opendisable = disable_below;
    }
    partInit(&p, 1);
    partPush(p, &port, sizeof port);
    disables[0] = -1; /* the second fails: what was enabled is disabled */
    assert(defaultVirtualOpenEnable(first, map, second, second, llp, &p) == XK_FAILURE);
    assert(enables[0] == 1 && enables[1] == 1 && disables[0] == 0 && disables[1] == 0);
    assert(defaultVirtualOpenEnable(first, map, second, second, llp, &p) == XK_SUCCESS);
    assert(defaultVirtualOpenEnable(first, map, second, second, llp, &p) == XK_SUCCESS && enables[1] == 2);
    assert(defaultVirtualOpenDisable(first, map, second, second, llp, &p) == XK_SUCCESS && disables[1] == 0);
    assert(defaultVirtualOpenDisable(first, map, second, second, llp, &p) == XK_SUCCESS && disables[1] == 1);
    assert(defaultVirtualOpenDisable(first, map, second, second, llp, &p) == XK_FAILURE);
    assert(xGetProtlByName((char[]){"below/1"}) != ERR_XOBJ && *(long *)partPop(p) == 7);
    xDestroy(below[0]);
    xDestroy(below[1]);
    mapClose(map);
}

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

static Map collected;
static void collect(XObj s) {
    mapRemoveBinding(collected, s->binding);
    xDestroy(s);
}

static void test_initSessionCollector(void) {
    collected = mapCreate(8, sizeof(long));
    XObj s[2];
    for (long i = 0; i < 2; i++) {
        s[i] = xCreateSessn(NULL, second, second, first, 0, NULL);
        s[i]->binding = mapBind(collected, &i, s[i]);
    }
    s[1]->rcnt = 1;
    initSessionCollector(collected, 1000, (Pfv)collect, "test");
    step(1);
    assert(xIsValidXObj(s[0]));
    step(3);
    assert(!xIsValidXObj(s[0]) && xIsValidXObj(s[1]));
    s[1]->rcnt = 0;
    step(4);
    assert(!xIsValidXObj(s[1]));
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
    assert(str2ipHost(&read, (char[]){"10.1.2"}) == XK_FAILURE && str2ipHost(&read, (char[]){"10.1.2.256"}) == XK_FAILURE);
    assert(str2ethHost(&from, (char[]){"02:0:0:0:0:0:0"}) == XK_FAILURE);
    IP_AND(read, host, mask);
    assert(strcmp(ipHostStr(&read), "10.1.0.0") == 0);
    IP_COMP(read, mask);
    IP_OR(read, read, host);
    assert(strcmp(ipHostStr(&read), "10.1.255.255") == 0);
    assert(strcmp(ipHostStr(&host), "10.1.2.255") == 0 && strcmp(ethHostStr(&station), "02:00:00:00:0a:ff") == 0);
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
    assert(xk_low_allocate(98010) == pieces[99]); /* free pieces are taken again */
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
    RUN(the_graph_is_created_once);
    RUN(relProtNum);
    RUN(evSchedule);
    RUN(evDetach);
    RUN(evCancel);
    RUN(evIsCancelled);
    RUN(events_schedule_events);
    RUN(references_of_sessions);
    RUN(a_session_for_one_message_is_closed);
    RUN(xOpenDone_xCloseDone);
    RUN(operations_that_are_missing_fail);
    RUN(calls_are_passed);
    RUN(objects_below);
    RUN(default_operations);
    RUN(default_virtual_operations);
    RUN(lines_of_rom);
    RUN(initSessionCollector);
    RUN(traces_and_errors_are_logged);
    RUN(texts_of_addresses);
    RUN(xGetTime);
    RUN(ocsum);
    RUN(xMalloc);
    RUN(memory_with_small_addresses);
    RUN(a_semaphore_that_would_block_ends_the_instance);
    finish();
    return 0;
}
