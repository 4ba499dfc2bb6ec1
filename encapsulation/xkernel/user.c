/* Users: the protocol objects that stand for upper streams, above the protocols of the graph. */
#include "inside.h"

#include <errno.h>

#define MOST_PEERS 64 /* sessions that a connectionless endpoint keeps */
#define MOST_EARLY 64 /* messages of a connection that is not accepted yet */

static XObj forgotten_users; /* closed, while sessions refer to them: a list by `up` */

static struct xk_upper *upper_of(XObj user) { return user->state; }

const struct xk_device *xk_device_of_user(XObj user) {
    struct xk_upper *upper = xIsProtocol(user) && user->id == 0 ? user->state : NULL;
    return upper ? upper->device : NULL;
}

/* The address of the peer, or 0 bytes. */
static size_t address_of(const struct xk_upper *upper, XObj session, unsigned char *address) {
    Part both[2];
    if (xk_address_length(upper->device->address) > ENDPOINT_ADDRESS || !xk_participants(session, both))
        return 0;
    return xk_pop_address(&both[REMOTE_PART], upper->device->address, address);
}

/* Peers. */

static void peer_close(struct xk_upper *upper, struct xk_peer *peer) {
    struct xk_peer **link = &upper->peers;
    while (*link != peer)
        link = &(*link)->next;
    *link = peer->next;
    xClose(peer->session);
    xFree((char *)peer);
}

void xk_peers_close(struct xk_upper *upper) {
    while (upper->peers)
        peer_close(upper, upper->peers);
}

struct xk_peer *xk_peer_add(struct xk_upper *upper, XObj session, const void *address, size_t length) {
    unsigned count = 0;
    struct xk_peer *last = NULL;
    for (struct xk_peer *each = upper->peers; each; each = each->next, count++)
        last = each;
    if (count >= MOST_PEERS)
        peer_close(upper, last);
    struct xk_peer *peer = X_NEW(struct xk_peer);
    *peer = (struct xk_peer){.session = session, .next = upper->peers, .length = length};
    memcpy(peer->address, address, length);
    upper->peers = peer;
    return peer;
}

static struct xk_peer *peer_of(struct xk_upper *upper, XObj session) {
    struct xk_peer *peer = upper->peers;
    while (peer && peer->session != session)
        peer = peer->next;
    return peer;
}

/* A session that a protocol opened for a datagram of its peer. */
static struct xk_peer *adopt(struct xk_upper *upper, XObj session) {
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length = address_of(upper, session, address);
    if (length == 0)
        return NULL;
    xDuplicate(session);
    return xk_peer_add(upper, session, address, length);
}

/* Calls: connections before they are accepted. */

void xk_call_empty(struct xk_call *call) {
    while (call->first) {
        mblk_t *message = call->first;
        call->first = message->b_next;
        message->b_next = NULL;
        freemsg(message);
    }
}

void xk_call_end(struct xk_call *call) {
    struct xk_call **link = &call->owner->calls;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    xk_call_empty(call);
    xFree((char *)call);
}

static struct xk_call *call_of(struct xk_upper *upper, XObj session) {
    struct xk_call *call = upper->calls;
    while (call && call->session != session)
        call = call->next;
    return call;
}

static xkern_return_t offer(struct xk_upper *upper, XObj session) {
    unsigned char address[ENDPOINT_ADDRESS];
    size_t length = address_of(upper, session, address);
    struct xk_call *call = X_NEW(struct xk_call);
    *call = (struct xk_call){.session = session, .owner = upper, .next = upper->calls};
    upper->calls = call;
    if (endpoint_incoming(&upper->endpoint, call, address, length)) {
        xk_call_end(call);
        xk_crossings.dropped++;
        return XK_FAILURE;
    }
    xDuplicate(session);
    return XK_SUCCESS;
}

/* Operations. */

