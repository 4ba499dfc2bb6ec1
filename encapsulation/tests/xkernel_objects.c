/* The uniform protocol interface of the x-kernel: references, defaults, operations. */
#define OPTIONS "trace=4"
#include "tests/xkernel_tools.h"

static void init_first(XObj self);
static int tracefirst;
static const struct xk_lower lowers[] = {{"wire", XK_FRAMES, 0}, {"under", XK_DATAGRAMS, 99}, {0}};
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
    assert(protTblGetId("third") == -1 && xGetProtlByName("third") == ERR_XOBJ);
    assert(xMyProtl(first) == first && first->traceVar == &tracefirst);
}

static void test_relProtNum(void) {
    assert(relProtNum(second, first) == 17 && relProtNum(first, second) == -1 && relProtNum(second, wire) == -1);
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

static void test_lowest_objects(void) {
    char buffer[256];
    int packet = 0;
    Part p[2];
    XObj session_of_first = xOpen(first, first, wire, NULL), under = xGetProtlByName((char[]){"under"});
    assert(xIsSession(session_of_first) && xOpen(first, first, wire, NULL) == session_of_first);
    assert(xOpen(second, second, wire, NULL) == ERR_XOBJ); /* frames go to one protocol */
    assert(xOpenEnable(first, first, wire, NULL) == XK_SUCCESS && xOpenEnable(first, first, wire, NULL) == XK_SUCCESS);
    assert(xOpenEnable(second, second, wire, NULL) == XK_FAILURE);
    assert(xOpenDisable(second, second, wire, NULL) == XK_FAILURE);
    assert(xOpenDisable(first, first, wire, NULL) == XK_SUCCESS);
    assert(xOpenEnable(second, second, wire, NULL) == XK_SUCCESS && xOpenDisableAll(second, wire) == XK_SUCCESS);
    assert(xControl(wire, GETMYHOST, buffer, 6) == 6 && (buffer[0] & 3) == 2);
    assert(xControl(wire, GETMYHOST, buffer, 5) == -1);
    assert(xControl(wire, GETBCASTHOST, buffer, 6) == 6 && memcmp(buffer, "\377\377\377\377\377\377", 6) == 0);
    assert(xControl(under, GETMAXPACKET, (char *)&packet, sizeof packet) == sizeof packet && packet == 99);
    assert(xControl(session_of_first, GETOPTPACKET, (char *)&packet, sizeof packet) == sizeof packet && packet == 1500);
    assert(xControl(wire, RESOLVE, buffer, 6) == -1 && xControl(session_of_first, GETPEERHOST, buffer, 6) == -1);
    assert(xControl(session_of_first, GETPARTICIPANTS, buffer, sizeof buffer) > 0);
    partInternalize(p, buffer);
    assert(partPop(p[0]) == ANY_HOST && partStackTopByteLen(p[1]) == 6);
    xClose(session_of_first);
    xClose(session_of_first);
    assert(!xIsValidXObj(session_of_first));
}

static void test_sessions_below_are_bounded(void) {
    static XObj many[1024];
    XObj under = xGetProtlByName((char[]){"under"}), session_of_peer = ERR_XOBJ;
    Part p;
    for (int i = 0; i < 1030; i++) {
        partInit(&p, 1);
        partPush(p, &i, sizeof i);
        session_of_peer = xOpen(first, first, under, &p);
        assert(xIsXObj(session_of_peer) == (i < 1024));
        if (i < 1024)
            many[i] = session_of_peer;
    }
    xClose(many[7]);
    partInit(&p, 1);
    partPush(p, many, 8);
    many[7] = xOpen(first, first, under, &p);
    assert(xIsSession(many[7]));
    partInit(&p, 1);
    partPush(p, ANY_HOST, 0);
    assert(xOpen(first, first, under, &p) == ERR_XOBJ && xOpen(first, first, under, NULL) == ERR_XOBJ);
    for (int i = 0; i < 1024; i++)
        xClose(many[i]);
}

/* Sessions and maps of protocols may outlive an upper stream. */
static void test_users_are_kept_while_they_are_referred_to(void) {
    static struct xk_upper upper;
    Msg m;
    msgConstructEmpty(&m);
    XObj user = xk_user_create(&upper), other = xk_user_create(&upper), kept = xk_user_create(&upper);
    XObj s = xCreateSessn(NULL, user, user, first, 0, NULL);
    xk_user_release(user, true);
    assert(xIsValidXObj(user) && xDemux(s, &m) == XK_FAILURE && xCloseDone(s) == XK_SUCCESS);
    xk_user_release(kept, false); /* a protocol is still enabled for it */
    assert(xOpenDone(kept, s, first) == XK_FAILURE);
    xDestroy(s);
    xk_user_release(other, true);
    assert(!xIsValidXObj(user) && !xIsValidXObj(other) && xIsValidXObj(kept));
}

static Part *give(XObj s) {
    Part *p = (Part *)(void *)xMalloc(2 * sizeof *p);
    partInit(p, 2);
    partStackPushCopy(&p[0].stack, &s->rcnt, sizeof s->rcnt);
    partStackPushCopy(&p[1].stack, ANY_HOST, 0);
    return p;
}

static void test_xGetParticipants(void) {
    XObj s = xCreateSessn(NULL, second, second, first, 0, NULL);
    s->rcnt = 77;
    s->getparticipants = give;
    Part *p = xGetParticipants(s);
    assert(p && partLen(p) == 2 && partLen(&p[1]) == 2 && *(int *)partPop(p[0]) == 77 && partPop(p[1]) == ANY_HOST);
    xFree((char *)p);
    xDestroy(s);
    s = xOpen(first, first, wire, NULL); /* by GETPARTICIPANTS */
    assert((p = xGetParticipants(s)) && partLen(p) == 2 && partStackTopByteLen(p[1]) == 6);
    xFree((char *)p);
    xClose(s);
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

int main(void) {
    begin();
    RUN(the_graph_is_created_once);
    RUN(relProtNum);
    RUN(references_of_sessions);
    RUN(a_session_for_one_message_is_closed);
    RUN(xOpenDone_xCloseDone);
    RUN(operations_that_are_missing_fail);
    RUN(calls_are_passed);
    RUN(objects_below);
    RUN(lowest_objects);
    RUN(sessions_below_are_bounded);
    RUN(users_are_kept_while_they_are_referred_to);
    RUN(xGetParticipants);
    RUN(default_operations);
    RUN(default_virtual_operations);
    RUN(initSessionCollector);
    finish();
    return 0;
}
