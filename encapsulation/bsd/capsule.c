/* The instance: its devices, ioctl commands, beginning and end. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <stdlib.h>
#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>
#include <sys/mbuf.h>
#include <sys/protosw.h>
#include <sys/socket.h>
#include <sys/socketvar.h>
#include <sys/systm.h>

#include <net/if.h>

#define MOST_PROTOCOLS 8

struct device {
    struct qinit read;
    struct streamtab table;
    struct endpoint_calls calls;
    const struct bsd_protocol *protocol;
};

static struct device devices[MOST_PROTOCOLS];
static struct str_export exports[MOST_PROTOCOLS + 1];

static struct device *device_of(queue_t *read) {
    struct device *device = devices;
    while (device != devices + MOST_PROTOCOLS && &device->read != read->q_qinfo)
        device++;
    return device == devices + MOST_PROTOCOLS ? NULL : device;
}

static int open_stream(queue_t *read, dev_t *dev, int flags, int kind, cred_t *who) {
    (void)dev, (void)flags, (void)who;
    struct device *device = device_of(read);
    if (!device || kind == MODOPEN)
        return ENXIO;
    int error = endpoint_open(read, &device->calls);
    if (!error)
        ((struct bsd_upper *)read->q_ptr)->protocol = device->protocol;
    return error;
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    bsd_commands_end(bsd_other(read));
    int error = endpoint_close(read);
    bsd_settle();
    bsd_clusters_drain();
    return error;
}

static bool is_control(const mblk_t *message) {
    const struct iocblk *header = (const struct iocblk *)(const void *)message->b_rptr;
    return message->b_datap->db_type == M_IOCTL && message->b_wptr - message->b_rptr >= (ptrdiff_t)sizeof *header &&
           (unsigned)header->ioc_cmd & IOC_DIRMASK;
}

/* A stream of an instance that has failed takes nothing any more. */
static void reject(queue_t *write, mblk_t *message) {
    if (message->b_datap->db_type == M_IOCTL) {
        str_miocnak(write, message, 0, EIO);
        return;
    }
    str_freemsg(message);
    str_putnextctl1(bsd_other(write), M_ERROR, EIO);
}

static int write_put(queue_t *write, mblk_t *message) {
    int type = message->b_datap->db_type;
    if (capsule_failed() && (type == M_DATA || type == M_PROTO || type == M_PCPROTO || is_control(message))) {
        reject(write, message);
        return 0;
    }
    if (!is_control(message))
        return endpoint_write_put(write, message);
    if (capsule_entered())
        str_putq(write, message);
    else
        bsd_command(write, message);
    return 0;
}

/* Commands that waited are first in the queue or behind data; the rest is the endpoint's. */
static int write_service(queue_t *write) {
    while (write->q_first && is_control(write->q_first) && !capsule_entered())
        bsd_command(write, str_getq(write));
    return endpoint_write_service(write);
}

/* The stream above has room again: what waits in the socket goes up. */
static int read_service(queue_t *read) {
    endpoint_read_service(read);
    struct bsd_upper *upper = read->q_ptr;
    if (upper && upper->socket && !capsule_failed()) {
        bsd_mark(upper->socket);
        bsd_settle();
    }
    return 0;
}

static struct module_info info = {
    .mi_idnum = 0x6274, .mi_idname = "bsd", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
static struct qinit upper_write = {.qi_putp = write_put, .qi_srvp = write_service, .qi_minfo = &info};

static void describe(struct device *device, const struct bsd_protocol *protocol) {
    bool connects = protocol->type == SOCK_STREAM || protocol->type == SOCK_SEQPACKET;
    device->protocol = protocol;
    device->read = (struct qinit){
        .qi_srvp = read_service, .qi_qopen = open_stream, .qi_qclose = close_stream, .qi_minfo = &info};
    device->table = (struct streamtab){&device->read, &upper_write, &bsd_lower_read, &bsd_lower_write};
    device->calls = protocol->above ? bsd_above_calls : bsd_calls;
    device->calls.service = !connects ? T_CLTS : protocol->orderly ? T_COTS_ORD : T_COTS;
    device->calls.data_size = protocol->type == SOCK_STREAM ? 0 : T_INFINITE;
    device->calls.expedited_size = connects ? T_INFINITE : T_INVALID;
}

static int start(struct str_host *host, const char *const *options) {
    int error = capsule_begin(host, options);
    int count = 0;
    for (const struct bsd_protocol *each = bsd_description.protocols; each->name; each++, count++) {
        if (count == MOST_PROTOCOLS)
            return ENOSPC;
        describe(&devices[count], each);
        exports[count] = (struct str_export){each->name, &devices[count].table, STR_DEVICE};
    }
    const char *most = capsule_option("mbufs");
    if (most && atoi(most) > 0)
        bsd_mbufs_limit((size_t)atoi(most));
    return error;
}

static void stop(struct str_host *host) {
    (void)host;
    endpoint_end();
    bsd_timeouts_end();
    bsd_callouts_end();
    bsd_processes_end();
    bsd_lowers_end();
    bsd_mbufs_end();
    capsule_end();
}

static size_t lent(void) { return bsd_crossings.lent; }

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, lent};
