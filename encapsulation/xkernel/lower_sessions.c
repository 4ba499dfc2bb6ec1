/* The lowest protocol objects: their sessions, one for each address, or one alone if packets have none. */
#include "lower.h"

#define MOST_SESSIONS 1024
#define SMALL_MAP 16

struct lower_session {
    struct lower *lower;
    size_t length;
    unsigned char address[ENDPOINT_ADDRESS];
};

/* Without addresses the key is one byte. */
static void *key_of(const void *address, size_t *length) {
    static unsigned char none;
    if (*length > 0)
        return (void *)(uintptr_t)address;
    *length = 1;
    return &none;
}

static XObj session_of(struct lower *lower, const void *address, size_t length) {
    XObj session = ERR_XOBJ;
    void *key = key_of(address, &length);
    mapVarResolve(lower->sessions, key, (int)length, &session);
    return session;
}

static xmsg_handle_t push(XObj session, Msg *m) {
    struct lower_session *state = session->state;
    if (state->lower->kind->kind == XK_DATAGRAMS)
        return xk_send_datagram(state->lower, state->address, state->length, m);
    return xk_send(state->lower, m);
}

static xkern_return_t pop(XObj session, XObj lls, Msg *m, void *header) {
    (void)lls, (void)header;
    return xDemux(session, m);
}

static xkern_return_t close_session(XObj session) {
    struct lower_session *state = session->state;
    size_t length = state->length;
    void *key = key_of(state->address, &length);
    mapVarUnbind(state->lower->sessions, key, (int)length);
    state->lower->count--;
    return xDestroy(session);
}

static int give_int(char *buf, int len, int number) {
    checkLen(len, sizeof number);
    memcpy(buf, &number, sizeof number);
    return sizeof number;
}

static int control_protocol(XObj self, int opcode, char *buf, int len) {
    struct lower *lower = xk_lower_of(self);
    switch (opcode) {
    case GETMYHOSTCOUNT: return give_int(buf, len, 1);
    case GETMAXPACKET:
    case GETOPTPACKET: return give_int(buf, len, xk_packet(lower));
    case GETMYHOST:
    case GETBCASTHOST:
        checkLen(len, lower->host_length);
        if (opcode == GETMYHOST)
            memcpy(buf, lower->host, lower->host_length);
        else
            memset(buf, 0xff, lower->host_length);
        return (int)lower->host_length;
    default: return -1;
    }
}

static int control_session(XObj session, int opcode, char *buf, int len) {
    struct lower_session *state = session->state;
    Part both[2];
    switch (opcode) {
    case GETPEERHOST:
        checkLen(len, state->length);
        if (state->length == 0)
            return -1;
        memcpy(buf, state->address, state->length);
        return (int)state->length;
    case GETPARTICIPANTS:
        partInit(both, 2);
        partStackPush(&both[0].stack, state->length ? state->address : ANY_HOST, (int)state->length);
        partStackPush(&both[1].stack, state->lower->host, (int)state->lower->host_length);
        return partExternalize(both, buf, &len) == XK_SUCCESS ? len : -1;
    default: return control_protocol(xMyProtl(session), opcode, buf, len);
    }
}

static void operations(XObj session) {
    session->push = push;
    session->pop = pop;
    session->close = close_session;
    session->control = control_session;
}

static XObj create(struct lower *lower, XObj receiver, XObj type, const void *address, size_t length) {
    if (lower->count >= MOST_SESSIONS)
        return ERR_XOBJ;
    lower->count++;
    XObj session = xCreateSessn((Pfv)operations, receiver, type, lower->protocol, 0, NULL);
    struct lower_session *state = X_NEW(struct lower_session);
    *state = (struct lower_session){.lower = lower, .length = length};
    if (length > 0)
        memcpy(state->address, address, length);
    session->state = state;
    void *key = key_of(state->address, &length);
    session->binding = mapVarBind(lower->sessions, key, (int)length, session);
    return session;
}

static XObj open_session(XObj self, XObj receiver, XObj type, Part *p) {
    struct lower *lower = xk_lower_of(self);
    const void *address = NULL;
    int length = 0;
    if (lower->kind->kind == XK_DATAGRAMS) {
        length = p && partLen(p) >= 1 ? partStackTopByteLen(p[0]) : 0;
        if (length <= 0 || length > ENDPOINT_ADDRESS)
            return ERR_XOBJ;
        address = partPop(p[0]);
    }
    XObj session = session_of(lower, address, (size_t)length);
    if (session == ERR_XOBJ)
        return create(lower, receiver, type, address, (size_t)length);
    return session->up == receiver ? session : ERR_XOBJ;
}

static xkern_return_t enable(XObj self, XObj receiver, XObj type, Part *p) {
    struct lower *lower = xk_lower_of(self);
    (void)p;
    if (lower->enabled && lower->enabled != receiver)
        return XK_FAILURE;
    lower->enabled = receiver;
    lower->type = type;
    if (lower->kind->kind == XK_ETHERNET)
        self->up = receiver;
    return XK_SUCCESS;
}

static xkern_return_t disable_all(XObj self, XObj receiver) {
    struct lower *lower = xk_lower_of(self);
    if (lower->enabled != receiver)
        return XK_FAILURE;
    lower->enabled = NULL;
    if (self->up == receiver)
        self->up = ERR_XOBJ;
    return XK_SUCCESS;
}

static xkern_return_t disable(XObj self, XObj receiver, XObj type, Part *p) {
    (void)type, (void)p;
    return disable_all(self, receiver);
}

/* A protocol with Ethernet headers of its own pushes to the object. */
static xmsg_handle_t push_frame(XObj self, Msg *m) { return xk_send(xk_lower_of(self), m); }

void xk_lower_operations(struct lower *lower) {
    XObj it = lower->protocol;
    lower->sessions = mapCreate(SMALL_MAP, -1);
    it->open = open_session;
    it->openenable = enable;
    it->opendisable = disable;
    it->opendisableall = disable_all;
    it->control = control_protocol;
    it->push = push_frame;
}

void xk_deliver(struct lower *lower, const void *address, size_t length, Msg *m) {
    XObj session = session_of(lower, address, length);
    if (session == ERR_XOBJ) {
        if (lower->enabled)
            session = create(lower, lower->enabled, lower->type, address, length);
        if (session == ERR_XOBJ) {
            xk_crossings.dropped++;
            return;
        }
        if (xOpenDone(lower->enabled, session, lower->protocol) == XK_FAILURE) {
            if (session->rcnt <= 0)
                close_session(session);
            xk_crossings.dropped++;
            return;
        }
    }
    xPop(session, lower->protocol, m, NULL);
}
