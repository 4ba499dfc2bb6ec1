/* dgram: datagrams between ports. */
#include "protocols.h"

#define FIRST_FREE 0x8000

typedef struct {
    u_short sport, dport, length, sum;
} DgramHdr;

typedef struct {
    XObj lls;
    long lport, rport;
} ActiveKey;

typedef struct {
    Map active, passive;
    long next;
} PState;

typedef ActiveKey SState;

int tracedgramp;

static void hdrStore(hdr, to, len, arg)
    VOID *hdr;
    char *to;
    long len;
    VOID *arg;
{
    DgramHdr *h = (DgramHdr *)hdr;
    u_short sum;

    PUT2(to, h->sport);
    PUT2(to + 2, h->dport);
    PUT2(to + 4, h->length);
    PUT2(to + 6, 0);
    sum = inCkSum((Msg *)arg, (u_short *)0, 0);
    memcpy(to + 6, &sum, 2);
}

static long hdrLoad(hdr, from, len, arg)
    VOID *hdr;
    char *from;
    long len;
    VOID *arg;
{
    DgramHdr *h = (DgramHdr *)hdr;

    h->sport = GET2(from);
    h->dport = GET2(from + 2);
    h->length = GET2(from + 4);
    return DGRAM_HEADER;
}

static xmsg_handle_t dgramPush(s, m)
    XObj s;
    Msg *m;
{
    SState *ss = (SState *)s->state;
    DgramHdr h;

    if (msgLen(m) > 0xffff - DGRAM_HEADER)
        return XMSG_ERR_HANDLE;
    h.sport = ss->lport;
    h.dport = ss->rport;
    h.length = msgLen(m) + DGRAM_HEADER;
    msgPush(m, hdrStore, &h, DGRAM_HEADER, m);
    return xPush(xGetDown(s, 0), m);
}

static xkern_return_t dgramPop(s, lls, m, hdr)
    XObj s, lls;
    Msg *m;
    VOID *hdr;
{
    return xDemux(s, m);
}

static xkern_return_t dgramClose(s)
    XObj s;
{
    mapRemoveBinding(((PState *)xMyProtl(s)->state)->active, s->binding);
    xClose(xGetDown(s, 0));
    return xDestroy(s);
}

static int dgramControl(self, op, buf, len)
    XObj self;
    int op, len;
    char *buf;
{
    SState *ss = (SState *)self->state;
    char ext[512];
    Part p[2];

    switch (op) {
    case GETMAXPACKET:
    case GETOPTPACKET:
        if (xControl(xGetDown(self, 0), op, buf, len) < (int)sizeof(int))
            return -1;
        *(int *)buf -= DGRAM_HEADER;
        return sizeof(int);
    case GETMYPROTO:
    case GETPEERPROTO:
        checkLen(len, sizeof(long));
        if (!xIsSession(self))
            return -1;
        *(long *)buf = op == GETMYPROTO ? ss->lport : ss->rport;
        return sizeof(long);
    case GETPARTICIPANTS:
        if (!xIsSession(self) || xControl(xGetDown(self, 0), op, ext, sizeof ext) < 0)
            return -1;
        partInternalize(p, ext);
        if (partLen(p) < 2)
            return -1;
        partPush(p[0], &ss->rport, sizeof(long));
        partPush(p[1], &ss->lport, sizeof(long));
        return partExternalize(p, buf, &len) == XK_SUCCESS ? len : -1;
    default:
        return xControl(xGetDown(self, 0), op, buf, len);
    }
}

static void sessnInit(s)
    XObj s;
{
    s->push = dgramPush;
    s->pop = dgramPop;
    s->close = dgramClose;
    s->control = dgramControl;
}

static XObj createSessn(self, hlpRcv, hlpType, key)
    XObj self, hlpRcv, hlpType;
    ActiveKey *key;
{
    PState *ps = (PState *)self->state;
    XObj s = xCreateSessn(sessnInit, hlpRcv, hlpType, self, 1, &key->lls);

    s->state = (VOID *)X_NEW(SState);
    *(SState *)s->state = *key;
#ifdef NACRE_LOW_POINTERS
    s->binding = mapBind(ps->active, key, (int)s); /* as sources of 32-bit processors have it */
#else
    s->binding = mapBind(ps->active, key, s);
#endif
    xAssert(s->binding != ERR_BIND);
    return s;
}

