/* Random use of what streams_storm.c leaves out: calls of the library within routines that it calls, timeouts and
 * bufcalls of queues, blocks with memory of others, changes of messages and queues, pipes, minor devices that are
 * shared. Nothing may crash or leak. */
#include "streams_queue.h"
#include "tests/seeds.h"

#define STREAMS 6
#define QUEUES 32

static uint64_t state;
static struct str_stream *streams[STREAMS];
static queue_t *reads[QUEUES];
static struct str_device *device;
static unsigned lent, depth;

static unsigned pick(unsigned below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % below;
}

static void given_back(char *bytes) {
    lent--;
    free(bytes);
}

/* A block whose memory is of others: the routine and the bytes are in one piece. */
static mblk_t *lend(size_t size) {
    struct {
        frtn_t routine;
        unsigned char bytes[];
    } *memory = malloc(sizeof *memory + size);
    CHECK(memory);
    memory->routine = (frtn_t){given_back, (char *)memory};
    memset(memory->bytes, 7, size);
    mblk_t *block = esballoc(memory->bytes, size, BPRI_LO, &memory->routine);
    if (!block)
        free(memory);
    lent += block != NULL;
    return block;
}

static mblk_t *noise(unsigned char type) {
    mblk_t *message = NULL;
    for (unsigned i = 1 + pick(4); i > 0; i--) {
        mblk_t *block = pick(3) ? allocb(pick(200), BPRI_LO) : lend(pick(100));
        if (!block)
            break;
        block->b_rptr += pick((unsigned)(block->b_datap->db_lim - block->b_rptr) + 1);
        block->b_wptr = block->b_rptr + pick((unsigned)(block->b_datap->db_lim - block->b_rptr) + 1);
        memset(block->b_rptr, (int)pick(256), (size_t)(block->b_wptr - block->b_rptr));
        block->b_datap->db_type = message ? M_DATA : type;
        block->b_band = (unsigned char)(pick(2) ? 0 : pick(4));
        if (message)
            linkb(message, block);
        else
            message = block;
    }
    return message;
}

/* A message, changed: what is left of it is in one of these. */
static mblk_t *changed(mblk_t *message) {
    mblk_t *other = NULL;
    switch (pick(9)) {
    case 0:
        pullupmsg(message, pick(3) ? (ssize_t)pick(300) : -1);
        break;
    case 1:
        adjmsg(message, (ssize_t)pick(300) - 150);
        break;
    case 2:
        other = dupmsg(message);
        break;
    case 3:
        other = copymsg(message);
        break;
    case 4:
        other = msgpullup(message, pick(3) ? (ssize_t)pick(300) : -1);
        break;
    case 5:
        freemsg(unlinkb(message));
        break;
    case 6:
        if (message->b_cont) {
            other = message->b_cont;
            mblk_t *rest = rmvb(message, other);
            CHECK(rest == message);
        }
        break;
    case 7:
        other = dupb(message);
        if (other) {
            linkb(message, other);
            other = NULL;
        }
        break;
    default:
        other = copyb(message);
    }
    if (other && pick(2)) {
        mblk_t *swap = message;
        message = other;
        other = swap;
    }
    freemsg(other);
    return message;
}

static void at_time(void *argument) {
    queue_t *q = argument;
    mblk_t *message = noise((unsigned char)(pick(2) ? M_DATA : M_PROTO));
    if (message && pick(2))
        putnext(q, message);
    else if (!message || !putq(q, message))
        freemsg(message);
    if (pick(2))
        qtimeout(q, at_time, q, (long)pick(20));
    else if (pick(2))
        qbufcall(q, pick(1000), BPRI_LO, at_time, q);
}

static int random_open(queue_t *q, dev_t *dev, int oflag, int sflag, cred_t *cred) {
    (void)dev, (void)oflag, (void)sflag, (void)cred;
    if (q->q_ptr)
        return 0;
    if (pick(8) == 0)
        return EACCES;
    for (unsigned i = 0; i < QUEUES; i++)
        if (!reads[i]) {
            reads[i] = q;
            q->q_ptr = WR(q)->q_ptr = &reads[i];
            if (pick(2))
                qprocson(q);
            at_time(pick(2) ? q : WR(q));
            return pick(16) ? 0 : (reads[i] = NULL, q->q_ptr = NULL, ENXIO);
        }
    return ENOSPC;
}

