/* A Nacre stack as a STREAMS module: messages of data from above are sent, frames go and come below, and what is
 * delivered goes up. All other messages pass. Each push is a connection of its own, with the module of the same stack
 * at the other end of the link. */
#include <errno.h>
#include <string.h>

#include "connection.h"

/* One piece: a stack reads contiguous bytes. NULL: no memory; the message is then gone. */
static mblk_t *joined(mblk_t *message) {
    if (!message->b_cont)
        return message;
    mblk_t *whole = msgpullup(message, -1);
    freemsg(message);
    return whole;
}

/* Handles a message of data from above. Returns it, if it has to wait. */
static mblk_t *down(struct connection *connection, mblk_t *message) {
    size_t length = msgdsize(message);
    if (send_event == NO_EVENT || length > STACK->events[send_event].message_max) {
        freemsg(message);
        return NULL;
    }
    if (!canputnext(WR(connection->read)) || !sends(connection, (uint32_t)length))
        return message;
    message = joined(message);
    if (!message)
        return NULL;
    take(connection, step_send, message);
    if (connection->result == NACRE_REFUSED || connection->result == NACRE_BUSY || connection->result == NACRE_NO_SPACE)
        return message;
    freemsg(message);
    return NULL;
}

static int write_put(queue_t *write, mblk_t *message) {
    struct connection *connection = write->q_ptr;
    if (message->b_datap->db_type == M_FLUSH && (*message->b_rptr & FLUSHW))
        flushq(write, FLUSHDATA);
    if (message->b_datap->db_type != M_DATA) {
        if (message->b_datap->db_type < QPCTL && write->q_first)
            putq(write, message);
        else
            putnext(write, message);
    } else if (write->q_first || capsule_entered()) {
        putq(write, message);
    } else if ((message = down(connection, message))) {
        putbq(write, message);
    }
    return 0;
}

static int write_service(queue_t *write) {
    struct connection *connection = write->q_ptr;
    mblk_t *message;
    while ((message = getq(write))) {
        if (message->b_datap->db_type != M_DATA)
            putnext(write, message);
        else if ((message = down(connection, message))) {
            putbq(write, message);
            break;
        }
    }
    return 0;
}

static void up(struct connection *connection, mblk_t *message) {
    mblk_t *frame = below_unwrap(message, &connection->parts);
    frame = frame ? joined(frame) : NULL;
    if (!frame)
        return;
    take(connection, step_receive, frame);
    freemsg(frame);
}

static void from_below(queue_t *read, mblk_t *message) {
    if (below_kind(message) == BELOW_OTHER)
        putnext(read, message);
    else
        up(read->q_ptr, message);
}

static int read_put(queue_t *read, mblk_t *message) {
    if (message->b_datap->db_type == M_FLUSH && (*message->b_rptr & FLUSHR))
        flushq(read, FLUSHDATA);
    if (message->b_datap->db_type >= QPCTL)
        putnext(read, message);
    else if (read->q_first || capsule_entered() || !canputnext(read))
        putq(read, message);
    else
        from_below(read, message);
    return 0;
}

static int read_service(queue_t *read) {
    mblk_t *message;
    while ((message = getq(read))) {
        if (!canputnext(read)) {
            putbq(read, message);
            break;
        }
        from_below(read, message);
    }
    return 0;
}

static void discard(void *argument) {
    struct connection *connection = argument;
    STACK->discard(connection->state, connection->pool);
}

static void release(struct connection *connection) {
    capsule_free(connection->state);
    capsule_free(connection->pool);
    capsule_free(connection->counters);
    capsule_free(connection->config);
    capsule_free(connection->outputs);
    capsule_free(connection->segments);
    capsule_free(connection->bytes);
    capsule_free(connection);
}

