/* The harness, first of three parts that are one text (strings.c, states.c, steps.c), behind the text of the stack and
 * its givens: see harness.h. Here: memory, and strings of bytes and their numbers. */
#include "harness.h"
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const struct nacre_check *const check = &checked_check;

/* The limit of the memory of the harness in MiB: that of pan itself. */
#ifndef HARNESS_MEMORY
#define HARNESS_MEMORY MEMLIM
#endif
static size_t used;

static void *memory(void *old, size_t bytes) {
    void *new = realloc(old, bytes ? bytes : 1);
    if (new == NULL || used >> 20 >= HARNESS_MEMORY) {
        puts("harness: out of memory");
        exit(1);
    }
    return new;
}

/* ---- strings of bytes, each once ---- */

struct strings {
    uint8_t **at;
    uint32_t *len;
    int count, room;
    int *slot; /* number, or 0 */
    uint32_t slots;
};

static uint64_t hash(const uint8_t *at, uint32_t len) {
    uint64_t h = len;
    for (uint32_t i = 0; i < len; i++) { h = (h ^ at[i]) * UINT64_C(0x100000001b3); }
    return (h ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 16;
}

/* The number of a string; `*new` tells whether it was not known. */
static int number_of(struct strings *s, const uint8_t *at, uint32_t len, int *new) {
    if ((uint32_t)s->count * 2 >= s->slots) {
        s->slots = s->slots ? s->slots * 2 : 1024;
        s->slot = memory(s->slot, s->slots * sizeof *s->slot);
        memset(s->slot, 0, s->slots * sizeof *s->slot);
        used += s->slots / 2 * sizeof *s->slot;
        for (int n = 1; n <= s->count; n++) {
            uint32_t i = (uint32_t)hash(s->at[n - 1], s->len[n - 1]) & (s->slots - 1);
            while (s->slot[i] != 0) { i = (i + 1) & (s->slots - 1); }
            s->slot[i] = n;
        }
    }
    uint32_t i = (uint32_t)hash(at, len) & (s->slots - 1);
    for (; s->slot[i] != 0; i = (i + 1) & (s->slots - 1)) {
        int n = s->slot[i];
        if (s->len[n - 1] == len && memcmp(s->at[n - 1], at, len) == 0) {
            *new = 0;
            return n;
        }
    }
    if (s->count == s->room) {
        s->room = s->room ? s->room * 2 : 256;
        s->at = memory(s->at, (size_t)s->room * sizeof *s->at);
        s->len = memory(s->len, (size_t)s->room * sizeof *s->len);
    }
    s->at[s->count] = memory(NULL, len);
    memcpy(s->at[s->count], at, len);
    used += len + 16;
    s->len[s->count] = len;
    *new = 1;
    return s->slot[i] = ++s->count;
}

static struct strings strings;

/* ---- damage: one bit of a string turned round ---- */

int nacre_bits(int string) { return (int)(8 * strings.len[string - 1]); }

int nacre_flipped(int string, int bit) {
    uint32_t len = strings.len[string - 1];
    uint8_t *copy = memory(NULL, len);
    int new;
    memcpy(copy, strings.at[string - 1], len);
    copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    int n = number_of(&strings, copy, len, &new);
    free(copy);
    return n;
}