static xkern_return_t open_done(XObj user, XObj session, XObj llp, XObj type) {
    struct xk_upper *upper = upper_of(user);
    (void)llp, (void)type;
    if (!upper || !upper->endpoint.read)
        return XK_FAILURE;
    if (upper->device->service != XK_CONNECTIONLESS)
        return upper->session == session || call_of(upper, session) ? XK_SUCCESS : offer(upper, session);
    return peer_of(upper, session) || adopt(upper, session) ? XK_SUCCESS : XK_FAILURE;
}

static xkern_return_t keep_early(struct xk_call *call, mblk_t *data) {
    if (call->count >= MOST_EARLY) {
        freemsg(data);
        xk_crossings.dropped++;
        return XK_FAILURE;
    }
    if (call->last)
        call->last->b_next = data;
    else
        call->first = data;
    call->last = data;
    call->count++;
    return XK_SUCCESS;
}

static xkern_return_t up_connection(struct xk_upper *upper, XObj session, Msg *m) {
    struct xk_call *call = call_of(upper, session);
    if (upper->session != session && !call) {
        xk_crossings.dropped++;
        return XK_FAILURE;
    }
    mblk_t *data = xk_blocks(m);
    if (!data)
        return XK_FAILURE;
    if (call)
        return keep_early(call, data);
    /* Nothing tells a protocol to wait: a user that reads too slowly loses the connection, not data within it. */
    if (!canput(upper->endpoint.read)) {
        freemsg(data);
        xk_crossings.dropped++;
        xk_session_close(upper);
        endpoint_disconnected(&upper->endpoint, ENOBUFS);
        return XK_FAILURE;
    }
    endpoint_data(&upper->endpoint, data, false, false);
    return XK_SUCCESS;
}

static xkern_return_t demux(XObj user, XObj session, Msg *m) {
    struct xk_upper *upper = upper_of(user);
    if (!upper || !upper->endpoint.read) {
        xk_crossings.dropped++;
        return XK_FAILURE;
    }
    if (upper->device->service != XK_CONNECTIONLESS)
        return up_connection(upper, session, m);
    struct xk_peer *peer = peer_of(upper, session);
    if (!peer)
        peer = adopt(upper, session);
    mblk_t *data = peer ? xk_blocks(m) : NULL;
    if (!data || !endpoint_datagram(&upper->endpoint, peer->address, peer->length, data)) {
        xk_crossings.dropped++;
        return XK_FAILURE;
    }
    return XK_SUCCESS;
}

/* The protocol has given a session up: its user closes it. */
static xkern_return_t close_done(XObj session) {
    struct xk_upper *upper = upper_of(session->up);
    if (!upper || !upper->endpoint.read)
        return XK_SUCCESS;
    struct xk_peer *peer = peer_of(upper, session);
    struct xk_call *call = call_of(upper, session);
    if (peer) {
        peer_close(upper, peer);
    } else if (call) {
        endpoint_withdrawn(&upper->endpoint, call, ECONNRESET);
        xk_call_end(call);
        xClose(session);
    } else if (upper->session == session) {
        xk_session_close(upper);
        endpoint_disconnected(&upper->endpoint, ECONNRESET);
    }
    return XK_SUCCESS;
}

XObj xk_user_create(struct xk_upper *upper) {
    XObj user = xCreateProtl(NULL, "user", "", NULL, 0, NULL);
    user->id = 0; /* of no protocol of the graph */
    user->state = upper;
    user->opendone = open_done;
    user->closedone = close_done;
    user->demux = demux;
    return user;
}

/* Protocols may keep sessions after they were closed; their user is kept as long. */
void xk_user_release(XObj user, bool disabled) {
    user->state = NULL;
    if (!disabled)
        return; /* a protocol still has it in its map */
    user->up = forgotten_users;
    forgotten_users = user;
    for (XObj *link = &forgotten_users; *link;) {
        XObj each = *link;
        if (each->rcnt > 1 || xk_is_referred(each)) {
            link = &each->up;
            continue;
        }
        *link = each->up;
        each->up = NULL;
        xDestroy(each);
    }
}
