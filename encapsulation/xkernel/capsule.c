/* The instance: its devices, beginning and end. */
#include "inside.h"

#include <errno.h>

#define MOST_DEVICES 8

struct device {
    struct qinit read;
    struct streamtab table;
    struct endpoint_calls calls;
    const struct xk_device *described;
};

static struct device devices[MOST_DEVICES];
static struct str_export exports[MOST_DEVICES + 1];

static int open_stream(queue_t *read, dev_t *dev, int flags, int kind, cred_t *who) {
    (void)dev, (void)flags, (void)who;
    struct device *device = devices;
    while (device != devices + MOST_DEVICES && &device->read != read->q_qinfo)
        device++;
    if (device == devices + MOST_DEVICES || kind == MODOPEN)
        return ENXIO;
    int error = endpoint_open(read, &device->calls);
    if (!error)
        ((struct xk_upper *)read->q_ptr)->device = device->described;
    return error;
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    if (read->q_ptr)
        xk_upper_forget(read->q_ptr);
    int error = endpoint_close(read);
    xk_settle();
    return error;
}

static int write_put(queue_t *write, mblk_t *message) {
    int type = message->b_datap->db_type;
    if (!capsule_failed() || (type != M_DATA && type != M_PROTO && type != M_PCPROTO))
        return endpoint_write_put(write, message);
    freemsg(message);
    putnextctl1(RD(write), M_ERROR, EIO);
    return 0;
}

static struct module_info info = {
    .mi_idnum = 0x786b, .mi_idname = "x-kernel", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
static struct qinit upper_write = {.qi_putp = write_put, .qi_srvp = endpoint_write_service, .qi_minfo = &info};

static void describe(struct device *device, const struct xk_device *described) {
    bool connects = described->service != XK_CONNECTIONLESS;
    device->described = described;
    device->read = (struct qinit){
        .qi_srvp = endpoint_read_service, .qi_qopen = open_stream, .qi_qclose = close_stream, .qi_minfo = &info};
    device->table = (struct streamtab){&device->read, &upper_write, &xk_lower_read, &xk_lower_write};
    device->calls = xk_calls;
    device->calls.service = connects ? T_COTS : T_CLTS;
    device->calls.data_size = described->service == XK_STREAM ? 0 : T_INFINITE;
}

static int start(struct str_host *host, const char *const *options) {
    int error = capsule_begin(host, options), count = 0;
    xk_threads_begin();
#ifdef NACRE_LOW_POINTERS
    if (!xk_low_reserve())
        return ENOMEM;
#endif
    for (const struct xk_device *each = xk_graph.devices; each->name; each++, count++) {
        if (count == MOST_DEVICES || xk_address_length(each->address) > ENDPOINT_ADDRESS)
            return EINVAL;
        describe(&devices[count], each);
        exports[count] = (struct str_export){each->name, &devices[count].table, STR_DEVICE};
    }
    return error;
}

static void stop(struct str_host *host) {
    (void)host;
    endpoint_end();
    xk_threads_end();
    xk_events_end();
    xk_messages_end();
    xk_low_end();
    capsule_end();
}

static size_t lent(void) { return xk_crossings.lent; }

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, lent};
