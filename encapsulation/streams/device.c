/* A device driver whose frames the program sends and receives. */
#define STR_PREFIXED
#include "inside.h"

#include <errno.h>
#include <string.h>

struct str_device {
    struct streamtab streamtab; /* each device has its own: its open routine finds the device by it */
    struct qinit read, write;
    struct str_host *host;
    struct str_device_calls calls;
    void *context;
    queue_t *open; /* the read queue of its stream */
    bool busy;
    struct str_device_statistics statistics;
    char name[NAME_SIZE];
    struct str_device *next;
};

static struct str_device *device_of(queue_t *q) { return q->q_ptr; }

static int device_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)oflag;
    (void)sflag;
    (void)cred;
    struct str_device *its =
        (struct str_device *)(void *)((char *)q->q_qinfo - offsetof(struct str_device, read));
    if (its->open && its->open != q)
        return EBUSY;
    q->q_ptr = (q + 1)->q_ptr = its;
    its->open = q;
    its->busy = false;
    str_qprocson(q);
    return 0;
}

static int device_close(queue_t *q, int flag, cred_t *cred) {
    (void)flag;
    (void)cred;
    str_qprocsoff(q);
    device_of(q)->open = NULL;
    return 0;
}

/* Whether the frame was taken, or dropped. */
static bool transmit(struct str_device *device, mblk_t *frame) {
    int error = device->calls.transmit(device->context, frame);
    if (error == EAGAIN) {
        device->busy = true;
        return false;
    }
    if (error) {
        device->statistics.dropped++;
        str_freemsg(frame);
    } else {
        device->statistics.sent++;
    }
    return true;
}

static int write_service(queue_t *q) {
    struct str_device *device = device_of(q);
    mblk_t *frame;
    while (!device->busy && (frame = str_getq(q)))
        if (!transmit(device, frame))
            str_putbq(q, frame);
    return 0;
}

static void flush(queue_t *q, mblk_t *message) {
    unsigned char flags = message->b_wptr > message->b_rptr ? *message->b_rptr : 0;
    bool banded = flags & FLUSHBAND && message->b_wptr - message->b_rptr > 1;
    for (unsigned i = 0; i < 2; i++)
        if (flags & (i == 0 ? FLUSHW : FLUSHR)) {
            if (banded)
                str_flushband(i == 0 ? q : q - 1, message->b_rptr[1], FLUSHALL);
            else
                str_flushq(i == 0 ? q : q - 1, FLUSHALL);
        }
    if (flags & FLUSHR) {
        *message->b_rptr &= (unsigned char)~FLUSHW;
        str_qreply(q, message);
    } else {
        str_freemsg(message);
    }
}

static int write_put(queue_t *q, mblk_t *message) {
    struct str_device *device = device_of(q);
    switch (message->b_datap->db_type) {
    case M_DATA:
        if (device->busy || q->q_first || !transmit(device, message)) {
            if (!str_putq(q, message)) {
                device->statistics.dropped++;
                str_freemsg(message);
            }
        }
        return 0;
    case M_FLUSH:
        flush(q, message);
        return 0;
    case M_IOCTL:
        if ((size_t)(message->b_wptr - message->b_rptr) >= sizeof(struct iocblk)) {
            str_miocnak(q, message, 0, EINVAL);
            return 0;
        }
        break;
    default:
        break;
    }
    str_freemsg(message);
    return 0;
}

/* Frames that a busy multiplexor above did not take wait here. */
static int read_service(queue_t *q) {
    mblk_t *frame;
    while ((frame = str_getq(q))) {
        if (!str_canputnext(q)) {
            str_putbq(q, frame);
            return 0;
        }
        str_putnext(q, frame);
    }
    return 0;
}

static int read_put(queue_t *q, mblk_t *message) { return str_putnext(q, message); }

static struct module_info info = {
    .mi_idnum = 0x6672, .mi_idname = "frames", .mi_maxpsz = INFPSZ, .mi_hiwat = 131072, .mi_lowat = 32768};

int str_device_create(struct str_host *host, const char *name, const struct str_device_calls *calls, void *context,
                      struct str_device **result) {
    if (!calls || !calls->transmit)
        return EINVAL;
    struct str_device *device = host_allocate(host, sizeof *device);
    if (!device)
        return ENOMEM;
    *device = (struct str_device){.host = host, .calls = *calls, .context = context};
    device->read = (struct qinit){.qi_putp = read_put,
                                  .qi_srvp = read_service,
                                  .qi_qopen = device_open,
                                  .qi_qclose = device_close,
                                  .qi_minfo = &info};
    device->write = (struct qinit){.qi_putp = write_put, .qi_srvp = write_service, .qi_minfo = &info};
    device->streamtab = (struct streamtab){.st_rdinit = &device->read, .st_wrinit = &device->write};
    int error = str_install(host, name, &device->streamtab, STR_DEVICE);
    if (error) {
        host_release(host, device, sizeof *device);
        return error;
    }
    memcpy(device->name, name, strlen(name) + 1);
    device->next = host->devices;
    host->devices = device;
    *result = device;
    return 0;
}

int str_device_destroy(struct str_device *device) {
    int error = str_uninstall(device->host, device->name);
    if (error)
        return error;
    struct str_device **at = &device->host->devices;
    while (*at != device)
        at = &(*at)->next;
    *at = device->next;
    host_release(device->host, device, sizeof *device);
    return 0;
}

void devices_close(struct str_host *host) {
    while (host->devices) {
        struct str_device *device = host->devices;
        host->devices = device->next;
        host_release(host, device, sizeof *device);
    }
}

int str_device_receive(struct str_device *device, mblk_t *frame) {
    queue_t *q = device->open;
    if (!q) {
        device->statistics.dropped++;
        str_freemsg(frame);
        return ENETDOWN;
    }
    struct entered entered = host_enter(device->host);
    int error = 0;
    if (!q->q_first && str_canputnext(q)) {
        device->statistics.received++;
        str_putnext(q, frame);
    } else if (str_canput(q) && str_putq(q, frame)) {
        device->statistics.received++;
    } else {
        device->statistics.refused++;
        str_freemsg(frame);
        error = ENOBUFS;
    }
    host_leave(entered);
    return error;
}

int str_device_receive_bytes(struct str_device *device, const void *bytes, size_t count) {
    struct entered entered = host_enter(device->host);
    mblk_t *frame = str_allocb(count, BPRI_MED);
    int error = frame ? 0 : ENOBUFS;
    if (frame) {
        if (count > 0)
            memcpy(frame->b_rptr, bytes, count);
        frame->b_wptr += count;
        error = str_device_receive(device, frame);
    } else {
        device->statistics.dropped++;
    }
    host_leave(entered);
    return error;
}

void str_device_ready(struct str_device *device) {
    device->busy = false;
    if (device->open)
        str_qenable(device->open + 1);
}

void str_device_hangup(struct str_device *device) {
    if (!device->open)
        return;
    struct entered entered = host_enter(device->host);
    str_putnextctl(device->open, M_HANGUP);
    host_leave(entered);
}

const struct str_device_statistics *str_device_statistics(const struct str_device *device) {
    return &device->statistics;
}
