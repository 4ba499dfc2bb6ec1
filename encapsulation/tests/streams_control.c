/* Opening, pushing, ioctls. */
#include "streams_queue.h"

static int answer; /* what the driver does with M_IOCTL: an errno value, 0: as its command says, -1: it keeps it */
static mblk_t *kept;
static struct { int number; char text[12]; } user;

static void acknowledge(queue_t *q, mblk_t *message, mblk_t *data, int value) {
    if (message->b_cont)
        freemsg(unlinkb(message));
    message->b_cont = data;
    str_miocack(q, message, data ? (int)msgdsize(data) : 0, value);
}

/* A transparent command 1 adds 1 to the number at the argument: M_COPYIN, M_COPYOUT. */
static void begin_copy(queue_t *q, mblk_t *message, unsigned char type, char *address, size_t size, mblk_t *data) {
    struct copyreq *request = (struct copyreq *)(void *)message->b_rptr;
    unsigned id = ((struct iocblk *)(void *)message->b_rptr)->ioc_id;
    if (message->b_cont)
        freemsg(unlinkb(message));
    *request = (struct copyreq){.cq_cmd = 1, .cq_id = id, .cq_addr = address, .cq_size = size};
    request->cq_private = (mblk_t *)(void *)address; /* comes back as it is */
    message->b_wptr = message->b_rptr + sizeof *request;
    message->b_datap->db_type = type;
    message->b_cont = data;
    qreply(q, message);
}

static void copied(queue_t *q, mblk_t *message) {
    struct copyresp response;
    memcpy(&response, message->b_rptr, sizeof response);
    struct iocblk *head = (struct iocblk *)(void *)message->b_rptr;
    if (response.cp_rval || !message->b_cont) {
        bool done = !response.cp_rval;
        *head = (struct iocblk){.ioc_cmd = response.cp_cmd, .ioc_id = response.cp_id};
        message->b_wptr = message->b_rptr + sizeof *head;
        if (done)
            str_miocack(q, message, 0, 33);
        else
            str_miocnak(q, message, 0, (int)(intptr_t)response.cp_rval);
        return;
    }
    mblk_t *data = unlinkb(message);
    ++*(int *)(void *)data->b_rptr;
    *head = (struct iocblk){.ioc_cmd = response.cp_cmd, .ioc_id = response.cp_id};
    begin_copy(q, message, M_COPYOUT, (char *)response.cp_private, sizeof(int), data);
}

static int ioctl_put(queue_t *q, mblk_t *message) {
    if (message->b_datap->db_type == M_IOCDATA) {
        copied(q, message);
        return 0;
    }
    if (message->b_datap->db_type != M_IOCTL)
        return putq(q, message);
    struct iocblk *head = (struct iocblk *)(void *)message->b_rptr;
    if (answer > 0) {
        str_miocnak(q, message, 0, answer);
    } else if (answer < 0) {
        CHECK(!kept);
        kept = message;
    } else if (head->ioc_count == TRANSPARENT) {
        char *address;
        CHECK(msgsize(message->b_cont) == sizeof address);
        memcpy(&address, message->b_cont->b_rptr, sizeof address);
        begin_copy(q, message, M_COPYIN, address, head->ioc_cmd == 2 ? 1000000 : sizeof(int), NULL);
    } else if (head->ioc_cmd == 5) {
        begin_copy(q, message, M_COPYIN, (char *)&user, sizeof(int), NULL); /* it may not */
    } else {
        CHECK(head->ioc_cmd == 7 && head->ioc_count == 5 && has(message->b_cont, "hello"));
        acknowledge(q, message, text("answered"), 44);
    }
    return 0;
}

static struct qinit ioctl_write = {.qi_putp = ioctl_put, .qi_minfo = &driver_info};
static struct streamtab ioctl_tab = {&driver_read, &ioctl_write, NULL, NULL};

static struct str_stream *ready(void) {
    struct str_stream *stream = opened();
    CHECK(str_install(host, "ioctl", &ioctl_tab, STR_DEVICE) == 0);
    str_close(stream);
    CHECK(str_open(host, "ioctl", &stream) == 0);
    answer = 0;
    return stream;
}

