/* Upper streams: requests of TPI as operations of the uniform protocol interface. */
#include "inside.h"

#include <errno.h>

#define MOST_PARTIAL (1L << 20) /* bytes of a message whose parts are collected */
#define OPTION_LEVEL 0x786b     /* T_OPTMGMT_REQ: control operations */
#define CONTROL_BYTES 128

static struct xk_upper *uppers;

static struct xk_upper *of(struct endpoint *endpoint) { return (struct xk_upper *)(void *)endpoint; }

static XObj protocol_of(const struct xk_upper *upper) { return xk_object(upper->device->protocol); }

static int attach(struct endpoint *endpoint) {
    of(endpoint)->next = uppers;
    uppers = of(endpoint);
    return 0;
}

static void drop_partial(struct xk_upper *upper) {
    if (upper->partial)
        freemsg(upper->partial);
    upper->partial = NULL;
    upper->partial_length = 0;
}

void xk_session_close(struct xk_upper *upper) {
    XObj session = upper->session;
    upper->session = NULL;
    upper->blocked = false;
    drop_partial(upper);
    if (session)
        xClose(session);
}

static void refuse(struct endpoint *listener, void *incoming) {
    struct xk_call *call = incoming;
    XObj session = call->session;
    (void)listener;
    xk_call_end(call);
    xClose(session);
}

/* Gives all up but the stream. */
static int unbind(struct endpoint *endpoint) {
    struct xk_upper *upper = of(endpoint);
    struct xk_values values;
    Part p;
    if (!upper->user)
        return 0;
    xk_jobs_cancel(upper, true);
    xk_session_close(upper);
    xk_peers_close(upper);
    while (upper->calls)
        refuse(endpoint, upper->calls);
    bool disabled = true;
    if (upper->enabled) {
        partInit(&p, 1);
        disabled = xk_push_address(&p, upper->device->address, upper->local, upper->local_length, &values) &&
                   xOpenDisable(upper->user, upper->user, protocol_of(upper), &p) == XK_SUCCESS;
    }
    upper->enabled = false;
    XObj user = upper->user;
    upper->user = NULL;
    upper->local_length = 0;
    xk_user_release(user, disabled);
    return 0;
}

/* Also outside of any entry, when the instance has failed: see endpoint_close. */
static void detach(struct endpoint *endpoint) { unbind(endpoint); }

static int bind_to(struct endpoint *endpoint, const void *address, size_t length, unsigned backlog) {
    struct xk_upper *upper = of(endpoint);
    struct xk_values values;
    Part p;
    xk_start();
    XObj protocol = protocol_of(upper);
    if (protocol == ERR_XOBJ)
        return ENXIO;
    partInit(&p, 1);
    if (length > 0 && !xk_push_address(&p, upper->device->address, address, length, &values))
        return EAFNOSUPPORT;
    bool enables = length > 0 && (upper->device->service == XK_CONNECTIONLESS || backlog > 0);
    if (length == 0 && backlog > 0)
        return EADDRNOTAVAIL;
    upper->user = xk_user_create(upper);
    if (enables && xOpenEnable(upper->user, upper->user, protocol, &p) == XK_FAILURE) {
        xk_user_release(upper->user, true);
        upper->user = NULL;
        return EADDRINUSE;
    }
    upper->enabled = enables;
    upper->local_length = length;
    if (length > 0)
        memcpy(upper->local, address, length);
    return 0;
}

static int local(struct endpoint *endpoint, void *address, size_t *length) {
    struct xk_upper *upper = of(endpoint);
    *length = upper->local_length;
    memcpy(address, upper->local, upper->local_length);
    return 0;
}

static int remote(struct endpoint *endpoint, void *address, size_t *length) {
    struct xk_upper *upper = of(endpoint);
    Part both[2];
    if (!upper->session || !xk_participants(upper->session, both))
        return ENOTCONN;
    *length = xk_pop_address(&both[REMOTE_PART], upper->device->address, address);
    return *length ? 0 : ENOTCONN;
}

/* Opens a session: the peer's address, and this end's if it is bound to one. */
int xk_session_open(struct xk_upper *upper, const void *address, size_t length, XObj *session) {
    struct xk_values values, own;
    Part p[2];
    partInit(p, upper->local_length ? 2 : 1);
    if (!xk_push_address(&p[REMOTE_PART], upper->device->address, address, length, &values))
        return EAFNOSUPPORT;
    if (upper->local_length)
        xk_push_address(&p[LOCAL_PART], upper->device->address, upper->local, upper->local_length, &own);
    *session = xOpen(upper->user, upper->user, protocol_of(upper), p);
    return *session == ERR_XOBJ ? EHOSTUNREACH : 0;
}

