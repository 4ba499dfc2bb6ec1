/* rr: one request at a time on a channel, exactly once. Requests and replies are messages. */
#include "protocols.h"

enum { REQUEST = 1, REPLY };

typedef struct {
    u_short type, service;
    u_int client, seq;
} RrHdr;

typedef struct {
    XObj lls;
    long client, isServer;
} ActiveKey;

typedef struct {
    Map active, passive;
    u_int next;
    int wait;
} PState;

/* saved: the request of a client, or the reply of a server, as it may have to be sent again. */
typedef struct {
    XObj self;
    u_int client, seq;
    long service;
    int isServer, busy, tries, resent;
    Msg saved;
    Event event;
} SState;

int tracerrp;

static void hdrStore(hdr, to, len, arg)
    VOID *hdr;
    char *to;
    long len;
    VOID *arg;
{
    RrHdr *h = (RrHdr *)hdr;

    PUT2(to, h->type);
    PUT2(to + 2, h->service);
    PUT4(to + 4, h->client);
    PUT4(to + 8, h->seq);
}

static long hdrLoad(hdr, from, len, arg)
    VOID *hdr;
    char *from;
    long len;
    VOID *arg;
{
    RrHdr *h = (RrHdr *)hdr;

    h->type = GET2(from);
    h->service = GET2(from + 2);
    h->client = GET4(from + 4);
    h->seq = GET4(from + 8);
    return RR_HEADER;
}

static xmsg_handle_t sendSaved(ss)
    SState *ss;
{
    xmsg_handle_t result;
    RrHdr h;
    Msg m;

    h.type = ss->isServer ? REPLY : REQUEST;
    h.service = ss->service;
    h.client = ss->client;
    h.seq = ss->seq;
    msgConstructCopy(&m, &ss->saved);
    msgPush(&m, hdrStore, &h, RR_HEADER, 0);
    result = xPush(xGetDown(ss->self, 0), &m);
    msgDestroy(&m);
    return result;
}

static void timeout(ev, arg)
    Event ev;
    VOID *arg;
{
    SState *ss = (SState *)arg;
    PState *ps = (PState *)xMyProtl(ss->self)->state;

    evDetach(ev);
    ss->event = 0;
    if (++ss->tries >= RR_TRIES) {
        xTrace0(rrp, TR_EVENTS, "rr: no reply");
        xCloseDone(ss->self);
        return;
    }
    ss->resent++;
    sendSaved(ss);
    ss->event = evSchedule(timeout, ss, ps->wait << MIN(ss->tries, 3));
}

static xmsg_handle_t rrPush(s, m)
    XObj s;
    Msg *m;
{
    SState *ss = (SState *)s->state;
    PState *ps = (PState *)xMyProtl(s)->state;

    if (!ss->isServer && ss->busy)
        return XMSG_ERR_WOULDBLOCK;
    if (ss->isServer && !ss->busy)
        return XMSG_ERR_HANDLE; /* a reply without a request */
    msgAssign(&ss->saved, m);
    ss->busy = !ss->isServer;
    if (!ss->isServer) {
        ss->seq++;
        ss->tries = 0;
        ss->event = evSchedule(timeout, ss, ps->wait);
    }
    sendSaved(ss); /* what is lost is sent again */
    return XMSG_NULL_HANDLE;
}

static xkern_return_t rrPop(s, lls, m, hdr)
    XObj s, lls;
    Msg *m;
    VOID *hdr;
{
    SState *ss = (SState *)s->state;
    RrHdr *h = (RrHdr *)hdr;

    if (ss->isServer) {
        if (h->seq == ss->seq) { /* once more */
            if (!ss->busy)
                sendSaved(ss);
            return XK_SUCCESS;
        }
        if (ss->busy || (int)(h->seq - ss->seq) < 0)
            return XK_SUCCESS;
        ss->seq = h->seq;
        ss->busy = TRUE;
        return xDemux(s, m);
    }
    if (!ss->busy || h->seq != ss->seq)
        return XK_SUCCESS;
    ss->busy = FALSE;
    if (ss->event)
        evCancel(ss->event);
    ss->event = 0;
    return xDemux(s, m);
}

static xkern_return_t rrClose(s)
    XObj s;
{
    SState *ss = (SState *)s->state;

    if (ss->event)
        evCancel(ss->event);
    msgDestroy(&ss->saved);
    mapRemoveBinding(((PState *)xMyProtl(s)->state)->active, s->binding);
    xClose(xGetDown(s, 0));
    return xDestroy(s);
}

