/* frag: fragments of messages. A message whose fragments are not all there after a second is dropped. */
#include "protocols.h"

#define LIFE 1000000 /* microseconds */
#define MOST_PARTIAL 32

typedef struct {
    IPhost to, from;
    u_short prot, length, index, count;
    u_short seq;
} FragHdr;

typedef struct {
    IPhost peer;
    long prot;
} ActiveKey;

typedef struct {
    IPhost from;
    long prot, seq;
} PartialKey;

typedef struct pstate {
    Map active, passive, partial;
    int partials;
    IPhost myHost;
    XObj lls;
    int chunk;
    u_short seq;
} PState;

typedef struct {
    IPhost peer;
    long prot;
} SState;

typedef struct {
    Msg frags[FRAG_MOST];
    u_int mask;
    int count;
    Event event;
    Bind binding;
    PState *ps;
} Partial;

int tracefragp;

static void hdrStore(hdr, to, len, arg)
    VOID *hdr;
    char *to;
    long len;
    VOID *arg;
{
    FragHdr *h = (FragHdr *)hdr;

    xAssert(len == FRAG_HEADER);
    memcpy(to, &h->to, 4);
    memcpy(to + 4, &h->from, 4);
    PUT2(to + 8, h->prot);
    PUT2(to + 10, h->seq);
    PUT2(to + 12, h->length);
    PUT2(to + 14, h->index);
    PUT2(to + 16, h->count);
}

static long hdrLoad(hdr, from, len, arg)
    VOID *hdr;
    char *from;
    long len;
    VOID *arg;
{
    FragHdr *h = (FragHdr *)hdr;

    memcpy(&h->to, from, 4);
    memcpy(&h->from, from + 4, 4);
    h->prot = GET2(from + 8);
    h->seq = GET2(from + 10);
    h->length = GET2(from + 12);
    h->index = GET2(from + 14);
    h->count = GET2(from + 16);
    return FRAG_HEADER;
}

static void freePartial(p)
    Partial *p;
{
    int i;

    for (i = 0; i < p->count; i++)
        msgDestroy(&p->frags[i]);
    mapRemoveBinding(p->ps->partial, p->binding);
    p->ps->partials--;
    xFree((char *)p);
}

static void expire(ev, arg)
    Event ev;
    VOID *arg;
{
    xTrace0(fragp, TR_EVENTS, "frag: fragments are missing");
    evDetach(ev);
    freePartial((Partial *)arg);
}

/* Collects a fragment. Returns TRUE when `m` is the whole message. */
static int reassemble(ps, h, m)
    PState *ps;
    FragHdr *h;
    Msg *m;
{
    PartialKey key;
    Partial *p;
    Msg whole;
    int i;

    bzero((char *)&key, sizeof key);
    key.from = h->from;
    key.prot = h->prot;
    key.seq = h->seq;
    if (mapResolve(ps->partial, &key, &p) == XK_FAILURE) {
        if (ps->partials >= MOST_PARTIAL)
            return FALSE;
        p = X_NEW(Partial);
        p->mask = 0;
        p->count = h->count;
        p->ps = ps;
        for (i = 0; i < p->count; i++)
            msgConstructEmpty(&p->frags[i]);
        p->event = evSchedule(expire, p, LIFE);
        p->binding = mapBind(ps->partial, &key, p);
        ps->partials++;
    }
    if (p->count != h->count)
        return FALSE;
    msgAssign(&p->frags[h->index], m);
    p->mask |= 1 << h->index;
    if (p->mask != (1U << p->count) - 1)
        return FALSE;
    msgConstructEmpty(&whole);
    for (i = 0; i < p->count; i++)
        msgJoin(&whole, &whole, &p->frags[i]);
    msgAssign(m, &whole);
    msgDestroy(&whole);
    evCancel(p->event);
    freePartial(p);
    return TRUE;
}

static xmsg_handle_t fragPush(s, m)
    XObj s;
    Msg *m;
{
    PState *ps = (PState *)xMyProtl(s)->state;
    SState *ss = (SState *)s->state;
    FragHdr h;
    Msg frag;
    xmsg_handle_t result = XMSG_NULL_HANDLE;
    int count = (msgLen(m) + ps->chunk - 1) / ps->chunk;

    if (count > FRAG_MOST)
        return XMSG_ERR_HANDLE;
    h.to = ss->peer;
    h.from = ps->myHost;
    h.prot = ss->prot;
    h.seq = ps->seq++;
    h.count = count ? count : 1;
    for (h.index = 0; h.index < h.count && result >= 0; h.index++) {
        msgConstructEmpty(&frag);
        msgChopOff(m, &frag, (long)MIN(msgLen(m), ps->chunk));
        h.length = msgLen(&frag);
        msgPush(&frag, hdrStore, &h, FRAG_HEADER, 0);
        result = xPush(ps->lls, &frag);
        msgDestroy(&frag);
    }
    return result;
}

static xkern_return_t fragPop(s, lls, m, hdr)
    XObj s, lls;
    Msg *m;
    VOID *hdr;
{
    return xDemux(s, m);
}

static xkern_return_t fragClose(s)
    XObj s;
{
    mapRemoveBinding(((PState *)xMyProtl(s)->state)->active, s->binding);
    return xDestroy(s);
}

