/* A driver and a module with queues that tests look at; each keeps the queue pair that was opened last. */
#ifndef NACRE_STREAMS_QUEUE_H
#define NACRE_STREAMS_QUEUE_H

#include "streams_test.h"

static queue_t *driver, *module; /* read queues */
static char services[256]; /* which service procedures ran: D, d, M, m for the write and read side */
static bool module_drains; /* the module's service procedures pass on what can be passed on */

static inline void note(char mark) {
    size_t length = strlen(services);
    CHECK(length + 1 < sizeof services);
    services[length] = mark;
    services[length + 1] = 0;
}

static int driver_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)cred;
    CHECK(oflag == (FREAD | FWRITE) && sflag != MODOPEN);
    driver = q;
    qprocson(q);
    return 0;
}

static int driver_close(queue_t *q, int flag, cred_t *cred) {
    (void)flag;
    (void)cred;
    qprocsoff(q);
    return 0;
}

static int module_open(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    (void)device;
    (void)oflag;
    (void)cred;
    CHECK(sflag == MODOPEN);
    module = q;
    qprocson(q);
    return 0;
}

static void drain(queue_t *q) {
    mblk_t *message;
    while (module_drains && (message = getq(q)))
        if (message->b_datap->db_type >= QPCTL || bcanputnext(q, message->b_band)) {
            putnext(q, message);
        } else {
            putbq(q, message);
            return;
        }
}

static int driver_write_service(queue_t *q) {
    (void)q;
    note('D');
    return 0;
}

static int driver_read_service(queue_t *q) {
    note('d');
    drain(q);
    return 0;
}

static int module_write_service(queue_t *q) {
    note('M');
    drain(q);
    return 0;
}

static int module_read_service(queue_t *q) {
    note('m');
    drain(q);
    return 0;
}

static struct module_info driver_info = {1, "driver", 0, 1000, 100, 40};
static struct module_info module_info_of = {2, "module", 0, INFPSZ, 50, 20};
static struct qinit driver_read = {.qi_putp = putq,
                                   .qi_srvp = driver_read_service,
                                   .qi_qopen = driver_open,
                                   .qi_qclose = driver_close,
                                   .qi_minfo = &driver_info};
static struct qinit driver_write = {.qi_putp = putq, .qi_srvp = driver_write_service, .qi_minfo = &driver_info};
static struct streamtab driver_tab = {&driver_read, &driver_write, NULL, NULL};
static struct qinit module_read = {.qi_putp = putq,
                                   .qi_srvp = module_read_service,
                                   .qi_qopen = module_open,
                                   .qi_qclose = driver_close,
                                   .qi_minfo = &module_info_of};
static struct qinit module_write = {.qi_putp = putq, .qi_srvp = module_write_service, .qi_minfo = &module_info_of};
static struct streamtab module_tab = {&module_read, &module_write, NULL, NULL};
/* A module without service procedures. */
static struct qinit bare_read = {
    .qi_putp = putnext, .qi_qopen = module_open, .qi_qclose = driver_close, .qi_minfo = &module_info_of};
static struct qinit bare_write = {.qi_putp = putnext, .qi_minfo = &module_info_of};
static struct streamtab bare_tab = {&bare_read, &bare_write, NULL, NULL};

static inline struct str_stream *opened(void) {
    struct str_stream *stream;
    CHECK(str_install(host, "driver", &driver_tab, STR_DEVICE) == 0);
    CHECK(str_install(host, "module", &module_tab, STR_MODULE) == 0);
    CHECK(str_install(host, "bare", &bare_tab, STR_MODULE) == 0);
    CHECK(str_open(host, "driver", &stream) == 0);
    services[0] = 0;
    module_drains = false;
    return stream;
}

/* Serves queues; whether just these service procedures ran, in this order. */
static inline bool served(const char *expected) {
    CHECK(!str_run(host));
    bool same = strcmp(services, expected) == 0;
    if (!same)
        fprintf(stderr, "served: \"%s\", expected \"%s\"\n", services, expected);
    services[0] = 0;
    return same;
}

#endif