static void test_i_str(void) {
    struct str_stream *stream = ready();
    char bytes[16] = "hello";
    struct strioctl request = {.ic_cmd = 7, .ic_len = 5, .ic_dp = bytes};
    int value;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == 0 && value == 44 && request.ic_len == 8);
    CHECK(memcmp(bytes, "answered", 8) == 0);
    answer = EBUSY;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EBUSY);
    answer = 0;
    request.ic_cmd = 5;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EINVAL); /* I_STR has its data with it */
    request.ic_len = -1;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EINVAL && str_ioctl(stream, I_STR, NULL, &value) == EINVAL);
    request.ic_len = 1000000;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EINVAL);
    str_close(stream);
}

static void test_ioctl_that_waits(void) {
    struct str_stream *stream = ready();
    char bytes[16] = "hello";
    struct strioctl request = {.ic_cmd = 7, .ic_timout = 2, .ic_len = 5, .ic_dp = bytes};
    int value;
    answer = -1;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EAGAIN && kept);
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EAGAIN && str_ioctl(stream, 99, NULL, &value) == EAGAIN);
    struct strioctl same = request;
    CHECK(str_ioctl(stream, I_STR, &same, &value) == EAGAIN && str_ioctl(stream, 99, &request, &value) == EAGAIN);
    CHECK(str_ioctl(stream, I_CANPUT, NULL, &value) == 0); /* the head's own are not concerned */
    acknowledge(WR(driver), kept, NULL, 12);
    kept = NULL;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == 0 && value == 12 && request.ic_len == 0);
    request.ic_len = 5;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EAGAIN);
    clock_ns += 2000000000;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == ETIME);
    acknowledge(WR(driver), kept, NULL, 12); /* late */
    kept = NULL;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EAGAIN);
    str_ioctl_cancel(stream);
    acknowledge(WR(driver), kept, text("late"), 12);
    kept = NULL;
    answer = 0;
    strcpy(bytes, "hello");
    request.ic_len = 5;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == 0 && value == 44);
    answer = -1;
    request.ic_len = 5;
    CHECK(str_ioctl(stream, I_STR, &request, &value) == EAGAIN);
    putnextctl(driver, M_HANGUP);
    CHECK(str_ioctl(stream, I_STR, &request, &value) == ENXIO);
    freemsg(kept);
    kept = NULL;
    str_close(stream);
}

static void test_transparent_ioctl(void) {
    struct str_stream *stream = ready();
    user.number = 6;
    int value;
    CHECK(str_ioctl(stream, 1, &user, &value) == 0 && user.number == 7 && value == 33);
    CHECK(str_ioctl(stream, 1, NULL, &value) == EFAULT && str_ioctl(stream, 2, &user, &value) == EINVAL);
    answer = ENOTTY;
    CHECK(str_ioctl(stream, 1, &user, &value) == ENOTTY);
    str_close(stream);
}

static void test_push_and_pop(void) {
    struct str_stream *stream = opened();
    char name[FMNAMESZ + 1];
    int value;
    CHECK(str_ioctl(stream, I_LOOK, name, NULL) == EINVAL && str_pop(stream) == EINVAL);
    CHECK(str_push(stream, "driver") == EINVAL && str_push(stream, NULL) == EINVAL);
    CHECK(str_ioctl(stream, I_PUSH, (void *)(uintptr_t) "module", NULL) == 0 && str_push(stream, "bare") == 0);
    CHECK(str_ioctl(stream, I_LOOK, name, NULL) == 0 && strcmp(name, "bare") == 0);
    CHECK(str_ioctl(stream, I_FIND, (void *)(uintptr_t) "module", &value) == 0 && value == 1);
    CHECK(str_ioctl(stream, I_FIND, (void *)(uintptr_t) "none", &value) == EINVAL);
    CHECK(str_ioctl(stream, I_LIST, NULL, &value) == 0 && value == 3);
    char names[3][FMNAMESZ + 1];
    struct str_list list = {3, names};
    CHECK(str_ioctl(stream, I_LIST, &list, &value) == 0 && strcmp(names[1], "module") == 0);
    CHECK(strcmp(names[2], "driver") == 0);
    CHECK(str_ioctl(stream, I_POP, NULL, NULL) == 0);
    CHECK(str_ioctl(stream, I_FIND, (void *)(uintptr_t) "bare", &value) == 0);
    CHECK(value == 0 && str_uninstall(host, "module") == EBUSY && str_uninstall(host, "bare") == 0);
    for (unsigned i = 1; i < 16; i++)
        CHECK(str_push(stream, "module") == 0);
    CHECK(str_push(stream, "module") == EINVAL); /* no more than 16 */
    str_close(stream);
    CHECK(str_uninstall(host, "module") == 0);
}