static int send_datagram(struct endpoint *endpoint, const void *address, size_t length, mblk_t *data) {
    return xk_job_run(of(endpoint), XK_SEND_TO, address, length, &data);
}

static int connect_to(struct endpoint *endpoint, const void *address, size_t length) {
    return xk_job_run(of(endpoint), XK_OPEN, address, length, NULL);
}

static int accept_call(struct endpoint *listener, void *incoming, struct endpoint *acceptor) {
    struct xk_upper *to = of(acceptor);
    struct xk_call *call = incoming;
    XObj session = call->session;
    if (!to->user)
        to->user = xk_user_create(to);
    (void)listener;
    xk_session_close(to);
    to->session = session;
    xSetUp(session, to->user);
    while (call->first) {
        mblk_t *data = call->first;
        call->first = data->b_next;
        data->b_next = NULL;
        /* It goes up when the acceptor has its connection. */
        mblk_t *message = to->endpoint.calls->data_size ? tpi_data_ind(false, data) : data;
        if (message)
            putq(acceptor->read, message);
    }
    xk_call_end(call);
    return 0;
}

static int send_message(struct endpoint *endpoint, mblk_t **message, bool expedited, bool more) {
    struct xk_upper *upper = of(endpoint);
    if (expedited)
        return EOPNOTSUPP;
    if (upper->job)
        return EAGAIN; /* until it is done */
    if (!upper->session)
        return ENOTCONN;
    if (upper->device->service != XK_MESSAGES || (!more && !upper->partial))
        return xk_job_run(upper, XK_SEND, NULL, 0, message);
    upper->partial_length += msgdsize(*message);
    if (upper->partial_length > MOST_PARTIAL)
        return EMSGSIZE;
    if (upper->partial)
        linkb(upper->partial, *message);
    else
        upper->partial = *message;
    *message = NULL;
    if (more)
        return 0;
    *message = upper->partial;
    upper->partial = NULL;
    upper->partial_length = 0;
    return xk_job_run(upper, XK_SEND, NULL, 0, message);
}

static int disconnect(struct endpoint *endpoint) {
    xk_jobs_cancel(of(endpoint), false);
    xk_session_close(of(endpoint));
    return 0;
}

static int control(struct endpoint *endpoint, int level, int name, void *value, size_t size, size_t *length) {
    struct xk_upper *upper = of(endpoint);
    long buffer[CONTROL_BYTES / sizeof(long)] = {0}; /* aligned for what operations keep in it */
    if (level != OPTION_LEVEL || size > sizeof buffer)
        return EOPNOTSUPP;
    xk_start();
    if (size > 0)
        memcpy(buffer, value, size);
    XObj object = upper->session ? upper->session : protocol_of(upper);
    int result = xControl(object, name, (char *)buffer, (int)size);
    if (result < 0 || (size_t)result > size)
        return EINVAL;
    if (length) {
        memcpy(value, buffer, (size_t)result);
        *length = (size_t)result;
    }
    return 0;
}

static int set_option(struct endpoint *endpoint, int level, int name, const void *value, size_t length) {
    return control(endpoint, level, name, (void *)(uintptr_t)value, length, NULL);
}

static int option(struct endpoint *endpoint, int level, int name, void *value, size_t *length) {
    return control(endpoint, level, name, value, *length, length);
}

void xk_settle(void) {
    xk_threads_resume();
    for (struct xk_upper *each = uppers; each && !capsule_failed(); each = each->next)
        if (each->blocked) {
            each->blocked = false;
            endpoint_writable(&each->endpoint);
        }
}

/* Also when the instance has failed, and is not entered any more. */
void xk_upper_forget(struct xk_upper *upper) {
    struct xk_upper **link = &uppers;
    while (*link && *link != upper)
        link = &(*link)->next;
    if (*link)
        *link = upper->next;
    xk_jobs_cancel(upper, true);
    drop_partial(upper);
    for (struct xk_call *call = upper->calls; call; call = call->next)
        xk_call_empty(call);
}

const struct endpoint_calls xk_calls = {
    .expedited_size = T_INVALID,
    .size = sizeof(struct xk_upper),
    .attach = attach,
    .detach = detach,
    .bind = bind_to,
    .unbind = unbind,
    .local = local,
    .remote = remote,
    .connect = connect_to,
    .accept = accept_call,
    .refuse = refuse,
    .send = send_message,
    .send_to = send_datagram,
    .disconnect = disconnect,
    .set_option = set_option,
    .option = option,
    .link = xk_link,
    .unlink = xk_unlink,
    .done = xk_threads_resume,
};
