/* A host whose instances break the rules: nothing of it may fail or be lost. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "streams/capsule.h"
#include "streams/stream.h"

static uint64_t now;
static unsigned lines;

static uint64_t clock_of(void *context) { return (void)context, now; }

static void log_of(void *context, const char *line) {
    (void)context;
    lines += strstr(line, "the instance ends") != NULL;
}

static int transmit(void *context, mblk_t *frame) {
    (void)context;
    freemsg(frame);
    return 0;
}

static void run(struct str_host *host) {
    for (int i = 0; i < 100 && (str_tick(host) || str_run(host)); i++)
        ;
}

static void use(struct str_host *host, struct str_device *devices[2]) {
    struct str_stream *driver = NULL, *wire = NULL, *module = NULL;
    int link = -1;
    int opened = str_open(host, "evil.d", &driver);
    if (!opened && !str_open(host, "wire0", &wire) && str_link(driver, wire, 0, &link))
        link = -1;
    if (!str_open(host, "wire1", &module))
        str_push(module, "evil.m");
    for (int i = 0; i < 30; i++) {
        char bytes[40] = "data";
        struct strioctl io = {.ic_cmd = 77, .ic_len = sizeof bytes, .ic_dp = bytes};
        struct str_stream *both[] = {driver, module};
        for (int s = 0; s < 2; s++)
            if (both[s]) {
                struct strbuf control = {.len = sizeof bytes, .buf = bytes}, data = {.len = 4, .buf = bytes};
                str_putmsg(both[s], i % 3 ? NULL : &control, &data, 0);
                if (i % 4 == 0 && str_ioctl(both[s], I_STR, &io, NULL) == EAGAIN)
                    str_ioctl_cancel(both[s]);
                if (i % 5 == 0)
                    str_ioctl(both[s], I_FLUSH, (void *)FLUSHRW, NULL);
                mblk_t *message;
                while (str_receive(both[s], &message) == 0 && message)
                    freemsg(message);
            }
        str_device_receive_bytes(devices[0], (const unsigned char *)bytes, 4);
        str_device_receive_bytes(devices[1], (const unsigned char *)bytes, 4);
        now += 1000000;
        run(host);
    }
    if (link >= 0)
        str_unlink(driver, link, 0);
    if (wire)
        str_close(wire);
    if (module)
        str_close(module);
    if (!opened)
        str_close(driver);
}

static void test_records(void) {
    unsigned ended = 0;
    for (int seed = 0; seed < 60; seed++) {
        struct str_environment environment = {.now = clock_of, .log = log_of};
        struct str_host *host = str_host_open(&environment);
        assert(host);
        static const struct str_device_calls calls = {transmit};
        struct str_device *devices[2];
        assert(str_device_create(host, "wire0", &calls, NULL, &devices[0]) == 0);
        assert(str_device_create(host, "wire1", &calls, NULL, &devices[1]) == 0);
        char option[32];
        snprintf(option, sizeof option, "seed=%d", seed);
        const char *options[] = {option, "isolate=2000", NULL}, *why = "";
        struct str_instance *instance;
        int error = str_load(host, CAPSULE, "evil", options, &instance, &why);
        if (error)
            puts(why);
        assert(error == 0);
        lines = 0;
        use(host, devices);
        ended += lines > 0;
        run(host);
        if (seed % 3) { /* otherwise it ends with its host */
            int unloaded = str_unload(instance);
            assert(unloaded == 0);
            size_t live = str_live_blocks(host);
            assert(live == 0);
        }
        str_host_close(host);
    }
    printf("%u of 60 ended\n", ended);
    assert(ended > 10 && ended < 60);
}

int main(void) {
    test_records();
    puts("ok records");
    return 0;
}