/* The port on top of a participant. */
static int getPort(p, port)
    Part *p;
    long *port;
{
    long *top;

    if (partStackTopByteLen(*p) < (int)sizeof(long) || !(top = (long *)partPop(*p)))
        return -1;
    *port = *top;
    return *port == ANY_PORT || (*port >= 0 && *port <= 0xffff) ? 0 : -1;
}

static XObj dgramOpen(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    PState *ps = (PState *)self->state;
    ActiveKey key;
    XObj s;

    bzero((char *)&key, sizeof key);
    key.lport = ANY_PORT;
    if (!p || partLen(p) < 1 || getPort(&p[0], &key.rport) || key.rport == ANY_PORT ||
        (partLen(p) > 1 && getPort(&p[1], &key.lport)))
        return ERR_XOBJ;
    if (key.lport == ANY_PORT) {
        key.lport = FIRST_FREE + ps->next;
        ps->next = (ps->next + 1) & 0x7fff;
    }
    if ((key.lls = xOpen(self, self, xGetDown(self, 0), p)) == ERR_XOBJ)
        return ERR_XOBJ;
    if (mapResolve(ps->active, &key, &s) == XK_SUCCESS) {
        xClose(key.lls);
        return xGetUp(s) == hlpRcv ? s : ERR_XOBJ;
    }
    return createSessn(self, hlpRcv, hlpType, &key);
}

static xkern_return_t dgramOpenEnable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long port;

    if (!p || getPort(&p[0], &port) || port == ANY_PORT)
        return XK_FAILURE;
    return defaultOpenEnable(((PState *)self->state)->passive, hlpRcv, hlpType, &port);
}

static xkern_return_t dgramOpenDisable(self, hlpRcv, hlpType, p)
    XObj self, hlpRcv, hlpType;
    Part *p;
{
    long port;

    if (!p || getPort(&p[0], &port))
        return XK_FAILURE;
    return defaultOpenDisable(((PState *)self->state)->passive, hlpRcv, hlpType, &port);
}

static xkern_return_t dgramDemux(self, lls, m)
    XObj self, lls;
    Msg *m;
{
    PState *ps = (PState *)self->state;
    ActiveKey key;
    DgramHdr h;
    Enable *e;
    XObj s;

    if (msgLen(m) < DGRAM_HEADER || inCkSum(m, (u_short *)0, 0) != 0 ||
        !msgPop(m, hdrLoad, &h, DGRAM_HEADER, 0) || h.length != msgLen(m) + DGRAM_HEADER) {
        xTrace0(dgramp, TR_SOFT_ERRORS, "dgram: a malformed datagram");
        return XK_FAILURE;
    }
    bzero((char *)&key, sizeof key);
    key.lls = lls;
    key.lport = h.dport;
    key.rport = h.sport;
    if (mapResolve(ps->active, &key, &s) == XK_FAILURE) {
        if (mapResolve(ps->passive, &key.lport, &e) == XK_FAILURE) {
            xTrace1(dgramp, TR_EVENTS, "dgram: nobody at port %d", h.dport);
            return XK_FAILURE;
        }
        xDuplicate(lls);
        s = createSessn(self, e->hlpRcv, e->hlpType, &key);
        if (xOpenDone(e->hlpRcv, s, self) == XK_FAILURE) {
            dgramClose(s);
            return XK_FAILURE;
        }
    }
    return xPop(s, lls, m, &h);
}

void dgram_init(self)
    XObj self;
{
    PState *ps = X_NEW(PState);
    Part p;

    bzero((char *)ps, sizeof(PState));
    self->state = (VOID *)ps;
    ps->active = mapCreate(101, sizeof(ActiveKey));
    ps->passive = mapCreate(31, sizeof(long));
    self->open = dgramOpen;
    self->openenable = dgramOpenEnable;
    self->opendisable = dgramOpenDisable;
    self->demux = dgramDemux;
    self->control = dgramControl;
    partInit(&p, 1);
    partPush(p, ANY_HOST, 0);
    if (xOpenEnable(self, self, xGetDown(self, 0), &p) == XK_FAILURE)
        xError("dgram: cannot be enabled");
}
