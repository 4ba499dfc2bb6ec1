/* station: numbered messages between stations of an Ethernet, in the style of version 3.3. */
#include "xkernel.h"

#include "xkernel/graph.h"

#define STATION_TYPE 0x88b5
#define STATION_HEADER 4
#define RESET 0xffffffff /* the peer has given up */

typedef struct {
    Map active;
    Protl hlp, hlpType;
    ETHhost myHost;
} PState;

typedef struct {
    struct xk_ether header;
    ETHhost peer;
    u_int sent, last;
} SState;

static void getproc_sessn(Sessn);
static int pushing; /* nothing enters a protocol that runs */
int tracestationp = TR_GROSS_EVENTS;

static Sessn createSessn(Protl self, Protl hlp, Protl hlpType, ETHhost *peer)
{
    PState *ps = (PState *)self->state;
    Sessn s = xCreateSessn((Pfv)getproc_sessn, hlp, hlpType, self, 0, 0);
    SState *ss = X_NEW(SState);

    bzero((char *)ss, sizeof(SState));
    ss->peer = *peer;
    memcpy(ss->header.to, peer, 6);
    memcpy(ss->header.from, &ps->myHost, 6);
    ss->header.type = htons(STATION_TYPE);
    s->state = ss;
    s->binding = mapBind(ps->active, peer, s);
    return s;
}

static XkHandle stationPush(Sessn s, Msg *m)
{
    SState *ss = (SState *)s->state;
    char *header = msgPush(m, STATION_HEADER);
    u_int number = htonl(++ss->sent);
    XkHandle result;

    memcpy(header, &number, 4);
    msgSetAttr(m, 0, &ss->header, sizeof ss->header);
    xAssert(!pushing);
    pushing++;
    result = xPush(xGetProtlDown(xMyProtl(s), 0), m);
    pushing--;
    return result;
}

static XkReturn stationPop(Sessn s, Sessn lls, Msg *m, void *hdr)
{
    SState *ss = (SState *)s->state;
    u_int number;

    memcpy(&number, hdr, 4);
    number = ntohl(number);
    memcpy(hdr, &number, 4); /* in place, as protocols of 3.3 do */
    if (number == RESET)
        return xCloseDone(s);
    if (number == ss->last)
        return XK_FAILURE; /* the same once more */
    ss->last = number;
    return xDemux(s, m);
}

static XkReturn stationClose(Sessn s)
{
    mapRemoveBinding(((PState *)xMyProtl(s)->state)->active, s->binding);
    return xDestroySessn(s);
}

static Part *stationParticipants(Sessn s)
{
    SState *ss = (SState *)s->state;
    PState *ps = (PState *)xMyProtl(s)->state;
    Part *p = (Part *)xMalloc(2 * sizeof(Part));
    ETHhost own = ps->myHost; /* partPush copies it */

    partInit(p, 2);
    partPush(p[0], &ss->peer, sizeof(ETHhost));
    partPush(p[1], &own, sizeof(ETHhost));
    return p;
}

static void getproc_sessn(Sessn s)
{
    s->push = stationPush;
    s->pop = stationPop;
    s->close = stationClose;
    s->getparticipants = stationParticipants;
}

static Sessn stationOpen(Protl self, Protl hlp, Protl hlpType, Part *p)
{
    PState *ps = (PState *)self->state;
    ETHhost *peer;
    Sessn s;

    if (!p || partLength(p) < 1 || partStackTopByteLen(p[0]) != sizeof(ETHhost))
        return ERR_SESSN;
    peer = (ETHhost *)partPop(p[0]);
    if (mapResolve(ps->active, peer, (void **)&s) == XK_SUCCESS)
        return s->up == hlp ? s : ERR_SESSN;
    return createSessn(self, hlp, hlpType, peer);
}

static XkReturn stationEnable(Protl self, Protl hlp, Protl hlpType, Part *p)
{
    PState *ps = (PState *)self->state;

    if (ps->hlp)
        return XK_FAILURE;
    ps->hlp = hlp;
    ps->hlpType = hlpType;
    return XK_SUCCESS;
}

static XkReturn stationDisable(Protl self, Protl hlp, Protl hlpType, Part *p)
{
    ((PState *)self->state)->hlp = 0;
    return XK_SUCCESS;
}

static XkReturn stationDemux(Protl self, Sessn lls, Msg *m)
{
    PState *ps = (PState *)self->state;
    struct xk_ether *ether = (struct xk_ether *)msgGetAttr(m, 0);
    ETHhost peer;
    char *header;
    Sessn s;

    xAssert(!pushing);
    if (ether->type != htons(STATION_TYPE) || memcmp(ether->to, &ps->myHost, 6) != 0)
        return XK_FAILURE;
    memcpy(&peer, ether->from, 6);
    if (!(header = msgPop(m, STATION_HEADER)))
        return XK_FAILURE;
    if (mapResolve(ps->active, &peer, (void **)&s) == XK_FAILURE) {
        if (!ps->hlp)
            return XK_FAILURE;
        s = createSessn(self, ps->hlp, ps->hlpType, &peer);
        if (xOpenDone(ps->hlp, s, self) == XK_FAILURE) {
            stationClose(s);
            return XK_FAILURE;
        }
    }
    return xPop(s, lls, m, header);
}

void station_init(Protl self)
{
    PState *ps = X_NEW(PState);
    Protl llp = xGetProtlDown(self, 0);

    bzero((char *)ps, sizeof(PState));
    self->state = ps;
    ps->active = mapCreate(31, sizeof(ETHhost));
    self->open = stationOpen;
    self->openenable = stationEnable;
    self->opendisable = stationDisable;
    self->demux = stationDemux;
    if (xControlProtl(llp, GETMYHOST, (char *)&ps->myHost, sizeof(ETHhost)) != sizeof(ETHhost) ||
        xOpenEnable(self, self, llp, 0) == XK_FAILURE)
        Kabort("station: no Ethernet below");
    xTrace1(stationp, TR_GROSS_EVENTS, "station %s", ethHostStr(&ps->myHost));
}
