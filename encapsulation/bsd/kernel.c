/* Services of the kernel: memory, time and messages. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <sys/param.h>

#include <sys/kernel.h>
#include <sys/malloc.h>
#include <sys/mbuf.h>
#include <sys/syslog.h>
#include <sys/systm.h>
#include <sys/uio.h>

#include <netinet/in_systm.h>

#define HZ 100
#define NS 1000000000U
#define TICK_NS (NS / HZ)
/* Limits of what an instance may hold. */
#define MOST_MEMORY (64U << 20)
#define MOST_CALLOUTS 4096

char *panicstr;
const char version[] = "4.4BSD environment", copyright[] = "";
int ticks, hz = HZ, tick = 1000000 / HZ, phz = HZ, stathz = HZ, profhz = HZ, tickfix, tickadj = 40;
int cold, selwait, securelevel;
long timedelta, hostid;
char hostname[256] = "nacre", domainname[256];
int hostnamelen = 5, domainnamelen;
struct timeval boottime, time;
volatile struct timeval mono_time;
struct timezone tz;

static uint64_t shown; /* what `time` says, in ns */

static void set_time(struct timeval *to, uint64_t now) {
    to->tv_sec = (time_t)(now / NS);
    to->tv_usec = (__suseconds_t)(now % NS / 1000);
}

void bsd_clock(void) {
    uint64_t now = capsule_now();
    if (now - shown < TICK_NS && shown)
        return;
    shown = now;
    ticks = (int)(unsigned)(now / TICK_NS);
    set_time(&time, now);
    mono_time.tv_sec = time.tv_sec;
    mono_time.tv_usec = time.tv_usec;
}

void microtime(struct timeval *now) { set_time(now, capsule_now()); }

int hzto(struct timeval *when) {
    struct timeval now;
    microtime(&now);
    long long count = (long long)(when->tv_sec - now.tv_sec) * HZ + (when->tv_usec - now.tv_usec) / tick;
    return count < 0 ? 0 : count > INT_MAX ? INT_MAX : (int)count;
}

void timevalfix(struct timeval *t) {
    if (t->tv_usec < 0) {
        t->tv_sec--;
        t->tv_usec += 1000000;
    }
    if (t->tv_usec >= 1000000) {
        t->tv_sec++;
        t->tv_usec -= 1000000;
    }
}

void timevaladd(struct timeval *to, struct timeval *by) {
    to->tv_sec += by->tv_sec;
    to->tv_usec += by->tv_usec;
    timevalfix(to);
}

void timevalsub(struct timeval *from, struct timeval *by) {
    from->tv_sec -= by->tv_sec;
    from->tv_usec -= by->tv_usec;
    timevalfix(from);
}

/* Milliseconds since midnight in network order, as ICMP has them. */
n_time iptime(void) { return htonl((uint32_t)(capsule_now() / 1000000 % 86400000)); }

/* Memory is counted; M_WAITOK code does not expect null. */
void *malloc(unsigned long size, int type, int flags) {
    (void)type;
    void *memory = size <= MOST_MEMORY && capsule_held() <= MOST_MEMORY - size ? capsule_malloc(size ? size : 1) : NULL;
    if (!memory && !(flags & M_NOWAIT))
        panic("malloc: out of memory");
    return memory;
}

void free(void *address, int type) {
    (void)type;
    capsule_free(address);
}

void bcopy(const void *from, void *to, size_t length) { memmove(to, from, length); }
void ovbcopy(const void *from, void *to, size_t length) { memmove(to, from, length); }
void bzero(void *at, size_t length) { memset(at, 0, length); }
int bcmp(const void *one, const void *other, size_t length) { return length && memcmp(one, other, length) != 0; }

/* Users' data comes in messages: no address of theirs is ever valid here, only the kernel's own. */
int copyin(const void *from, void *to, size_t length) { return memmove(to, from, length), 0; }
int copyout(const void *from, void *to, size_t length) { return memmove(to, from, length), 0; }

int copystr(const void *from, void *to, size_t most, size_t *copied) {
    size_t length = strnlen(from, most);
    memcpy(to, from, length < most ? length + 1 : most);
    if (copied)
        *copied = length < most ? length + 1 : most;
    return length < most ? 0 : ENAMETOOLONG;
}

int copyinstr(const void *from, void *to, size_t most, size_t *copied) { return copystr(from, to, most, copied); }

int uiomove(caddr_t from, int count, struct uio *uio) {
    while (count > 0 && uio->uio_resid > 0 && uio->uio_iovcnt > 0) {
        struct iovec *part = uio->uio_iov;
        size_t here = part->iov_len < (size_t)count ? part->iov_len : (size_t)count;
        if (uio->uio_rw == UIO_READ)
            memcpy(part->iov_base, from, here);
        else
            memcpy(from, part->iov_base, here);
        part->iov_base = (char *)part->iov_base + here;
        part->iov_len -= here;
        uio->uio_resid -= (int)here;
        uio->uio_offset += (off_t)here;
        from += here;
        count -= (int)here;
        if (part->iov_len == 0) {
            uio->uio_iov++;
            uio->uio_iovcnt--;
        }
    }
    return 0;
}

