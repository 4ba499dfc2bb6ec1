/* Memory, traces, time, semaphores, addresses as text. */
#include "inside.h"

#include <stdarg.h>

/* What an instance may hold. */
#define MOST_MEMORY (64U << 20)

char errBuf[200];

#ifdef NACRE_LOW_POINTERS
#define ALLOCATE(size) xk_low_allocate(size)
#define RELEASE(memory) xk_low_free(memory)
#else
#define ALLOCATE(size) (capsule_held() <= MOST_MEMORY - (size) ? capsule_malloc(size) : NULL)
#define RELEASE(memory) capsule_free(memory)
#endif

char *xMalloc(unsigned size) {
    void *memory = size <= MOST_MEMORY ? ALLOCATE(size ? size : 1) : NULL;
    if (!memory)
        Kabort("xMalloc: no memory");
    return memory;
}

void xFree(char *memory) { RELEASE(memory); }

void Kabort(const char *why) { capsule_fail(why, "x-kernel", 0); }

void xk_assert(const char *condition, const char *file, int line) { capsule_fail(condition, file, line); }

static void say(const char *format, va_list list) {
    char line[256];
    int length = vsnprintf(line, sizeof line, format, list);
    while (length > 0 && length < (int)sizeof line && line[length - 1] == '\n')
        line[--length] = 0;
    capsule_log("%s", line);
}

void xTraceLine(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
}

int printf(const char *format, ...) {
    va_list list;
    va_start(list, format);
    say(format, list);
    va_end(list);
    return 0;
}

int puts(const char *line) {
    capsule_log("%s", line);
    return 0;
}

int putchar(int letter) { return letter; }

void xError(const char *line) { capsule_log("%s", line); }

void xGetTime(XTime *now) {
    uint64_t ns = capsule_now();
    now->sec = (long)(ns / 1000000000);
    now->usec = (long)(ns % 1000000000 / 1000);
}

char *ipHostStr(IPhost *host) {
    static char text[4][16];
    static unsigned turn;
    char *it = text[turn++ % 4];
    snprintf(it, sizeof *text, "%d.%d.%d.%d", host->a, host->b, host->c, host->d);
    return it;
}

char *ethHostStr(ETHhost *host) {
    static char text[4][18];
    static unsigned turn;
    unsigned char bytes[6];
    char *it = text[turn++ % 4];
    memcpy(bytes, host, sizeof bytes);
    snprintf(it, sizeof *text, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2], bytes[3], bytes[4],
             bytes[5]);
    return it;
}

u_short ocsum(u_short *words, int count) {
    unsigned long sum = 0;
    while (count-- > 0)
        sum += *words++;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (u_short)sum;
}
