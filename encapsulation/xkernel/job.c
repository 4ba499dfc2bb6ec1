/* Requests of users that may wait within a protocol: opening a session, sending. Without threads they never wait. */
#include "inside.h"

#include <errno.h>

static struct xk_job *waiting;

static void drop(struct xk_job *job) {
    msgDestroy(&job->message);
    job->user->rcnt--;
    xFree((char *)job);
}

static int error_of(xmsg_handle_t result) {
    return result >= 0 ? 0 : result == XMSG_ERR_WOULDBLOCK ? ENOBUFS : EIO;
}

/* The session outlives the call. */
static xmsg_handle_t push(XObj session, Msg *m) {
    session->rcnt++;
    xmsg_handle_t result = xPush(session, m);
    msgDestroy(m);
    xClose(session);
    return result;
}

static void open_connection(struct xk_job *job) {
    job->error = xk_session_open(job->upper, job->address, job->length, &job->session);
    if (job->error)
        return;
    if (!job->upper) {
        xClose(job->session);
        return;
    }
    job->upper->session = job->session;
    endpoint_connected(&job->upper->endpoint);
}

/* The message is kept if the protocol cannot take it now: it may have pushed headers before it found out. */
static void send_on_connection(struct xk_job *job) {
    Msg m;
    msgConstructCopy(&m, &job->message);
    xmsg_handle_t result = push(job->session, &m);
    bool keeps = result == XMSG_ERR_WOULDBLOCK && job->upper && job->upper->session;
    job->error = keeps ? EAGAIN : result >= 0 ? 0 : EIO;
}

static void send_datagram(struct xk_job *job) {
    struct xk_peer **link = &job->upper->peers;
    while (*link && ((*link)->length != job->length || memcmp((*link)->address, job->address, job->length) != 0))
        link = &(*link)->next;
    struct xk_peer *peer = *link;
    if (peer) { /* to the front */
        *link = peer->next;
        peer->next = job->upper->peers;
        job->upper->peers = peer;
        job->session = peer->session;
    } else {
        job->error = xk_session_open(job->upper, job->address, job->length, &job->session);
        if (job->error)
            return;
        if (!job->upper) {
            xClose(job->session);
            return;
        }
        xk_peer_add(job->upper, job->session, job->address, job->length);
    }
    job->error = error_of(push(job->session, &job->message));
}

/* A job that has waited reports itself. */
static void report(struct xk_job *job) {
    struct xk_upper *upper = job->upper;
    struct xk_job **link = &waiting;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    if (upper && upper->job == job)
        upper->job = NULL;
    if (upper && job->kind == XK_SEND_TO && job->error) {
        endpoint_undelivered(&upper->endpoint, job->address, job->length, job->error);
    } else if (upper && job->kind == XK_SEND && job->error == EAGAIN) {
        mblk_t *message = xk_blocks(&job->message);
        upper->blocked = message != NULL;
        if (message)
            putbq(WR(upper->endpoint.read), message);
    } else if (upper && job->kind != XK_SEND_TO && job->error) {
        xk_session_close(upper);
        endpoint_disconnected(&upper->endpoint, job->error);
    }
    if (upper)
        endpoint_writable(&upper->endpoint);
    drop(job);
}

static void run(void *argument) {
    struct xk_job *job = argument;
    switch (job->kind) {
    case XK_OPEN: open_connection(job); break;
    case XK_SEND: send_on_connection(job); break;
    default: send_datagram(job); break;
    }
    job->is_finished = true;
    if (job->waits)
        report(job);
}

int xk_job_run(struct xk_upper *upper, int kind, const void *address, size_t length, mblk_t **message) {
    struct xk_job *job = X_NEW(struct xk_job);
    *job = (struct xk_job){.upper = upper, .user = upper->user, .session = upper->session, .kind = kind};
    job->length = length;
    if (length > 0)
        memcpy(job->address, address, length);
    job->user->rcnt++;
    if (message) {
        xk_message(&job->message, *message);
        *message = NULL;
    }
    int error = xk_thread_run(run, job) ? 0 : ENOBUFS;
    if (!error && !job->is_finished) {
        job->waits = true;
        job->next = waiting;
        waiting = job;
        if (kind != XK_SEND_TO)
            upper->job = job;
        return 0;
    }
    error = error ? error : job->error;
    if (error == EAGAIN) {
        *message = xk_blocks(&job->message);
        upper->blocked = true;
    }
    drop(job);
    return error;
}

void xk_jobs_cancel(struct xk_upper *upper, bool all) {
    for (struct xk_job *job = waiting; job; job = job->next)
        if (job->upper == upper && (all || job == upper->job))
            job->upper = NULL;
    upper->job = NULL;
}
