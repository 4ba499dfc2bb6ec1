/* The instance: its device and its timers. */
#define _GNU_SOURCE
#include "instance.h"

#include <errno.h>
#include <string.h>

#include <usrsctp.h>

#define MS 1000000

static timeout_id_t timer;
static uint64_t due;    /* in ns; 0: the timer is not set */
static uint64_t ticked; /* up to which time usrsctp's clock has come, in ns */

static void advance(void *argument) {
    (void)argument;
    uint64_t elapsed = (capsule_now() - ticked) / MS;
    ticked += elapsed * MS;
    usrsctp_handle_timers((uint32_t)elapsed);
}

static void timers_run(void *argument) {
    (void)argument;
    due = 0;
    capsule_run(advance, NULL);
    associations_unblock();
    timers_update();
}

void timers_update(void) {
    association_events();
    if (capsule_failed() || capsule_entered())
        return;
    uint64_t wait = callout_wait(), now = capsule_now(), at = ticked + wait * MS;
    if (wait == UINT64_MAX || (due && due <= at))
        return;
    if (due)
        str_untimeout(capsule_host(), timer);
    /* Its clock advances by whole ms. */
    at = at < now + MS ? now + MS : at;
    timer = str_timeout(capsule_host(), timers_run, NULL, at);
    due = timer ? at : 0;
}

static int open_sctp(queue_t *read, dev_t *device, int flags, int kind, cred_t *who) {
    (void)device, (void)flags, (void)kind, (void)who;
    return endpoint_open(read, &sctp_calls);
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    return endpoint_close(read);
}

static struct module_info about = {
    .mi_idnum = 0x7362, .mi_idname = "usrsctp", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
static struct qinit upper_read = {
    .qi_srvp = endpoint_read_service, .qi_qopen = open_sctp, .qi_qclose = close_stream, .qi_minfo = &about};
static struct qinit upper_write = {
    .qi_putp = endpoint_write_put, .qi_srvp = endpoint_write_service, .qi_minfo = &about};
static struct streamtab sctp = {&upper_read, &upper_write, &link_read, &link_write};

static const struct str_export exports[] = {{"sctp", &sctp, STR_DEVICE}, {NULL, NULL, 0}};

static void begin(void *argument) {
    (void)argument;
    ticked = capsule_now();
    usrsctp_init_nothreads(0, NULL, capsule_log);
}

static int start(struct str_host *host, const char *const *options) {
    int error = capsule_begin(host, options);
    if (!error && !capsule_run(begin, NULL))
        error = EIO;
    return error;
}

static void finish(void *argument) {
    (void)argument;
    usrsctp_finish();
}

static void stop(struct str_host *host) {
    endpoint_end();
    capsule_run(finish, NULL);
    if (due)
        str_untimeout(host, timer);
    capsule_end();
}

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, parts_lent};