/* The first two words of an element of a queue: its neighbours. */
struct element {
    struct element *next, *previous;
};

void insque(void *element, void *before) {
    struct element *it = element, *head = before;
    it->next = head->next;
    it->previous = head;
    head->next = it;
    if (it->next)
        it->next->previous = it;
}

void remque(void *element) {
    struct element *it = element;
    if (it->next)
        it->next->previous = it->previous;
    if (it->previous)
        it->previous->next = it->next;
    it->previous = NULL;
}

/* Lines are collected: the host logs whole ones. */
static void say(const char *format, va_list list) {
    static char line[256];
    static size_t length;
    int more = vsnprintf(line + length, sizeof line - length, format, list);
    length += more > 0 ? (size_t)more : 0;
    bool is_full = length >= sizeof line - 1;
    if (length == 0 || (!is_full && line[length - 1] != '\n'))
        return;
    line[is_full ? sizeof line - 1 : length - 1] = 0;
    length = 0;
    capsule_log("%s", line);
}

#define SAY(format) \
    do { \
        va_list list; \
        va_start(list, format); \
        say(format, list); \
        va_end(list); \
    } while (0)

int printf(const char *format, ...) {
    SAY(format);
    return 0;
}

int uprintf(const char *format, ...) {
    SAY(format);
    return 0;
}

void log(int level, const char *format, ...) {
    if ((level & LOG_PRIMASK) < LOG_DEBUG)
        SAY(format);
}

void logpri(int level) { (void)level; }

void addlog(const char *format, ...) { SAY(format); }

void panic(const char *format, ...) {
    static char text[200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    panicstr = text;
    capsule_fail(text, "panic", 0);
}

/* timeout(): a routine that runs once, after ticks. */
struct callout {
    struct callout *next;
    void (*routine)(void *);
    void *argument;
    timeout_id_t timer;
    uint64_t at; /* in ns */
};

static struct callout *callouts;
static int callout_count;

static void forget(struct callout *callout) {
    struct callout **at = &callouts;
    while (*at != callout)
        at = &(*at)->next;
    *at = callout->next;
    callout_count--;
    capsule_free(callout);
}

static void call(void *argument) {
    struct callout now = *(struct callout *)argument;
    forget(argument);
    bsd_clock();
    (*now.routine)(now.argument);
}

static void due(void *argument) {
    (void)capsule_run(call, argument);
    bsd_settle();
}

void timeout(void (*routine)(void *), void *argument, int count) {
    struct callout *callout = callout_count < MOST_CALLOUTS ? capsule_malloc(sizeof *callout) : NULL;
    if (!callout)
        panic("timeout table overflow");
    *callout = (struct callout){.next = callouts, .routine = routine, .argument = argument};
    callouts = callout;
    callout_count++;
    callout->at = capsule_now() + (uint64_t)(count > 0 ? count : 1) * TICK_NS;
    callout->timer = str_timeout(capsule_host(), due, callout, callout->at);
    if (!callout->timer)
        panic("timeout: out of memory");
}

/* Cancels the one that was set last with this routine and argument. */
void untimeout(void (*routine)(void *), void *argument) {
    for (struct callout *each = callouts; each; each = each->next)
        if (each->routine == routine && each->argument == argument) {
            str_untimeout(capsule_host(), each->timer);
            forget(each);
            return;
        }
}

void bsd_callouts_end(void) {
    while (callouts) {
        if (callouts->timer)
            str_untimeout(capsule_host(), callouts->timer);
        forget(callouts);
    }
}

#define MOST_BROUGHT_FORWARD 256

static struct callout *earliest(uint64_t limit) {
    struct callout *first = NULL;
    for (struct callout *each = callouts; each; each = each->next)
        if (each->at <= (first ? first->at : limit))
            first = each;
    return first;
}

void bsd_bring_forward(uint64_t limit, bool (*is_enough)(void)) {
    struct callout *callout;
    for (int i = 0; i < MOST_BROUGHT_FORWARD && !is_enough() && (callout = earliest(limit)); i++) {
        str_untimeout(capsule_host(), callout->timer);
        call(callout);
    }
}

void selwakeup() {}
void selrecord() {}
int selscan() { return 0; }
long random(void) { return (long)(capsule_random() & 0x7fffffff); }
void srandom(unsigned long seed) { (void)seed; }

int nullop() { return 0; }
int enodev() { return ENODEV; }
int enoioctl() { return ENOTTY; }
int enxio() { return ENXIO; }
int eopnotsupp() { return EOPNOTSUPP; }
int seltrue() { return 1; }
