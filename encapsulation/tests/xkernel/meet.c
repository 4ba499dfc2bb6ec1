/* meet: a protocol whose open waits for the peer, and whose push waits for room, in the style of 3.2. */
#include "xkernel.h"

enum { HELLO = 1, WELCOME, DATA, ACK };
#define HEADER 4
#define WINDOW 2
#define RETRY 100000 /* microseconds */
#define TRIES 4

typedef struct {
    Map active, passive;
    XObj lls;
} PState;

typedef struct {
    long port, isServer;
} ActiveKey;

typedef struct {
    XObj self;
    ActiveKey key;
    int tries, met;
    Semaphore answer, room;
    Event event;
} SState;

static void hdrStore(hdr, to, len, arg)
    VOID *hdr;
    char *to;
    long len;
    VOID *arg;
{
    memcpy(to, hdr, HEADER);
}

static long hdrLoad(hdr, from, len, arg)
    VOID *hdr;
    char *from;
    long len;
    VOID *arg;
{
    memcpy(hdr, from, HEADER);
    return HEADER;
}

static xmsg_handle_t sendOn(ss, type, m)
    SState *ss;
    int type;
    Msg *m;
{
    u_char h[HEADER];
    Msg empty;

    h[0] = type;
    h[1] = ss->key.isServer;
    h[2] = ss->key.port >> 8;
    h[3] = ss->key.port;
    msgConstructEmpty(&empty);
    msgPush(m ? m : &empty, hdrStore, h, HEADER, 0);
    xPush(((PState *)xMyProtl(ss->self)->state)->lls, m ? m : &empty);
    msgDestroy(&empty);
    return XMSG_NULL_HANDLE;
}

static void again(ev, arg)
    Event ev;
    VOID *arg;
{
    SState *ss = (SState *)arg;

    evDetach(ev);
    ss->event = 0;
    if (++ss->tries >= TRIES) {
        semSignal(&ss->answer);
        return;
    }
    sendOn(ss, HELLO, (Msg *)0);
    ss->event = evSchedule(again, ss, RETRY);
}

static xmsg_handle_t meetPush(s, m)
    XObj s;
    Msg *m;
{
    SState *ss = (SState *)s->state;

    semWait(&ss->room);
    return sendOn(ss, DATA, m);
}

static xkern_return_t meetPop(s, lls, m, hdr)
    XObj s, lls;
    Msg *m;
    VOID *hdr;
{
    SState *ss = (SState *)s->state;

    switch (*(u_char *)hdr) {
    case HELLO:
        sendOn(ss, WELCOME, (Msg *)0);
        break;
    case WELCOME:
        if (!ss->met)
            semSignal(&ss->answer);
        ss->met = TRUE;
        break;
    case DATA:
        sendOn(ss, ACK, (Msg *)0);
        return xDemux(s, m);
    case ACK:
        semSignal(&ss->room);
        break;
    }
    return XK_SUCCESS;
}

static xkern_return_t meetClose(s)
    XObj s;
{
    SState *ss = (SState *)s->state;

    if (ss->event)
        evCancel(ss->event);
    mapRemoveBinding(((PState *)xMyProtl(s)->state)->active, s->binding);
    return xDestroy(s);
}

static int meetControl(s, op, buf, len)
    XObj s;
    int op, len;
    char *buf;
{
    Part p[2];

    if (op != GETPARTICIPANTS || !xIsSession(s))
        return -1;
    partInit(p, 2);
    partPush(p[0], &((SState *)s->state)->key.port, sizeof(long));
    partPush(p[1], &((SState *)s->state)->key.port, sizeof(long));
    return partExternalize(p, buf, &len) == XK_SUCCESS ? len : -1;
}

static void sessnInit(s)
    XObj s;
{
    s->push = meetPush;
    s->pop = meetPop;
    s->close = meetClose;
    s->control = meetControl;
}

static XObj createSessn(self, hlpRcv, hlpType, port, isServer)
    XObj self, hlpRcv, hlpType;
    long port, isServer;
{
    XObj s = xCreateSessn(sessnInit, hlpRcv, hlpType, self, 0, 0);
    SState *ss = X_NEW(SState);

    bzero((char *)ss, sizeof(SState));
    ss->self = s;
    ss->key.port = port;
    ss->key.isServer = isServer;
    semInit(&ss->answer, 0);
    semInit(&ss->room, WINDOW);
    s->state = (VOID *)ss;
    s->binding = mapBind(((PState *)self->state)->active, &ss->key, s);
    return s;
}

static XObj meetOpen(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long port = *(long *)partPop(p[0]);
    SState *ss;
    XObj s;
    ActiveKey key;

    key.port = port;
    key.isServer = 0;
    if (mapResolve(((PState *)self->state)->active, &key, &s) == XK_SUCCESS)
        return ERR_XOBJ;
    s = createSessn(self, hlpRcv, hlpType, port, 0L);
    ss = (SState *)s->state;
    xDuplicate(s);
    sendOn(ss, HELLO, (Msg *)0);
    ss->event = evSchedule(again, ss, RETRY);
    semWait(&ss->answer);
    if (!ss->met) {
        xClose(s);
        return ERR_XOBJ;
    }
    if (ss->event)
        evCancel(ss->event);
    ss->event = 0;
    s->rcnt--; /* of the caller now, who counts */
    Delay(10);
    return s;
}

static xkern_return_t meetEnable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    return defaultOpenEnable(((PState *)self->state)->passive, hlpRcv, hlpType, partPop(p[0]));
}

static xkern_return_t meetDisable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    return defaultOpenDisable(((PState *)self->state)->passive, hlpRcv, hlpType, partPop(p[0]));
}

static xkern_return_t meetDemux(self, lls, m)
    XObj self, lls;
    Msg *m;
{
    PState *ps = (PState *)self->state;
    u_char h[HEADER];
    ActiveKey key;
    Enable *e;
    XObj s;

    if (!msgPop(m, hdrLoad, h, HEADER, 0) || h[1] > 1)
        return XK_FAILURE;
    key.port = h[2] << 8 | h[3];
    key.isServer = !h[1];
    if (mapResolve(ps->active, &key, &s) == XK_FAILURE) {
        if (h[0] != HELLO || mapResolve(ps->passive, &key.port, &e) == XK_FAILURE)
            return XK_FAILURE;
        s = createSessn(self, e->hlpRcv, e->hlpType, key.port, 1L);
        if (xOpenDone(e->hlpRcv, s, self) == XK_FAILURE) {
            meetClose(s);
            return XK_FAILURE;
        }
    }
    return xPop(s, lls, m, h);
}

void meet_init(self)
    XObj self;
{
    PState *ps = X_NEW(PState);

    self->state = (VOID *)ps;
    ps->active = mapCreate(31, sizeof(ActiveKey));
    ps->passive = mapCreate(31, sizeof(long));
    self->open = meetOpen;
    self->openenable = meetEnable;
    self->opendisable = meetDisable;
    self->demux = meetDemux;
    ps->lls = xOpen(self, self, xGetDown(self, 0), (Part *)0);
    xOpenEnable(self, self, xGetDown(self, 0), (Part *)0);
}
