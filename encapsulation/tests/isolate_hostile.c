/* A worker that starts as it should, and then writes what it likes. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "streams/isolate.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t state;

static uint32_t number(uint32_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(state >> 33) % below;
}

static void start(struct shared *shared, const char *options) {
    const char *seed = strstr(options, "seed=");
    state = seed ? strtoul(seed + 5, NULL, 10) : 1;
    for (int i = 0; i < 2; i++) {
        struct exported export = {.flags = i ? STR_MODULE : STR_DEVICE, .multiplexor = !i, .largest = {-1, -1}};
        strcpy(export.name, i ? "m" : "d");
        unsigned char *to = area_add(&shared->to_host, (struct record){.kind = RECORD_EXPORT}, sizeof export);
        memcpy(to, &export, sizeof export);
    }
    memcpy(area_add(&shared->to_host, (struct record){.kind = RECORD_RESULT}, 4), "evil", 4);
}

static void write_anything(struct shared *shared) {
    static const unsigned char types[] = {M_DATA,   M_PROTO,  M_PCPROTO, M_IOCACK, M_IOCNAK,  M_IOCTL,  M_COPYIN,
                                          M_COPYOUT, M_IOCDATA, M_PASSFP, M_FLUSH, M_SETOPTS, M_HANGUP,
                                          M_ERROR, M_CTL};
    struct area *area = &shared->to_host;
    for (uint32_t i = number(20); i > 0; i--) {
        struct record record = {.kind = number(8) ? RECORD_BLOCK + number(2) : number(16),
                                .end = number(8) ? number(6) : number(UINT32_MAX),
                                .a = number(8) ? types[number(sizeof types)] : number(UINT32_MAX),
                                .b = number(2) ? 0 : number(UINT32_MAX),
                                .c = number(4) == 0};
        if (record.kind == RECORD_RESULT)
            record.a = number(4) ? 0 : record.a;
        size_t size = number(64) ? number(100) : number(100000);
        unsigned char *data = area_add(area, record, size);
        for (size_t at = 0; data && at < size; at++)
            data[at] = (unsigned char)(number(3) ? number(4) : number(256));
        if (data && size >= 4 && number(2)) {
            uint32_t command = number(2) ? I_LINK : I_UNLINK;
            memcpy(data, &command, sizeof command);
        }
        if (data && number(100) == 0) { /* more than there is */
            uint32_t wrong = number(2) ? number(UINT32_MAX) : AREA_SIZE;
            memcpy(data - sizeof record + offsetof(struct record, size), &wrong, sizeof wrong);
        }
    }
    if (number(3)) /* most requests are answered */
        area_add(area, (struct record){.kind = RECORD_RESULT, .a = number(3) ? 0 : number(200)}, 0);
    if (number(200) == 0)
        area->length = number(UINT32_MAX);
    shared->deadline = number(2) ? UINT64_MAX : number(1000) * 1000000ULL;
    shared->ending = number(6) ? ENDING_DONE : number(5);
    shared->used = number(8) ? 0 : number(UINT32_MAX);
}

int main(void) {
    struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
    for (uint64_t turns = 0;; turns++) {
        while (!turn_wait(shared, TURN_WORKER, 1000))
            if (getppid() != shared->parent)
                return 0;
        shared->to_host.length = 0;
        shared->ending = ENDING_DONE;
        if (turns == 0)
            start(shared, (const char *)shared->to_worker.bytes + sizeof(struct record));
        else if (number(300) == 0)
            abort();
        else
            write_anything(shared);
        turn_pass(shared, TURN_HOST);
    }
}