static int refuse_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)oflag;
    (void)sflag;
    (void)cred;
    qprocson(q);
    putnext(q, text("early"));
    return EACCES;
}

static void test_open_that_fails(void) {
    struct str_stream *stream = opened(), *other;
    struct qinit read = driver_read;
    read.qi_qopen = refuse_open;
    struct streamtab tab = {&read, &driver_write, NULL, NULL};
    CHECK(str_install(host, "refuses", &tab, 0) == 0);
    CHECK(str_open(host, "refuses", &other) == EACCES && str_push(stream, "refuses") == EACCES);
    CHECK(str_uninstall(host, "refuses") == 0);
    mblk_t *message;
    CHECK(str_receive(stream, &message) == 0 && has(message, "early"));
    freemsg(message);
    str_close(stream);
    str_open(host, "driver", &stream);
    most_allocations = allocations;
    CHECK(str_open(host, "driver", &other) == ENOMEM && str_push(stream, "module") == ENOMEM);
    most_allocations = 0;
    str_close(stream);
}

static unsigned minors;

static int clone_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)oflag;
    (void)cred;
    if (sflag == CLONEOPEN)
        *device = makedevice(getmajor(*device), ++minors);
    q->q_ptr = &minors;
    qprocson(q);
    return 0;
}

static void test_minor_devices(void) {
    struct str_stream *one, *two, *same, *fixed;
    struct qinit read = driver_read;
    read.qi_qopen = clone_open;
    struct streamtab tab = {&read, &driver_write, NULL, NULL};
    minors = 0;
    CHECK(str_install(host, "clones", &tab, STR_DEVICE) == 0);
    CHECK(str_open(host, "clones", &one) == 0 && str_open(host, "clones", &two) == 0 && one != two);
    CHECK(str_open_minor(host, "clones", 2, &same) == 0 && same == two);
    CHECK(str_open_minor(host, "clones", 9, &fixed) == 0 && fixed != one && fixed != two);
    str_close(two);
    CHECK(str_write(two, "x", 1, NULL) == 0); /* it is open once more */
    str_close(two);
    str_close(one);
    str_close(fixed);
    /* A clone whose driver sets no number is nobody else's. */
    CHECK(str_install(host, "driver", &driver_tab, STR_DEVICE) == 0 && str_open(host, "driver", &one) == 0);
    CHECK(str_open_minor(host, "driver", 0, &two) == 0 && one != two);
    str_close(one);
    str_close(two);
    CHECK(str_uninstall(host, "clones") == 0);
}

static void test_peek_and_count(void) {
    struct str_stream *stream = opened();
    char bytes[2][16];
    struct strpeek peek = {.ctlbuf = {.maxlen = 16, .buf = bytes[0]}, .databuf = {.maxlen = 3, .buf = bytes[1]}};
    int value, count;
    CHECK(str_ioctl(stream, I_PEEK, &peek, &value) == 0 && value == 0);
    CHECK(str_ioctl(stream, I_NREAD, &count, &value) == 0 && value == 0 && count == 0);
    CHECK(str_ioctl(stream, I_GETBAND, &count, NULL) == ENODATA);
    mblk_t *message = typed(M_PROTO, 3, "head");
    linkb(message, text("da"));
    linkb(message, text("ta"));
    putnext(driver, message);
    CHECK(str_ioctl(stream, I_PEEK, &peek, &value) == 0 && value == 1 && peek.flags == 0);
    putnext(driver, typed(M_PCPROTO, 0, "high"));
    CHECK(str_ioctl(stream, I_PEEK, &peek, &value) == 0 && peek.flags == RS_HIPRI && peek.ctlbuf.len == 4);
    CHECK(peek.databuf.len == -1 && str_ioctl(stream, I_PEEK, &peek, &value) == 0 && value == 1);
    mblk_t *high;
    CHECK(str_receive(stream, &high) == 0);
    freemsg(high);
    peek.flags = 0;
    CHECK(str_ioctl(stream, I_PEEK, &peek, &value) == 0 && value == 1);
    CHECK(peek.ctlbuf.len == 4 && peek.databuf.len == 3 && memcmp(bytes[1], "dat", 3) == 0);
    CHECK(str_ioctl(stream, I_NREAD, &count, &value) == 0 && value == 1 && count == 4);
    CHECK(str_ioctl(stream, I_GETBAND, &count, NULL) == 0 && count == 3);
    CHECK(str_ioctl(stream, I_CKBAND, (void *)3, &value) == 0 && value == 1);
    CHECK(str_ioctl(stream, I_CKBAND, (void *)2, &value) == 0 && value == 0);
    CHECK(str_ioctl(stream, I_CKBAND, (void *)256, &value) == EINVAL);
    CHECK(str_ioctl(stream, I_CANPUT, (void *)256, &value) == EINVAL);
    CHECK(str_ioctl(stream, I_CANPUT, (void *)-1, &value) == EINVAL);
    peek.flags = RS_HIPRI;
    CHECK(str_ioctl(stream, I_PEEK, &peek, &value) == 0 && value == 0);
    str_close(stream);
}

