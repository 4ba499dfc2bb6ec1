/* SCTP endpoints: TPI's calls with usrsctp's sockets, one association each. */
#define _GNU_SOURCE
#include "instance.h"

#include <errno.h>
#include <string.h>

#include <usrsctp.h>

#define LONGEST 65536 /* the longest part of a message that goes up at once */

struct association {
    struct endpoint endpoint; /* first */
    struct socket *socket;
    bool reported, receiving, connecting, blocked;
    struct association *next_reported, *next_blocked;
};

static struct association *reported;
static struct association *blocked; /* those with data that waits for room in the socket */

static struct association *of(struct endpoint *endpoint) { return (struct association *)(void *)endpoint; }

/* usrsctp reports in the midst of its work, and of processing packets: it is asked later what there is. */
static void report(struct association *association) {
    if (association->reported)
        return;
    association->reported = true;
    association->next_reported = reported;
    reported = association;
}

void association_reported(void *association) { report(association); }

static void on_event(struct socket *socket, void *argument, int flags) {
    (void)socket, (void)flags;
    report(argument);
}

static void adopt(struct association *association, struct socket *socket) {
    association->socket = socket;
    usrsctp_set_non_blocking(socket, 1);
    usrsctp_set_upcall(socket, on_event, association);
}

static int sctp_attach_end(struct endpoint *endpoint) {
    struct socket *socket = usrsctp_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP, NULL, NULL, 0, NULL);
    if (!socket)
        return errno;
    adopt(of(endpoint), socket);
    int on = 1;
    usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EXPLICIT_EOR, &on, sizeof on);
    usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
    struct sctp_event shutdown = {.se_assoc_id = SCTP_FUTURE_ASSOC, .se_type = SCTP_SHUTDOWN_EVENT, .se_on = 1};
    usrsctp_setsockopt(socket, IPPROTO_SCTP, SCTP_EVENT, &shutdown, sizeof shutdown);
    return 0;
}

static void forget(struct association *association) {
    for (struct association **link = &reported; *link; link = &(*link)->next_reported)
        if (*link == association) {
            *link = association->next_reported;
            break;
        }
    association->reported = false;
    for (struct association **link = &blocked; *link; link = &(*link)->next_blocked)
        if (*link == association) {
            *link = association->next_blocked;
            break;
        }
    association->blocked = false;
}

