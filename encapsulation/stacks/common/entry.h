/* What every capsule needs of its host: entries that survive failed assertions, the clock, memory, options, words. */
#ifndef NACRE_CAPSULE_ENTRY_H
#define NACRE_CAPSULE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "streams/capsule.h"

/* Keeps the host and the options. Returns 0 or ENOMEM. */
int capsule_begin(struct str_host *host, const char *const *options);

/* Releases all memory of `capsule_malloc`: foreign code that cannot be ended leaves some behind. */
void capsule_end(void);

/* Runs code that may fail. False: the instance has failed, now or before; it must not be entered again. */
bool capsule_run(void (*work)(void *), void *argument);

/* Whether the instance is entered. Foreign code is not reentrant: what comes meanwhile waits in its queue. */
bool capsule_entered(void);

/* To be called after code of others has been called: ends this entry, too, if the instance has failed in another. */
void capsule_returned(void);

/* For code that changes stacks within an entry: makes another entry the current one, and returns the one before. */
void *capsule_switch_entry(void *entry);

/* Ends the instance: returns to its entry. */
_Noreturn void capsule_fail(const char *what, const char *file, int line);

/* Whether the instance has failed. */
bool capsule_failed(void);

struct str_host *capsule_host(void);

/* The value of an option NAME=VALUE, or NULL. */
const char *capsule_option(const char *name);

/* Nanoseconds of the host's clock. */
uint64_t capsule_now(void);

uint32_t capsule_random(void);
void capsule_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory of the instance; `capsule_held` is its number of bytes. */
void *capsule_malloc(size_t size);
void *capsule_calloc(size_t count, size_t size);
void *capsule_realloc(void *memory, size_t size);
void capsule_free(void *memory);
size_t capsule_held(void);

#endif