static void test_fdinsert(void) {
    struct str_stream *stream = opened(), *other;
    CHECK(str_open(host, "driver", &other) == 0);
    queue_t *of_other = driver, *found;
    struct { t_scalar_t type, pad; void *queue; } control = {5, 0, NULL};
    struct strfdinsert insert = {
        .ctlbuf = {.len = sizeof control, .buf = &control}, .databuf = {.len = -1}, .fildes = other};
    insert.offset = offsetof(__typeof__(control), queue);
    insert.ctlbuf.len = sizeof control - 1;
    CHECK(str_ioctl(stream, I_FDINSERT, &insert, NULL) == EINVAL);
    insert.ctlbuf.len = sizeof control;
    CHECK(str_ioctl(stream, I_FDINSERT, &insert, NULL) == 0);
    str_close(other);
    CHECK(str_ioctl(stream, I_FDINSERT, NULL, NULL) == EINVAL);
    insert.fildes = NULL;
    CHECK(str_ioctl(stream, I_FDINSERT, &insert, NULL) == EINVAL);
    insert.fildes = stream;
    insert.offset = 12;
    CHECK(str_ioctl(stream, I_FDINSERT, &insert, NULL) == EINVAL);
    insert.offset = 16;
    CHECK(str_ioctl(stream, I_FDINSERT, &insert, NULL) == EINVAL);
    CHECK(str_push(stream, "bare") == 0);
    mblk_t *message = getq(WR(module)->q_next);
    CHECK(message && message->b_datap->db_type == M_PROTO && *(t_scalar_t *)(void *)message->b_rptr == 5);
    memcpy(&found, message->b_rptr + 8, sizeof found);
    CHECK(found == of_other);
    freemsg(message);
    str_close(stream);
}

static void test_pipe(void) {
    struct str_stream *ends[2];
    struct str_stream *stream = opened();
    str_close(stream);
    CHECK(str_pipe(host, ends) == 0);
    char bytes[16];
    size_t got;
    CHECK(str_write(ends[0], "ping", 4, NULL) == 0 && str_read(ends[1], bytes, 16, &got) == 0 && got == 4);
    CHECK(str_push(ends[0], "bare") == 0 && str_push(ends[1], "bare") == 0);
    CHECK(str_write(ends[1], "pong", 4, NULL) == 0 && str_read(ends[0], bytes, 16, &got) == 0 && got == 4);
    int value;
    CHECK(str_ioctl(ends[0], 1, NULL, &value) == EINVAL);
    char large[6000] = {0};
    CHECK(str_write(ends[0], large, sizeof large, NULL) == 0 && str_write(ends[0], large, 1, NULL) == EAGAIN);
    str_close(ends[0]);
    CHECK(str_poll(ends[1], STR_POLLIN) == (STR_POLLHUP | STR_POLLIN));
    CHECK(str_pop(ends[1]) == ENXIO);
    str_close(ends[1]);
}

int main(void) {
    RUN(i_str);
    RUN(ioctl_that_waits);
    RUN(transparent_ioctl);
    RUN(push_and_pop);
    RUN(open_that_fails);
    RUN(minor_devices);
    RUN(peek_and_count);
    RUN(fdinsert);
    RUN(pipe);
    return 0;
}
