/* Random use of everything at once: streams, modules, multiplexors, devices, faults of memory, and messages of
 * every type from below. Nothing may crash or leak. */
#include "streams_queue.h"
#include "tests/seeds.h"

#define STREAMS 6

static uint64_t state;
static struct str_stream *streams[STREAMS];
static queue_t *reads[16]; /* open drivers of the storm */
static struct str_device *devices[2];

static unsigned pick(unsigned below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % below;
}

static mblk_t *noise(unsigned char type) {
    mblk_t *message = NULL;
    for (unsigned i = 1 + pick(3); i > 0; i--) {
        mblk_t *block = allocb(pick(200), BPRI_LO);
        if (!block)
            break;
        size_t space = (size_t)(block->b_datap->db_lim - block->b_wptr), length = pick((unsigned)space + 1);
        /* No wild addresses: a copy request names the memory of the caller. */
        bool zero = type == M_COPYIN || type == M_COPYOUT;
        for (size_t j = 0; j < length; j++)
            *block->b_wptr++ = zero ? 0 : (unsigned char)pick(pick(2) ? 4 : 256);
        block->b_datap->db_type = message ? M_DATA : type;
        block->b_band = (unsigned char)(pick(2) ? 0 : pick(256));
        if (message)
            linkb(message, block);
        else
            message = block;
    }
    return message;
}

static int storm_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)oflag;
    (void)sflag;
    (void)cred;
    if (pick(8) == 0)
        return EACCES;
    for (unsigned i = 0; i < 16; i++)
        if (!reads[i]) {
            reads[i] = q;
            qprocson(q);
            return 0;
        }
    return ENOSPC;
}

static int storm_close(queue_t *q, int flag, cred_t *cred) {
    (void)flag;
    (void)cred;
    for (unsigned i = 0; i < 16; i++)
        if (reads[i] == q)
            reads[i] = NULL;
    if (pick(2))
        qprocsoff(q);
    return 0;
}

static int storm_put(queue_t *q, mblk_t *message) {
    if (message->b_datap->db_type == M_IOCTL && pick(2)) {
        if (pick(2))
            str_miocack(q, message, 0, 0);
        else
            str_miocnak(q, message, 0, (int)pick(30));
    } else if (message->b_datap->db_type == M_FLUSH && pick(2)) {
        flushq(q, FLUSHALL);
        qreply(q, message);
    } else if (pick(4) == 0 || !putq(q, message)) {
        freemsg(message);
    }
    return 0;
}

static int storm_service(queue_t *q) {
    mblk_t *message;
    while ((message = getq(q)))
        if (pick(6) == 0) {
            if (message->b_datap->db_type >= QPCTL || !putbq(q, message))
                freemsg(message);
            return 0;
        } else if (q->q_next && (message->b_datap->db_type >= QPCTL || bcanputnext(q, message->b_band))) {
            putnext(q, message);
        } else {
            freemsg(message);
        }
    return 0;
}

static struct module_info info = {9, "storm", 0, 500, 300, 100};
static struct qinit storm_read = {.qi_putp = storm_put,
                                  .qi_srvp = storm_service,
                                  .qi_qopen = storm_open,
                                  .qi_qclose = storm_close,
                                  .qi_minfo = &info};
static struct qinit storm_write = {.qi_putp = storm_put, .qi_srvp = storm_service, .qi_minfo = &info};
static struct streamtab plain = {&storm_read, &storm_write, NULL, NULL};
static struct streamtab mux = {&storm_read, &storm_write, &storm_read, &storm_write};

static int transmit(void *context, mblk_t *frame) {
    (void)context;
    unsigned choice = pick(3);
    if (choice == 0)
        freemsg(frame);
    return choice == 0 ? 0 : choice == 1 ? EAGAIN : EIO;
}

static void ioctls(struct str_stream *stream) {
    static char bytes[65536]; /* the driver may answer with as much as it likes */
    static const int commands[] = {I_NREAD, I_LOOK,   I_FLUSH,  I_SRDOPT, I_GRDOPT, I_FIND,   I_SWROPT, I_GWROPT,
                                   I_LIST,  I_CKBAND, I_GETBAND, I_ATMARK, I_CANPUT, I_UNLINK, I_PUNLINK, 77};
    int command = commands[pick(16)];
    bool number = command == I_FLUSH || command == I_SRDOPT || command == I_SWROPT || command == I_CKBAND ||
                  command == I_ATMARK || command == I_CANPUT || command == I_UNLINK || command == I_PUNLINK;
    static struct strioctl request;
    request = (struct strioctl){
        .ic_cmd = (int)pick(100), .ic_timout = (int)pick(3), .ic_len = (int)pick(64), .ic_dp = bytes};
    if (pick(4) == 0)
        str_ioctl(stream, I_STR, &request, NULL);
    else if (command == I_LIST)
        str_ioctl(stream, command, NULL, NULL);
    else
        str_ioctl(stream, command, number ? (void *)(intptr_t)((int)pick(12) - 1) : (void *)bytes, NULL);
    if (pick(4) == 0)
        str_ioctl_cancel(stream);
}