static int open_stream(queue_t *read, dev_t *device, int flags, int kind, cred_t *who) {
    (void)device, (void)flags, (void)kind, (void)who;
    if (read->q_ptr)
        return 0;
    struct connection *connection = capsule_calloc(1, sizeof *connection);
    if (!connection)
        return ENOMEM;
    size_t pool = STACK->pool_base + (size_t)STACK->blocks_for_one * STACK->pool_per_block;
    connection->read = read;
    connection->state = capsule_calloc(1, STACK->state_size);
    connection->pool = capsule_malloc(pool);
    connection->counters = capsule_calloc(STACK->counters_len, sizeof *connection->counters);
    connection->config = capsule_calloc(1, STACK->config_size ? STACK->config_size : 1);
    connection->outputs = capsule_calloc(STACK->outputs_max, sizeof *connection->outputs);
    connection->segments = capsule_calloc(STACK->segments_max, sizeof *connection->segments);
    connection->bytes = capsule_malloc(STACK->bytes_max ? STACK->bytes_max : 1);
    int error = connection->state && connection->pool && connection->counters && connection->config &&
                        connection->outputs && connection->segments && connection->bytes
                    ? configure(connection)
                    : ENOMEM;
    if (error) {
        release(connection);
        return error;
    }
    STACK->pool_init(connection->pool, STACK->blocks_for_one);
    connection->out = (struct nacre_out){.abi = NACRE_ABI,
                                         .size = sizeof connection->out,
                                         .outputs_max = STACK->outputs_max,
                                         .segments_max = STACK->segments_max,
                                         .bytes_max = STACK->bytes_max,
                                         .outputs = connection->outputs,
                                         .segments = connection->segments,
                                         .bytes = connection->bytes};
    read->q_ptr = OTHERQ(read)->q_ptr = connection;
    qprocson(read);
    take(connection, step_begin, NULL);
    if (connection->result == NACRE_OK && open_event != NO_EVENT)
        take(connection, step_open, NULL);
    if (connection->result == NACRE_OK)
        return 0;
    qprocsoff(read);
    read->q_ptr = OTHERQ(read)->q_ptr = NULL;
    release(connection);
    return EIO;
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    struct connection *connection = read->q_ptr;
    qprocsoff(read);
    read->q_ptr = OTHERQ(read)->q_ptr = NULL;
    if (!connection)
        return 0;
    if (connection->due)
        str_untimeout(capsule_host(), connection->timer);
    capsule_run(discard, connection);
    if (connection->parts)
        freemsg(connection->parts);
    release(connection);
    return 0;
}

static struct module_info about = {
    .mi_idnum = 0x6e61, .mi_idname = NACRE_CAPSULE_NAME, .mi_maxpsz = INFPSZ, .mi_hiwat = 65536, .mi_lowat = 16384};
static struct qinit read_side = {.qi_putp = read_put, .qi_srvp = read_service, .qi_qopen = open_stream,
                                 .qi_qclose = close_stream, .qi_minfo = &about};
static struct qinit write_side = {.qi_putp = write_put, .qi_srvp = write_service, .qi_minfo = &about};
static struct streamtab table = {&read_side, &write_side, NULL, NULL};
static const struct str_export exports[] = {{"", &table, STR_MODULE}, {NULL, NULL, 0}};

static bool is_given(const char *option) {
    for (uint32_t i = 0; i < STACK->givens_len; i++) {
        size_t length = strlen(STACK->givens[i].name);
        if (strncmp(STACK->givens[i].name, option, length) == 0 && option[length] == '=')
            return true;
    }
    return false;
}

static int start(struct str_host *host, const char *const *options) {
    find_events();
    int error = capsule_begin(host, options);
    for (; !error && *options; options++)
        if (!is_given(*options) && !below_takes(*options)) {
            capsule_log("the stack is given no such value: %s", *options);
            error = EINVAL;
        }
    return error ? error : below_begin();
}

static void stop(struct str_host *host) {
    (void)host;
    capsule_end();
}

/* All that it passes on is shared or copied. */
static size_t lent(void) { return 0; }

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, lent};