static int fragControl(self, op, buf, len)
    XObj self;
    int op, len;
    char *buf;
{
    PState *ps = (PState *)xMyProtl(self)->state;
    SState *ss = (SState *)self->state;
    Part p[2];

    switch (op) {
    case GETMAXPACKET:
    case GETOPTPACKET:
        checkLen(len, sizeof(int));
        *(int *)buf = op == GETMAXPACKET ? FRAG_MOST * ps->chunk : ps->chunk;
        return sizeof(int);
    case GETMYHOST:
        checkLen(len, sizeof(IPhost));
        *(IPhost *)buf = ps->myHost;
        return sizeof(IPhost);
    case GETPEERHOST:
        checkLen(len, sizeof(IPhost));
        if (!xIsSession(self))
            return -1;
        *(IPhost *)buf = ss->peer;
        return sizeof(IPhost);
    case GETPARTICIPANTS:
        if (!xIsSession(self))
            return -1;
        partInit(p, 2);
        partPush(p[0], &ss->peer, sizeof(IPhost));
        partPush(p[1], &ps->myHost, sizeof(IPhost));
        return partExternalize(p, buf, &len) == XK_SUCCESS ? len : -1;
    default:
        return xControl(xGetDown(xMyProtl(self), 0), op, buf, len);
    }
}

static void sessnInit(s)
    XObj s;
{
    s->push = fragPush;
    s->pop = fragPop;
    s->close = fragClose;
    s->control = fragControl;
}

static XObj createSessn(self, hlpRcv, hlpType, key)
    XObj self, hlpRcv, hlpType;
    ActiveKey *key;
{
    PState *ps = (PState *)self->state;
    SState *ss;
    XObj s;

    s = xCreateSessn(sessnInit, hlpRcv, hlpType, self, 1, &ps->lls);
    ss = X_NEW(SState);
    ss->peer = key->peer;
    ss->prot = key->prot;
    s->state = (VOID *)ss;
    s->binding = mapBind(ps->active, key, s);
    xAssert(s->binding != ERR_BIND);
    return s;
}

static XObj fragOpen(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    PState *ps = (PState *)self->state;
    ActiveKey key;
    IPhost *peer;
    XObj s;

    bzero((char *)&key, sizeof key);
    if (!p || partLen(p) < 1 || partStackTopByteLen(p[0]) < (int)sizeof(IPhost) || !(peer = (IPhost *)partPop(p[0])))
        return ERR_XOBJ;
    key.peer = *peer;
    key.prot = relProtNum(hlpType, self);
    if (key.prot < 0)
        return ERR_XOBJ;
    if (mapResolve(ps->active, &key, &s) == XK_SUCCESS)
        return s;
    return createSessn(self, hlpRcv, hlpType, &key);
}

static xkern_return_t fragOpenEnable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long prot = relProtNum(hlpType, self);

    return prot < 0 ? XK_FAILURE : defaultOpenEnable(((PState *)self->state)->passive, hlpRcv, hlpType, &prot);
}

static xkern_return_t fragOpenDisable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long prot = relProtNum(hlpType, self);

    return defaultOpenDisable(((PState *)self->state)->passive, hlpRcv, hlpType, &prot);
}

static xkern_return_t fragDemux(self, lls, m)
    XObj self, lls;
    Msg *m;
{
    PState *ps = (PState *)self->state;
    ActiveKey key;
    FragHdr h;
    Enable *e;
    XObj s;

    if (!msgPop(m, hdrLoad, &h, FRAG_HEADER, 0) || msgLen(m) < h.length || h.count < 1 || h.count > FRAG_MOST ||
        h.index >= h.count || !IP_EQUAL(h.to, ps->myHost)) {
        xTrace0(fragp, TR_SOFT_ERRORS, "frag: not a frame of ours");
        return XK_FAILURE;
    }
    msgTruncate(m, (long)h.length);
    if (h.count > 1 && !reassemble(ps, &h, m))
        return XK_SUCCESS;
    bzero((char *)&key, sizeof key);
    key.peer = h.from;
    key.prot = h.prot;
    if (mapResolve(ps->active, &key, &s) == XK_FAILURE) {
        if (mapResolve(ps->passive, &key.prot, &e) == XK_FAILURE)
            return XK_FAILURE;
        s = createSessn(self, e->hlpRcv, e->hlpType, &key);
        if (xOpenDone(e->hlpRcv, s, self) == XK_FAILURE) {
            fragClose(s);
            return XK_FAILURE;
        }
    }
    return xPop(s, lls, m, &h);
}

void frag_init(self)
    XObj self;
{
    PState *ps = X_NEW(PState);
    XObj llp = xGetDown(self, 0);
    Part p;
    int packet;
    char host[16];

    xAssert(xIsProtocol(self) && xIsProtocol(llp));
    bzero((char *)ps, sizeof(PState));
    self->state = (VOID *)ps;
    ps->active = mapCreate(101, sizeof(ActiveKey));
    ps->passive = mapCreate(11, sizeof(long));
    ps->partial = mapCreate(31, sizeof(PartialKey));
    self->open = fragOpen;
    self->openenable = fragOpenEnable;
    self->opendisable = fragOpenDisable;
    self->demux = fragDemux;
    self->control = fragControl;
    if (xControl(llp, GETMYHOST, host, sizeof host) < (int)sizeof(IPhost) ||
        xControl(llp, GETMAXPACKET, (char *)&packet, sizeof packet) < (int)sizeof packet)
        Kabort("frag: no host or no packets below");
    memcpy(&ps->myHost, host, sizeof(IPhost));
    ps->chunk = packet - FRAG_HEADER;
    partInit(&p, 1);
    partPush(p, ANY_HOST, 0);
    ps->lls = xOpen(self, self, llp, &p);
    if (ps->lls == ERR_XOBJ || xOpenEnable(self, self, llp, &p) == XK_FAILURE)
        Kabort("frag: cannot open what is below");
    xTrace1(fragp, TR_GROSS_EVENTS, "frag: host %s", ipHostStr(&ps->myHost));
}