static void messages(struct str_stream *stream) {
    char in[2][300];
    struct strbuf control = {.maxlen = (int)pick(300) - 1, .len = (int)pick(300) - 1, .buf = in[0]};
    struct strbuf data = {.maxlen = (int)pick(300) - 1, .len = (int)pick(300) - 1, .buf = in[1]};
    memset(in, 0, sizeof in);
    int flags = (int)pick(5), band = (int)pick(256), more;
    size_t count;
    mblk_t *message;
    switch (pick(7)) {
    case 0:
        str_putpmsg(stream, pick(2) ? &control : NULL, pick(2) ? &data : NULL, band, flags);
        break;
    case 1:
        str_putmsg(stream, &control, &data, flags);
        break;
    case 2:
        str_getpmsg(stream, &control, &data, &band, &flags, &more);
        break;
    case 3:
        str_write(stream, in[0], pick(300), &count);
        break;
    case 4:
        str_read(stream, in[0], pick(300), &count);
        break;
    case 5:
        if (str_receive(stream, &message) == 0)
            freemsg(message);
        break;
    default:
        message = noise((unsigned char)pick(256));
        if (message && str_send(stream, message) != 0)
            freemsg(message);
    }
}

static void below(void) {
    queue_t *q = reads[pick(16)];
    mblk_t *message = noise((unsigned char)(pick(2) ? pick(20) : 0x80 + pick(0x14)));
    if (q && message && message->b_datap->db_type != M_HANGUP)
        putnext(q, message);
    else
        freemsg(message);
    q = reads[pick(16)];
    if (q && pick(3) == 0)
        flushq(pick(2) ? q : WR(q), FLUSHALL);
    if (pick(2))
        str_device_ready(devices[pick(2)]);
    else
        str_device_receive_bytes(devices[pick(2)], "frame", pick(6));
}

static void shape(unsigned place) {
    static const char *const names[] = {"plain", "mux", "mux2", "link0", "link1"};
    struct str_stream *stream = streams[place], *other = streams[pick(STREAMS)];
    if (!stream) {
        if (str_open(host, names[pick(5)], &streams[place]))
            streams[place] = NULL;
        return;
    }
    switch (pick(6)) {
    case 0:
        if (pick(3) == 0) {
            str_close(stream);
            streams[place] = NULL;
        }
        break;
    case 1:
        str_push(stream, "plain");
        break;
    case 2:
        str_pop(stream);
        break;
    case 3:
    case 4:
        if (other)
            str_link(stream, other, (int)pick(2), NULL);
        break;
    default:
        str_unlink(stream, pick(2) ? MUXID_ALL : (int)pick(30), (int)pick(2));
    }
}

static void storm(unsigned steps) {
    static const struct str_device_calls calls = {transmit};
    CHECK(str_install(host, "plain", &plain, 0) == 0 && str_install(host, "mux", &mux, 0) == 0);
    CHECK(str_install(host, "mux2", &mux, 0) == 0);
    for (unsigned i = 0; i < 2; i++)
        CHECK(str_device_create(host, i ? "link1" : "link0", &calls, NULL, &devices[i]) == 0);
    for (unsigned i = 0; i < steps; i++) {
        unsigned place = pick(STREAMS);
        most_allocations = pick(20) == 0 ? 1 + allocations : 0;
        switch (pick(6)) {
        case 0:
            shape(place);
            break;
        case 1:
            below();
            break;
        case 2:
            str_tick(host);
            clock_ns += pick(1000000000);
            break;
        case 3:
            if (streams[place])
                ioctls(streams[place]);
            break;
        default:
            if (streams[place])
                messages(streams[place]);
        }
    }
    most_allocations = 0;
    for (unsigned i = 0; i < STREAMS; i++)
        if (streams[i] && pick(4) > 0)
            str_close(streams[i]);
    memset(streams, 0, sizeof streams);
}

static void test_random_use(void) {
    EACH_SEED(seed, 300) {
        state = seed;
        storm(1000);
        str_host_close(host); /* with what is open */
        CHECK(allocations == 0);
        for (unsigned i = 0; i < 16; i++)
            CHECK(!reads[i]);
        begin();
    }
}

int main(void) {
    RUN(random_use);
    return 0;
}
