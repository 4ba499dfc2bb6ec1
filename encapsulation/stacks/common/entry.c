#include "entry.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each piece of memory is in a ring, so that what is left can be released with the instance. */
struct piece {
    struct piece *next, *previous;
    size_t size;
    max_align_t bytes[];
};

static struct piece pieces = {.next = &pieces, .previous = &pieces};
static size_t held;
static struct str_host *host;
static char **options;
/* Of __builtin_setjmp, which keeps little. */
static void **entered;
static bool failed;

int capsule_begin(struct str_host *given, const char *const *texts) {
    host = given;
    size_t count = 0;
    while (texts[count])
        count++;
    options = capsule_calloc(count + 1, sizeof *options);
    for (size_t i = 0; options && i < count; i++) {
        options[i] = capsule_malloc(strlen(texts[i]) + 1);
        if (!options[i])
            return ENOMEM;
        strcpy(options[i], texts[i]);
    }
    return options ? 0 : ENOMEM;
}

void capsule_end(void) {
    while (pieces.next != &pieces)
        capsule_free(pieces.next->bytes);
    options = NULL;
}

bool capsule_run(void (*work)(void *), void *argument) {
    if (failed)
        return false;
    /* Entries nest: what a module sends up may come back before it returns. Each ends alone, as there is code of the
     * host between. */
    void *here[5], **before = entered;
    entered = here;
    if (__builtin_setjmp(here) == 0)
        work(argument);
    entered = before;
    return !failed;
}

bool capsule_entered(void) { return entered != NULL; }

void *capsule_switch_entry(void *entry) {
    void *before = entered;
    entered = entry;
    return before;
}

void capsule_returned(void) {
    if (failed && entered)
        __builtin_longjmp(entered, 1);
}

_Noreturn void capsule_fail(const char *what, const char *file, int line) {
    failed = true;
    capsule_log("%s:%d: %s: the instance ends", file, line, what);
    if (!entered)
        abort(); /* outside of any entry: an error of the capsule itself */
    __builtin_longjmp(entered, 1);
}

bool capsule_failed(void) { return failed; }

struct str_host *capsule_host(void) { return host; }

const char *capsule_option(const char *name) {
    size_t length = strlen(name);
    for (char **each = options; each && *each; each++)
        if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
            return *each + length + 1;
    return NULL;
}

uint64_t capsule_now(void) { return str_now(host); }

uint32_t capsule_random(void) {
    uint32_t number = 0;
    str_random(host, &number, sizeof number);
    return number;
}

void capsule_log(const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    str_log(host, "%s", text);
}

void *capsule_malloc(size_t size) {
    if (size > SIZE_MAX - sizeof(struct piece))
        return NULL;
    struct piece *piece = malloc(sizeof *piece + size);
    if (!piece)
        return NULL;
    *piece = (struct piece){.next = pieces.next, .previous = &pieces, .size = size};
    pieces.next->previous = piece;
    pieces.next = piece;
    held += size;
    return piece->bytes;
}

void *capsule_calloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *memory = capsule_malloc(count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

static struct piece *piece_of(void *memory) {
    return (struct piece *)(void *)((char *)memory - offsetof(struct piece, bytes));
}

void *capsule_realloc(void *memory, size_t size) {
    void *larger = capsule_malloc(size);
    if (memory && larger) {
        size_t before = piece_of(memory)->size;
        memcpy(larger, memory, before < size ? before : size);
        capsule_free(memory);
    }
    return larger;
}

void capsule_free(void *memory) {
    if (!memory)
        return;
    struct piece *piece = piece_of(memory);
    piece->next->previous = piece->previous;
    piece->previous->next = piece->next;
    held -= piece->size;
    free(piece);
}

size_t capsule_held(void) { return held; }