static int rrControl(self, op, buf, len)
    XObj self;
    int op, len;
    char *buf;
{
    SState *ss = (SState *)self->state;
    long *service;
    char ext[512];
    Part p[2];

    switch (op) {
    case RR_GETRESENT:
        checkLen(len, sizeof(int));
        if (!xIsSession(self))
            return -1;
        *(int *)buf = ss->resent;
        return sizeof(int);
    case RR_SETWAIT:
        checkLen(len, sizeof(int));
        ((PState *)xMyProtl(self)->state)->wait = *(int *)buf;
        return 0;
    case RR_FAIL:
        xAssert(op != RR_FAIL);
        return 0;
    case GETPARTICIPANTS:
        if (!xIsSession(self) || xControl(xGetDown(self, 0), op, ext, sizeof ext) < 0)
            return -1;
        partInternalize(p, ext);
        if (partLen(p) < 2 || !(service = (long *)partPop(p[0])) || !partPop(p[1]))
            return -1;
        partPush(p[0], &ss->service, sizeof(long));
        partPush(p[1], &ss->service, sizeof(long));
        return partExternalize(p, buf, &len) == XK_SUCCESS ? len : -1;
    default:
        return xControl(xGetDown(self, 0), op, buf, len);
    }
}

static void sessnInit(s)
    XObj s;
{
    s->push = rrPush;
    s->pop = rrPop;
    s->close = rrClose;
    s->control = rrControl;
}

static XObj createSessn(self, hlpRcv, hlpType, key, service)
    XObj self, hlpRcv, hlpType;
    ActiveKey *key;
    long service;
{
    XObj s = xCreateSessn(sessnInit, hlpRcv, hlpType, self, 1, &key->lls);
    SState *ss = X_NEW(SState);

    bzero((char *)ss, sizeof(SState));
    ss->self = s;
    ss->client = key->client;
    ss->isServer = key->isServer;
    ss->service = service;
    msgConstructEmpty(&ss->saved);
    s->state = (VOID *)ss;
    s->binding = mapBind(((PState *)self->state)->active, key, s);
    xAssert(s->binding != ERR_BIND);
    return s;
}

static XObj rrOpen(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    PState *ps = (PState *)self->state;
    static long port = RR_PORT;
    ActiveKey key;
    Part below;
    long *service;

    if (!p || partLen(p) < 1 || partStackTopByteLen(p[0]) < (int)sizeof(long) || !(service = (long *)partPop(p[0])))
        return ERR_XOBJ;
    below = p[0];
    below.len = 1;
    partPush(below, &port, sizeof(long));
    bzero((char *)&key, sizeof key);
    if ((key.lls = xOpen(self, self, xGetDown(self, 0), &below)) == ERR_XOBJ)
        return ERR_XOBJ;
    key.client = ps->next++;
    return createSessn(self, hlpRcv, hlpType, &key, *service);
}

static xkern_return_t rrOpenEnable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long *service = p ? (long *)partPop(p[0]) : 0;

    return service ? defaultOpenEnable(((PState *)self->state)->passive, hlpRcv, hlpType, service) : XK_FAILURE;
}

static xkern_return_t rrOpenDisable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long *service = p ? (long *)partPop(p[0]) : 0;

    return service ? defaultOpenDisable(((PState *)self->state)->passive, hlpRcv, hlpType, service) : XK_FAILURE;
}

static xkern_return_t rrDemux(self, lls, m)
    XObj self, lls;
    Msg *m;
{
    PState *ps = (PState *)self->state;
    ActiveKey key;
    long service;
    RrHdr h;
    Enable *e;
    XObj s;

    if (!msgPop(m, hdrLoad, &h, RR_HEADER, 0) || (h.type != REQUEST && h.type != REPLY))
        return XK_FAILURE;
    bzero((char *)&key, sizeof key);
    key.lls = lls;
    key.client = h.client;
    key.isServer = h.type == REQUEST;
    service = h.service;
    if (mapResolve(ps->active, &key, &s) == XK_FAILURE) {
        if (h.type == REPLY || mapResolve(ps->passive, &service, &e) == XK_FAILURE)
            return XK_FAILURE;
        xDuplicate(lls);
        s = createSessn(self, e->hlpRcv, e->hlpType, &key, service);
        ((SState *)s->state)->seq = h.seq - 1;
        if (xOpenDone(e->hlpRcv, s, self) == XK_FAILURE) {
            rrClose(s);
            return XK_FAILURE;
        }
    }
    return xPop(s, lls, m, &h);
}

/* A session of the protocol below, for a client that calls. */
static xkern_return_t rrOpenDone(self, lls, llp, hlpType)
    XObj self, lls, llp, hlpType;
{
    return XK_SUCCESS;
}

void rr_init(self)
    XObj self;
{
    static long port = RR_PORT;
    PState *ps = X_NEW(PState);
    XTime now;
    Part p;

    bzero((char *)ps, sizeof(PState));
    self->state = (VOID *)ps;
    ps->active = mapCreate(101, sizeof(ActiveKey));
    ps->passive = mapCreate(31, sizeof(long));
    ps->wait = RR_WAIT;
    xGetTime(&now);
    ps->next = now.sec ^ now.usec << 12;
    self->open = rrOpen;
    self->openenable = rrOpenEnable;
    self->opendisable = rrOpenDisable;
    self->opendone = rrOpenDone;
    self->demux = rrDemux;
    self->control = rrControl;
    partInit(&p, 1);
    partPush(p, ANY_HOST, 0);
    partPush(p, &port, sizeof(long));
    if (xOpenEnable(self, self, xGetDown(self, 0), &p) == XK_FAILURE)
        xError("rr: cannot be enabled");
}
