/* The instance: its devices, its timers, and addresses. */
#include "instance.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "lwip/init.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

static timeout_id_t timer;
static uint64_t due; /* in ns; 0: the timer is not set */

u32_t sys_now(void) { return (u32_t)(capsule_now() / 1000000); }

static void check(void *argument) {
    (void)argument;
    sys_check_timeouts();
}

static void timers_run(void *argument) {
    (void)argument;
    due = 0;
    capsule_run(check, NULL);
    timers_update();
}

void timers_update(void) {
    u32_t wait = capsule_failed() ? SYS_TIMEOUTS_SLEEPTIME_INFINITE : sys_timeouts_sleeptime();
    if (wait == SYS_TIMEOUTS_SLEEPTIME_INFINITE)
        return;
    uint64_t at = capsule_now() + (uint64_t)wait * 1000000;
    if (due && due <= at)
        return; /* it runs in time, and looks again */
    if (due)
        str_untimeout(capsule_host(), timer);
    timer = str_timeout(capsule_host(), timers_run, NULL, at);
    due = timer ? at : 0;
}

int address_of(const void *bytes, size_t length, ip_addr_t *address, u16_t *port) {
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    sa_family_t family;
    *address = *IP_ANY_TYPE;
    *port = 0;
    if (length == 0)
        return 0;
    if (length < sizeof four)
        return EINVAL;
    memcpy(&family, (const char *)bytes + offsetof(struct sockaddr_in, sin_family), sizeof family);
    if (family == AF_INET) {
        memcpy(&four, bytes, sizeof four);
        *port = ntohs(four.sin_port);
        if (four.sin_addr.s_addr != 0)
            ip_addr_set_ip4_u32_val(*address, four.sin_addr.s_addr);
        return 0;
    }
    if (family != AF_INET6)
        return EAFNOSUPPORT;
    if (length < sizeof six)
        return EINVAL;
    memcpy(&six, bytes, sizeof six);
    *port = ntohs(six.sin6_port);
    static const unsigned char any[16];
    if (memcmp(&six.sin6_addr, any, sizeof any) != 0) {
        ip6_addr_t of6;
        memset(&of6, 0, sizeof of6);
        memcpy(of6.addr, &six.sin6_addr, 16);
        ip_addr_copy_from_ip6(*address, of6);
    }
    return 0;
}

void address_to(const ip_addr_t *address, u16_t port, void *bytes, size_t *length) {
    if (IP_IS_V6(address)) {
        struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
        memcpy(&six.sin6_addr, ip_2_ip6(address)->addr, 16);
        memcpy(bytes, &six, *length = sizeof six);
    } else {
        struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
        four.sin_addr.s_addr = IP_IS_V4(address) ? ip4_addr_get_u32(ip_2_ip4(address)) : 0;
        memcpy(bytes, &four, *length = sizeof four);
    }
}

int error_of(err_t error) {
    switch (error) {
    case ERR_OK: return 0;
    case ERR_MEM: case ERR_BUF: return ENOMEM;
    case ERR_TIMEOUT: return ETIMEDOUT;
    case ERR_RTE: return EHOSTUNREACH;
    case ERR_INPROGRESS: return EINPROGRESS;
    case ERR_USE: return EADDRINUSE;
    case ERR_ALREADY: return EALREADY;
    case ERR_ISCONN: return EISCONN;
    case ERR_CONN: return ENOTCONN;
    case ERR_ABRT: return ECONNABORTED;
    case ERR_RST: return ECONNRESET;
    case ERR_CLSD: return EPIPE;
    default: return EINVAL;
    }
}

static int open_tcp(queue_t *read, dev_t *device, int flags, int kind, cred_t *who) {
    (void)device, (void)flags, (void)kind, (void)who;
    return endpoint_open(read, &tcp_calls);
}

static int open_udp(queue_t *read, dev_t *device, int flags, int kind, cred_t *who) {
    (void)device, (void)flags, (void)kind, (void)who;
    return endpoint_open(read, &udp_calls);
}

static int close_stream(queue_t *read, int flags, cred_t *who) {
    (void)flags, (void)who;
    return endpoint_close(read);
}

static struct module_info about = {
    .mi_idnum = 0x6c76, .mi_idname = "lwip", .mi_maxpsz = INFPSZ, .mi_hiwat = 262144, .mi_lowat = 65536};
static struct qinit tcp_read = {
    .qi_srvp = endpoint_read_service, .qi_qopen = open_tcp, .qi_qclose = close_stream, .qi_minfo = &about};
static struct qinit udp_read = {
    .qi_srvp = endpoint_read_service, .qi_qopen = open_udp, .qi_qclose = close_stream, .qi_minfo = &about};
static struct qinit upper_write = {
    .qi_putp = endpoint_write_put, .qi_srvp = endpoint_write_service, .qi_minfo = &about};

static struct streamtab tcp = {&tcp_read, &upper_write, &link_read, &link_write};
static struct streamtab udp = {&udp_read, &upper_write, &link_read, &link_write};

static const struct str_export exports[] = {{"tcp", &tcp, STR_DEVICE}, {"udp", &udp, STR_DEVICE}, {NULL, NULL, 0}};

static void begin(void *argument) {
    (void)argument;
    lwip_init();
}

static int start(struct str_host *host, const char *const *options) {
    int error = capsule_begin(host, options);
    if (!error && !capsule_run(begin, NULL))
        error = EIO;
    if (!error)
        timers_update();
    return error;
}

static void stop(struct str_host *host) {
    (void)host;
    endpoint_end();
    if (due)
        str_untimeout(capsule_host(), timer);
    capsule_end();
}

__attribute__((visibility("default"))) extern const struct str_capsule nacre_capsule;
const struct str_capsule nacre_capsule = {STR_CAPSULE_ABI, NACRE_CAPSULE_NAME, exports, start, stop, parts_lent};