static int random_close(queue_t *q, int flag, cred_t *cred) {
    (void)flag, (void)cred;
    for (unsigned i = 0; i < QUEUES; i++)
        if (reads[i] == q)
            reads[i] = NULL;
    q->q_ptr = NULL;
    mblk_t *last = noise(M_PROTO);
    if (last)
        putnext(q, last);
    if (pick(2))
        qprocsoff(q);
    return 0;
}

static int random_put(queue_t *q, mblk_t *message) {
    if (message->b_datap->db_type == M_IOCTL && pick(4)) {
        if (pick(2))
            str_miocack(q, message, (int)pick(3), (int)pick(3));
        else
            str_miocnak(q, message, 0, (int)pick(30));
        return 0;
    }
    if (pick(3) == 0 && message->b_datap->db_type == M_DATA)
        message = changed(message);
    if (pick(3) == 0 && depth < 20) {
        depth++;
        if (pick(4))
            putnext(q, message);
        else
            qreply(q, message);
        depth--;
    } else if (!(q->q_first && pick(2) ? insq(q, pick(2) ? q->q_first : NULL, message) : putq(q, message))) {
        freemsg(message);
    }
    return 0;
}

static int random_service(queue_t *q) {
    if (q->q_first && pick(3) == 0) {
        mblk_t *taken = q->q_first->b_next && pick(2) ? q->q_first->b_next : q->q_first;
        rmvq(q, taken);
        freemsg(taken);
    }
    if (pick(4) == 0)
        strqset(q, pick(2) ? QHIWAT : QLOWAT, (unsigned char)pick(3), (intptr_t)pick(500));
    if (pick(8) == 0)
        flushband(q, (unsigned char)pick(3), pick(2) ? FLUSHALL : FLUSHDATA);
    mblk_t *message;
    while ((message = getq(q)))
        if (message->b_datap->db_type >= QPCTL || bcanputnext(q, message->b_band)) {
            putnext(q, message);
        } else {
            if (!putbq(q, message))
                freemsg(message);
            return 0;
        }
    return 0;
}

static struct module_info info = {9, "random", 0, 500, 300, 100};
static struct qinit random_read = {random_put, random_service, random_open, random_close, NULL, &info, NULL};
static struct qinit random_write = {.qi_putp = random_put, .qi_srvp = random_service, .qi_minfo = &info};
static struct streamtab plain = {&random_read, &random_write, NULL, NULL};
static struct streamtab mux = {&random_read, &random_write, &random_read, &random_write};

static void close_one(unsigned place) {
    struct str_stream *stream = streams[place];
    if (!stream)
        return;
    streams[place] = NULL;
    str_close(stream);
}

static void watch(void *context, struct str_stream *stream) {
    (void)context;
    for (unsigned i = 0; i < STREAMS; i++)
        if (streams[i] == stream && pick(40) == 0)
            close_one(i);
}

static void use(unsigned place);

static int transmit(void *context, mblk_t *frame) {
    (void)context;
    unsigned choice = pick(3);
    if (depth < 5 && pick(4) == 0) {
        depth++;
        use(pick(STREAMS));
        depth--;
    }
    if (choice == 0)
        freemsg(frame);
    return choice == 0 ? 0 : choice == 1 ? EAGAIN : EIO;
}

static void shape(unsigned place) {
    static const char *const names[] = {"plain", "mux", "mux2", "link"};
    struct str_stream *both[2], *other = streams[pick(STREAMS)];
    if (!streams[place]) {
        unsigned second = (place + 1) % STREAMS, kind = pick(6);
        if (kind < 4 ? str_open_minor(host, names[kind], pick(3), &both[0]) : str_pipe(host, both))
            return;
        for (unsigned i = 0; i < STREAMS; i++)
            if (kind < 4 && streams[i] == both[0]) { /* opened again: one reference is enough */
                str_close(both[0]);
                return;
            }
        if (kind >= 4 && !streams[second])
            streams[second] = both[1];
        else if (kind >= 4)
            str_close(both[1]);
        streams[place] = both[0];
        str_watch(both[0], watch, NULL);
        return;
    }
    switch (pick(7)) {
    case 0:
        close_one(place);
        break;
    case 1:
    case 2:
        str_push(streams[place], "plain");
        break;
    case 3:
        str_pop(streams[place]);
        break;
    case 4:
    case 5:
        if (other)
            str_link(streams[place], other, (int)pick(2), NULL);
        break;
    default:
        str_unlink(streams[place], pick(2) ? MUXID_ALL : (int)pick(30), (int)pick(2));
    }
}

