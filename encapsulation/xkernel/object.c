/* Protocols and sessions: creation, references, and the operations of the uniform protocol interface. */
#include "inside.h"

static XObj all;
static int protocols;

static XObj no_open(XObj self, XObj receiver, XObj type, Part *p) {
    (void)self, (void)receiver, (void)type, (void)p;
    return ERR_XOBJ;
}

static xkern_return_t no_enable(XObj self, XObj receiver, XObj type, Part *p) {
    (void)self, (void)receiver, (void)type, (void)p;
    return XK_FAILURE;
}

static xkern_return_t no_demux(XObj self, XObj lls, Msg *m) { return (void)self, (void)lls, (void)m, XK_FAILURE; }
static xkern_return_t no_pop(XObj self, XObj lls, Msg *m, void *h) {
    return (void)self, (void)lls, (void)m, (void)h, XK_FAILURE;
}
static xkern_return_t no_calldemux(XObj self, XObj lls, Msg *m, Msg *reply) {
    return (void)self, (void)lls, (void)m, (void)reply, XK_FAILURE;
}
static xkern_return_t no_callpop(XObj self, XObj lls, Msg *m, void *h, Msg *reply) {
    return (void)self, (void)lls, (void)m, (void)reply, (void)h, XK_FAILURE;
}
static xmsg_handle_t no_push(XObj self, Msg *m) { return (void)self, (void)m, XMSG_ERR_HANDLE; }
static xkern_return_t no_call(XObj self, Msg *m, Msg *reply) {
    return (void)self, (void)m, (void)reply, XK_FAILURE;
}
static int no_control(XObj self, int opcode, char *buf, int len) {
    return (void)self, (void)opcode, (void)buf, (void)len, -1;
}
static xkern_return_t nothing(XObj self) { return (void)self, XK_SUCCESS; }
static xkern_return_t refuse(XObj self) { return (void)self, XK_FAILURE; }
static xkern_return_t disable_nothing(XObj self, XObj receiver) { return (void)self, (void)receiver, XK_SUCCESS; }
static xkern_return_t accept_open(XObj self, XObj lls, XObj llp, XObj type) {
    return (void)self, (void)lls, (void)llp, (void)type, XK_SUCCESS;
}
static xkern_return_t count_one(XObj self) { return self->rcnt++, XK_SUCCESS; }

static XObj create(XObjType type, int count, XObj *down) {
    XObj it = (XObj)(void *)xMalloc(sizeof *it);
    *it = (struct xobj){
        .type = type, .open = no_open, .close = type == Session ? refuse : nothing, .closedone = nothing,
        .openenable = no_enable, .opendisable = no_enable, .opendisableall = disable_nothing, .opendone = accept_open,
        .demux = no_demux, .calldemux = no_calldemux, .pop = no_pop, .callpop = no_callpop, .push = no_push,
        .call = no_call, .control = no_control, .duplicate = count_one, .shutdown = nothing, .xk_next = all};
    if (all)
        all->xk_previous = it;
    all = it;
    for (int i = 0; i < count; i++)
        xSetDown(it, i, down[i]);
    return it;
}

XObj xCreateSessn(Pfv init, XObj receiver, XObj type, XObj llp, int count, XObj *down) {
    XObj it = create(Session, count, down);
    it->name = llp->name;
    it->instName = llp->instName;
    it->fullName = llp->fullName;
    it->traceVar = llp->traceVar;
    it->myprotl = llp;
    it->up = receiver;
    it->hlpType = type;
    llp->rcnt++;
    if (init)
        ((void (*)(XObj))init)(it);
    return it;
}

static char *copied(const char *name, const char *separator, const char *more) {
    unsigned size = (unsigned)(strlen(name) + strlen(separator) + strlen(more) + 1);
    char *copy = xMalloc(size);
    snprintf(copy, size, "%s%s%s", name, separator, more);
    return copy;
}

XObj xCreateProtl(Pfv init, char *name, char *instance, int *trace, int count, XObj *down) {
    XObj it = create(Protocol, count, down);
    it->rcnt = 1;
    it->traceVar = trace;
    it->name = copied(name, "", "");
    it->instName = copied(instance, "", "");
    it->fullName = copied(name, *instance ? "/" : "", instance);
    it->myprotl = it;
    it->up = ERR_XOBJ;
    it->id = ++protocols;
    if (init)
        ((void (*)(XObj))init)(it);
    return it;
}

xkern_return_t xDestroy(XObj it) {
    if (it->type == Session) {
        xClose(it->myprotl);
    } else {
        xFree(it->name);
        xFree(it->instName);
        xFree(it->fullName);
    }
    if (it->xk_previous)
        it->xk_previous->xk_next = it->xk_next;
    else
        all = it->xk_next;
    if (it->xk_next)
        it->xk_next->xk_previous = it->xk_previous;
    xFree((char *)it->downlist);
    xFree(it->state);
    xFree((char *)it);
    return XK_SUCCESS;
}

XObj xGetDown(XObj it, int i) {
    if (i < 0 || i >= it->numdown)
        return ERR_XOBJ;
    return i < STD_DOWN ? it->down[i] : it->downlist[i - STD_DOWN];
}

