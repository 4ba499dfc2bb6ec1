/* Memory whose addresses fit into an `int`: sources of 32-bit processors keep pointers in integers. It is used if the
 * description defines NACRE_LOW_POINTERS.
 *
 * A region for the whole instance is reserved once. Pieces have sizes of powers of two; free ones are kept by size. */
#include "inside.h"

#include <sys/mman.h>

#define REGION (64UL << 20)
#define FIRST 0x10000000UL
#define LAST 0x78000000UL /* all below 2 GiB: the sign of an int is that of the pointer */
#define CLASSES 27
#define LEAST_CLASS 5 /* 32 bytes */

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

struct low_piece {
    struct low_piece *next; /* while it is free */
    unsigned class;
    max_align_t bytes[];
};

static char *region, *fresh;
static struct low_piece *spare[CLASSES + 1];

bool xk_low_reserve(void) {
    for (unsigned long at = FIRST; !region && at + REGION <= LAST; at += REGION) {
        void *got = mmap((void *)at, REGION, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == (void *)at)
            region = fresh = got;
        else if (got != MAP_FAILED)
            munmap(got, REGION); /* a system that takes the address as a hint */
    }
    return region != NULL;
}

void *xk_low_allocate(size_t size) {
    unsigned class = LEAST_CLASS;
    if (size > REGION / 2 || (!region && !xk_low_reserve()))
        return NULL;
    while ((1UL << class) < size + sizeof(struct low_piece))
        class++;
    struct low_piece *piece = class <= CLASSES ? spare[class] : NULL;
    if (piece) {
        spare[class] = piece->next;
    } else if (class <= CLASSES && (1UL << class) <= (size_t)(region + REGION - fresh)) {
        piece = (struct low_piece *)(void *)fresh;
        fresh += 1UL << class;
    } else {
        return NULL;
    }
    piece->class = class;
    return piece->bytes;
}

void xk_low_free(void *memory) {
    if (!memory)
        return;
    struct low_piece *piece = (struct low_piece *)(void *)((char *)memory - offsetof(struct low_piece, bytes));
    piece->next = spare[piece->class];
    spare[piece->class] = piece;
}

void xk_low_end(void) {
    if (region)
        munmap(region, REGION);
    region = NULL;
}