static void use(unsigned place) {
    static char bytes[2][300];
    struct strbuf parts[2] = {{.maxlen = (int)pick(300) - 1, .len = (int)pick(300) - 1, .buf = bytes[0]},
                              {.maxlen = (int)pick(300) - 1, .len = (int)pick(300) - 1, .buf = bytes[1]}};
    struct strpeek peek = {parts[0], parts[1], pick(2) ? RS_HIPRI : 0};
    struct strfdinsert insert = {parts[0], parts[1], 0, streams[pick(STREAMS)], (int)pick(40) - 8};
    struct str_stream *stream = streams[place];
    mblk_t *message;
    if (pick(4) == 0) {
        shape(place);
        return;
    }
    if (!stream)
        return;
    switch (pick(8)) {
    case 0:
        str_ioctl(stream, I_PEEK, &peek, NULL);
        break;
    case 1:
        if (insert.fildes)
            str_ioctl(stream, I_FDINSERT, &insert, NULL);
        break;
    case 2:
        if (str_receive(stream, &message) == 0)
            freemsg(message);
        break;
    case 3:
        message = noise(pick(2) ? M_DATA : M_PROTO);
        if (message && str_send(stream, message) != 0)
            freemsg(message);
        break;
    case 4:
        str_ioctl(stream, I_FLUSHBAND, &(struct bandinfo){(unsigned char)pick(3), (int)pick(5)}, NULL);
        break;
    case 5:
        str_poll(stream, 0xfff);
        str_signals(stream);
        break;
    case 6:
        str_putmsg(stream, &parts[0], &parts[1], (int)pick(2));
        break;
    default:
        str_write(stream, bytes[0], pick(300), NULL);
    }
}

/* What a driver does, within the library. */
static void interrupt(void *argument) {
    (void)argument;
    queue_t *q = reads[pick(QUEUES)];
    static const unsigned char types[] = {M_DATA, M_PROTO, M_PCPROTO, M_FLUSH, M_SETOPTS, M_SIG, M_PCSIG, M_ERROR};
    mblk_t *message = noise(types[pick(pick(8) ? 4 : 8)]);
    if (q && message)
        putnext(q, message);
    else
        freemsg(message);
    q = reads[pick(QUEUES)]; /* a watcher may have closed the one before */
    if (q && pick(2))
        qenable(pick(2) ? q : WR(q));
}

static void below(void) {
    str_timeout(host, interrupt, NULL, clock_ns);
    if (pick(4) == 0)
        str_device_hangup(device);
    str_device_receive_bytes(device, "frame", pick(6));
    str_device_ready(device);
}

static void test_random_calls(void) {
    static const struct str_device_calls calls = {transmit};
    EACH_SEED(seed, 300) {
        state = seed;
        CHECK(str_install(host, "plain", &plain, 0) == 0 && str_install(host, "mux", &mux, 0) == 0);
        CHECK(str_install(host, "mux2", &mux, 0) == 0);
        CHECK(str_device_create(host, "link", &calls, NULL, &device) == 0);
        for (unsigned i = 0; i < 1000; i++) {
            most_allocations = pick(20) == 0 ? 1 + allocations : 0;
            switch (pick(5)) {
            case 0:
                below();
                break;
            case 1:
                str_tick(host);
                clock_ns += pick(100000000);
                break;
            default:
                use(pick(STREAMS));
            }
        }
        most_allocations = 0;
        for (unsigned i = 0; i < STREAMS; i++)
            if (pick(4) > 0)
                close_one(i);
        memset(streams, 0, sizeof streams);
        str_host_close(host); /* with what is open */
        CHECK(allocations == 0 && lent == 0);
        for (unsigned i = 0; i < QUEUES; i++)
            CHECK(!reads[i]);
        begin();
    }
}

int main(void) {
    RUN(random_calls);
    return 0;
}