xkern_return_t xSetDown(XObj it, int i, XObj below) {
    if (i < 0 || i >= 4096)
        return XK_FAILURE;
    int further = i - STD_DOWN;
    if (further >= it->downlistsz) {
        int size = (further / STD_DOWN + 1) * STD_DOWN;
        XObj *list = (XObj *)(void *)xMalloc((unsigned)size * (unsigned)sizeof *list);
        for (int j = 0; j < size; j++)
            list[j] = j < it->downlistsz ? it->downlist[j] : ERR_XOBJ;
        xFree((char *)it->downlist);
        it->downlist = list;
        it->downlistsz = size;
    }
    for (int j = it->numdown; j < i && j < STD_DOWN; j++)
        it->down[j] = ERR_XOBJ;
    if (further < 0)
        it->down[i] = below;
    else
        it->downlist[further] = below;
    if (it->numdown <= i)
        it->numdown = i + 1;
    return XK_SUCCESS;
}

XObj xOpen(XObj receiver, XObj type, XObj llp, Part *p) {
    XObj session = llp->open(llp, receiver, type, p);
    if (xIsXObj(session))
        session->rcnt++;
    else
        session = ERR_XOBJ; /* protocols also return a null pointer */
    return session;
}

xkern_return_t xOpenEnable(XObj receiver, XObj type, XObj llp, Part *p) {
    return llp->openenable(llp, receiver, type, p);
}

xkern_return_t xOpenDisable(XObj receiver, XObj type, XObj llp, Part *p) {
    return llp->opendisable(llp, receiver, type, p);
}

xkern_return_t xOpenDisableAll(XObj receiver, XObj llp) { return llp->opendisableall(llp, receiver); }

xkern_return_t xOpenDone(XObj hlp, XObj session, XObj llp) {
    session->up = hlp;
    return hlp->opendone ? hlp->opendone(hlp, session, llp, session->hlpType) : XK_SUCCESS;
}

xkern_return_t xCloseDone(XObj session) {
    XObj hlp = session->up;
    return xIsXObj(hlp) && hlp->closedone ? hlp->closedone(session) : XK_SUCCESS;
}

xkern_return_t xClose(XObj it) {
    it->rcnt--;
    if (it->rcnt <= 0)
        it->close(it);
    return XK_SUCCESS;
}

xkern_return_t xDuplicate(XObj session) { return session->duplicate(session); }

xmsg_handle_t xPush(XObj session, Msg *m) { return session->push(session, m); }

/* A session that nobody refers to is closed after the call: it was created for this message alone. */
xkern_return_t xPop(XObj session, XObj lls, Msg *m, void *header) {
    session->rcnt++;
    xkern_return_t result = session->pop(session, lls, m, header);
    xClose(session);
    return result;
}

xkern_return_t xDemux(XObj session, Msg *m) {
    XObj hlp = session->up;
    return xIsXObj(hlp) && hlp->demux ? hlp->demux(hlp, session, m) : XK_SUCCESS;
}

xkern_return_t xCall(XObj session, Msg *m, Msg *reply) { return session->call(session, m, reply); }

xkern_return_t xCallPop(XObj session, XObj lls, Msg *m, void *header, Msg *reply) {
    session->rcnt++;
    xkern_return_t result = session->callpop(session, lls, m, header, reply);
    xClose(session);
    return result;
}

xkern_return_t xCallDemux(XObj session, Msg *m, Msg *reply) {
    XObj hlp = session->up;
    return xIsXObj(hlp) && hlp->calldemux ? hlp->calldemux(hlp, session, m, reply) : XK_SUCCESS;
}

int xControl(XObj it, int opcode, char *buf, int len) {
    return xIsXObj(it) && it->control ? it->control(it, opcode, buf, len) : -1;
}

xkern_return_t xShutDown(XObj it) { return it->shutdown ? it->shutdown(it) : XK_SUCCESS; }

Part *xGetParticipants(XObj session) {
    Part *both = (Part *)(void *)xMalloc(2 * sizeof *both);
    if (xk_participants(session, both))
        return both;
    xFree((char *)both);
    return NULL;
}

XObj xGetProtlByName(char *name) {
    for (XObj it = all; it; it = it->xk_next)
        if (it->type == Protocol && (strcmp(it->name, name) == 0 || strcmp(it->fullName, name) == 0))
            return it;
    return ERR_XOBJ;
}

int xIsValidXObj(XObj given) {
    XObj it = all;
    while (it && it != given)
        it = it->xk_next;
    return it != NULL;
}

bool xk_is_referred(XObj protocol) {
    for (XObj it = all; it; it = it->xk_next)
        if (it->type == Session && (it->up == protocol || it->hlpType == protocol))
            return true;
    return false;
}

void xPrintXObj(XObj it) {
    if (!xIsXObj(it))
        capsule_log("no object");
    else
        capsule_log("%s %s: %d references, %d below", it->type == Session ? "session of" : "protocol", it->fullName,
                    it->rcnt, it->numdown);
}