static void abandon(struct association *association, bool at_once) {
    if (!association->socket)
        return;
    forget(association);
    if (at_once) {
        struct linger linger = {.l_onoff = 1, .l_linger = 0};
        usrsctp_setsockopt(association->socket, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    }
    usrsctp_set_upcall(association->socket, NULL, NULL);
    usrsctp_close(association->socket);
    association->socket = NULL;
}

static void sctp_detach(struct endpoint *endpoint) { abandon(of(endpoint), false); }

/* Addresses are one or several `struct sockaddr_in`: an end may have more than one. */
static int count_of(const void *bytes, size_t length, struct sockaddr_in *addresses) {
    if (length % sizeof *addresses != 0 || length / sizeof *addresses > MOST_LINKS)
        return -1;
    int count = (int)(length / sizeof *addresses);
    memcpy(addresses, bytes, length);
    for (int i = 0; i < count; i++)
        if (addresses[i].sin_family != AF_INET)
            return -1;
    return count;
}

static int sctp_bind_end(struct endpoint *endpoint, const void *bytes, size_t length, unsigned backlog) {
    struct sockaddr_in addresses[MOST_LINKS] = {{.sin_family = AF_INET}};
    int count = count_of(bytes, length, addresses);
    if (count < 0)
        return EAFNOSUPPORT;
    struct socket *socket = of(endpoint)->socket;
    int failed = usrsctp_bind(socket, (struct sockaddr *)addresses, sizeof *addresses);
    if (!failed && count > 1)
        failed = usrsctp_bindx(socket, (struct sockaddr *)(addresses + 1), count - 1, SCTP_BINDX_ADD_ADDR);
    if (!failed && backlog > 0)
        failed = usrsctp_listen(socket, (int)backlog);
    return failed ? errno : 0;
}

/* A socket stays bound: another one takes its place. */
static int sctp_unbind(struct endpoint *endpoint) {
    abandon(of(endpoint), true);
    return sctp_attach_end(endpoint);
}

static void addresses_to(struct sockaddr *all, int count, void *bytes, size_t *length) {
    size_t room = *length / sizeof(struct sockaddr_in);
    *length = 0;
    for (int i = 0; i < count && (size_t)i < room; i++) {
        memcpy((char *)bytes + *length, (struct sockaddr_in *)(void *)all + i, sizeof(struct sockaddr_in));
        *length += sizeof(struct sockaddr_in);
    }
}

static int sctp_local(struct endpoint *endpoint, void *bytes, size_t *length) {
    struct sockaddr *all;
    int count = usrsctp_getladdrs(of(endpoint)->socket, 0, &all);
    if (count <= 0)
        return ENOTCONN;
    addresses_to(all, count, bytes, length);
    usrsctp_freeladdrs(all);
    return 0;
}

static int sctp_remote(struct endpoint *endpoint, void *bytes, size_t *length) {
    struct sockaddr *all;
    int count = usrsctp_getpaddrs(of(endpoint)->socket, 0, &all);
    if (count <= 0)
        return ENOTCONN;
    addresses_to(all, count, bytes, length);
    usrsctp_freepaddrs(all);
    return 0;
}

static int sctp_connect_end(struct endpoint *endpoint, const void *bytes, size_t length) {
    struct sockaddr_in addresses[MOST_LINKS];
    int count = count_of(bytes, length, addresses);
    if (count <= 0)
        return count < 0 ? EAFNOSUPPORT : EDESTADDRREQ;
    of(endpoint)->connecting = true;
    int failed = usrsctp_connectx(of(endpoint)->socket, (struct sockaddr *)addresses, count, NULL);
    return failed && errno != EINPROGRESS ? errno : 0;
}

static int sctp_accept_end(struct endpoint *listener, void *incoming, struct endpoint *acceptor) {
    if (acceptor == listener)
        return EOPNOTSUPP;
    abandon(of(acceptor), true);
    adopt(of(acceptor), incoming);
    int on = 1;
    usrsctp_setsockopt(incoming, IPPROTO_SCTP, SCTP_EXPLICIT_EOR, &on, sizeof on);
    usrsctp_setsockopt(incoming, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
    report(of(acceptor)); /* it may have received already */
    return 0;
}

static void sctp_refuse(struct endpoint *listener, void *incoming) {
    struct association gone = {.socket = incoming};
    (void)listener;
    abandon(&gone, true);
}

static int block(struct association *association) {
    if (!association->blocked) {
        association->blocked = true;
        association->next_blocked = blocked;
        blocked = association;
    }
    return EAGAIN;
}

/* usrsctp does not tell each time that a socket has room again. */
void associations_unblock(void) {
    struct association *all = blocked;
    blocked = NULL;
    while (all) {
        struct association *association = all;
        all = association->next_blocked;
        association->blocked = false;
        endpoint_writable(&association->endpoint);
    }
}

/* usrsctp copies what it is given, from one piece. */
static int sctp_send_end(struct endpoint *endpoint, mblk_t **message, bool expedited, bool more) {
    struct association *association = of(endpoint);
    (void)expedited;
    if ((*message)->b_cont) {
        mblk_t *whole = msgpullup(*message, -1);
        if (!whole)
            return block(of(endpoint));
        freemsg(*message);
        *message = whole;
    }
    size_t length = (size_t)((*message)->b_wptr - (*message)->b_rptr);
    struct sctp_sndinfo info = {.snd_flags = more ? 0 : SCTP_EOR};
    ssize_t sent = length == 0 ? 0
                               : usrsctp_sendv(association->socket, (*message)->b_rptr, length, NULL, 0, &info,
                                               sizeof info, SCTP_SENDV_SNDINFO, 0);
    if (sent < 0)
        return errno == EWOULDBLOCK || errno == ENOBUFS ? block(association) : errno;
    (*message)->b_rptr += sent;
    if ((size_t)sent < length)
        return block(association);
    freemsg(*message);
    *message = NULL;
    return 0;
}

static int sctp_finish_end(struct endpoint *endpoint) {
    int failed = usrsctp_shutdown(of(endpoint)->socket, SHUT_WR);
    /* After the peer's shutdown there is nothing left to release. */
    return failed && errno != ENOTCONN ? errno : 0;
}

static int sctp_disconnect_end(struct endpoint *endpoint) {
    abandon(of(endpoint), true);
    return sctp_attach_end(endpoint);
}

static bool is_shutdown(const mblk_t *block, size_t length) {
    struct sctp_tlv head;
    if (length < sizeof head)
        return false;
    memcpy(&head, block->b_wptr, sizeof head);
    return head.sn_type == SCTP_SHUTDOWN_EVENT;
}

/* Receives as long as there is room above; the rest waits in the socket, whose window tells the peer. */
static void receive(struct association *association) {
    if (association->receiving)
        return;
    association->receiving = true;
    while (association->socket && endpoint_has_room(&association->endpoint)) {
        mblk_t *block = allocb(LONGEST, BPRI_MED);
        int flags = 0;
        socklen_t none = 0, info_length = 0;
        unsigned kind = 0;
        ssize_t length = block ? usrsctp_recvv(association->socket, block->b_wptr, LONGEST, NULL, &none, NULL,
                                               &info_length, &kind, &flags)
                               : -1;
        if (length <= 0 || (flags & MSG_NOTIFICATION)) {
            bool again = block && length > 0;
            /* All data has come. A late packet can still abort the shutdown. */
            if (again && is_shutdown(block, (size_t)length))
                endpoint_finished(&association->endpoint);
            int error = block && length < 0 ? errno : 0;
            if (block)
                freeb(block);
            if (again)
                continue;
            if (length == 0)
                endpoint_finished(&association->endpoint);
            else if (error && error != EWOULDBLOCK && error != ENOTCONN)
                endpoint_disconnected(&association->endpoint, error);
            break;
        }
        block->b_wptr += length;
        /* A large block for few bytes would keep its memory. */
        mblk_t *fitting = length < LONGEST / 4 ? allocb((size_t)length, BPRI_MED) : NULL;
        if (fitting) {
            memcpy(fitting->b_wptr, block->b_rptr, (size_t)length);
            fitting->b_wptr += length;
            freeb(block);
            block = fitting;
        }
        endpoint_data(&association->endpoint, block, false, !(flags & MSG_EOR));
    }
    association->receiving = false;
}

static void sctp_room(struct endpoint *endpoint) { report(of(endpoint)); }

static void offer(struct association *listener) {
    struct sockaddr_in from[MOST_LINKS];
    socklen_t length = sizeof from[0];
    struct socket *socket;
    while ((socket = usrsctp_accept(listener->socket, (struct sockaddr *)from, &length))) {
        struct association gone = {.socket = socket};
        if (endpoint_incoming(&listener->endpoint, socket, from, sizeof from[0]))
            abandon(&gone, true);
        length = sizeof from[0];
    }
}

static void handle(void *argument) {
    struct association *association = argument;
    if (!association->socket)
        return;
    if (association->endpoint.backlog > 0) {
        offer(association);
        return;
    }
    int error = socket_error(association->socket);
    if (error && association->endpoint.state != TS_IDLE && association->endpoint.state != TS_UNBND) {
        socket_clear_error(association->socket);
        association->connecting = false;
        endpoint_disconnected(&association->endpoint, error);
        return;
    }
    if (association->connecting && socket_is_connected(association->socket)) {
        association->connecting = false;
        endpoint_connected(&association->endpoint);
    }
    receive(association);
}

void association_events(void) {
    static bool handling;
    if (handling || capsule_entered())
        return;
    handling = true;
    while (reported && !capsule_failed()) {
        struct association *association = reported;
        reported = association->next_reported;
        association->reported = false;
        capsule_run(handle, association);
    }
    handling = false;
}

static int sctp_set_option(struct endpoint *endpoint, int level, int name, const void *value, size_t length) {
    return usrsctp_setsockopt(of(endpoint)->socket, level, name, value, (socklen_t)length) ? errno : 0;
}

static int sctp_option(struct endpoint *endpoint, int level, int name, void *value, size_t *length) {
    socklen_t size = (socklen_t)*length;
    if (usrsctp_getsockopt(of(endpoint)->socket, level, name, value, &size))
        return errno;
    *length = size;
    return 0;
}

const struct endpoint_calls sctp_calls = {
    .service = T_COTS_ORD,
    .data_size = T_INFINITE,
    .expedited_size = T_INVALID,
    .size = sizeof(struct association),
    .attach = sctp_attach_end,
    .detach = sctp_detach,
    .bind = sctp_bind_end,
    .unbind = sctp_unbind,
    .local = sctp_local,
    .remote = sctp_remote,
    .connect = sctp_connect_end,
    .accept = sctp_accept_end,
    .refuse = sctp_refuse,
    .send = sctp_send_end,
    .finish = sctp_finish_end,
    .disconnect = sctp_disconnect_end,
    .room = sctp_room,
    .set_option = sctp_set_option,
    .option = sctp_option,
    .link = link_add,
    .unlink = link_remove,
    .done = timers_update,
};
