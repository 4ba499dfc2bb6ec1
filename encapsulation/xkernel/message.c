/* Messages: construction, sharing, and the crossing from and to message blocks.
 *
 * A message is a chain of message blocks of its own; data blocks are shared by dupb. Blocks of messages are in a ring
 * (b_next and b_prev, which have no other use outside of queues): foreign code that is ended releases nothing. */
#define STR_PREFIXED
#include "message.h"

#include <stdint.h>

#define MOST_BLOCKS 65536

struct xk_crossings xk_crossings;

static mblk_t ring = {.b_next = &ring, .b_prev = &ring};

mblk_t *xk_hold(mblk_t *block) {
    if (!block)
        Kabort("no memory for a message");
    block->b_prev = &ring;
    block->b_next = ring.b_next;
    ring.b_next->b_prev = block;
    ring.b_next = block;
    xk_crossings.held++;
    return block;
}

static void let_go(mblk_t *block) {
    block->b_next->b_prev = block->b_prev;
    block->b_prev->b_next = block->b_next;
    block->b_next = block->b_prev = NULL;
    xk_crossings.held--;
}

void xk_free(mblk_t *block) {
    let_go(block);
    str_freeb(block);
}

void xk_free_chain(mblk_t *block) {
    while (block) {
        mblk_t *next = block->b_cont;
        xk_free(block);
        block = next;
    }
}

void xk_messages_end(void) {
    while (ring.b_next != &ring)
        xk_free(ring.b_next);
}

bool xk_messages_full(void) { return xk_crossings.held >= MOST_BLOCKS; }

mblk_t *xk_share(mblk_t *block) { return xk_hold(str_dupb(block)); }

/* A block whose room is before its data, for headers, and perhaps behind. */
mblk_t *xk_allocate(long before, long length, long behind) {
    if (length < 0 || before < 0 || behind < 0 || length > XK_LONGEST || behind > XK_LONGEST)
        Kabort("the length of a message");
    mblk_t *block = xk_hold(str_allocb((size_t)(before + length + behind), BPRI_MED));
    block->b_rptr += before;
    block->b_wptr = block->b_rptr + length;
    return block;
}

void xk_message(Msg *m, mblk_t *blocks) {
    msgConstructEmpty(m);
    mblk_t **last = &m->blocks;
    while (blocks) {
        mblk_t *block = blocks;
        blocks = block->b_cont;
        block->b_cont = NULL;
        long length = block->b_wptr - block->b_rptr;
        if (length == 0) {
            str_freeb(block);
            continue;
        }
        *last = xk_hold(block);
        last = &block->b_cont;
        m->length += length;
        xk_crossings.in++;
    }
}

mblk_t *xk_blocks(Msg *m) {
    mblk_t *blocks = NULL, **last = &blocks;
    while (m->blocks) {
        mblk_t *block = m->blocks;
        m->blocks = block->b_cont;
        block->b_cont = NULL;
        if (block->b_rptr == block->b_wptr) {
            xk_free(block);
            continue;
        }
        let_go(block);
        xk_crossings.out++;
        *last = block;
        last = &block->b_cont;
    }
    msgDestroy(m);
    return blocks ? blocks : str_allocb(0, BPRI_MED);
}

int msgInit(void) { return TRUE; }

void msgConstructEmpty(Msg *m) { *m = (Msg){NULL, NULL, 0, NULL, 0}; }

char *xk_msgConstructAllocate(Msg *m, long length) {
    msgConstructEmpty(m);
    m->blocks = xk_allocate(XK_STACK, length, 0);
    m->length = length;
    return (char *)m->blocks->b_rptr;
}

void msgConstructAllocate(Msg *m, long length, char **buffer) { *buffer = xk_msgConstructAllocate(m, length); }

void msgConstructBuffer(Msg *m, char *buffer, long length) {
    memcpy(xk_msgConstructAllocate(m, length), buffer, (size_t)length);
    xk_crossings.copied += (size_t)length;
}

/* Room for what msgAppend adds. */
char *xk_msgConstructAppend(Msg *m, long room) {
    msgConstructEmpty(m);
    m->blocks = xk_allocate(0, 0, room);
    return (char *)m->blocks->b_rptr;
}

void msgConstructAppend(Msg *m, long room, char **buffer) { *buffer = xk_msgConstructAppend(m, room); }

struct in_place {
    frtn_t free;
    char *data;
    void (*release)(char *);
};

static void release(void *argument) {
    struct in_place *it = argument;
    it->release(it->data);
}

static void release_in_place(char *argument) {
    struct in_place *it = (struct in_place *)(void *)argument;
    xk_crossings.lent--;
    if (it->release && !capsule_failed())
        capsule_run(release, it);
    xFree((char *)it);
}

void msgConstructInplace(Msg *m, char *buffer, long length, void (*call)()) {
    struct in_place *it = (struct in_place *)(void *)xMalloc(sizeof *it);
    *it = (struct in_place){{release_in_place, (char *)it}, buffer, (void (*)(char *))call};
    msgConstructEmpty(m);
    if (length < 0 || length > XK_LONGEST)
        Kabort("the length of a message");
    m->blocks = xk_hold(str_esballoc((unsigned char *)buffer, (size_t)length, BPRI_MED, &it->free));
    m->blocks->b_wptr = m->blocks->b_rptr + length;
    m->length = length;
    xk_crossings.lent++;
}

void msgConstructCopy(Msg *m, Msg *other) {
    Msg copy = {NULL, NULL, other->length, other->attr, other->attrLen};
    mblk_t **last = &copy.blocks;
    for (mblk_t *each = other->blocks; each; each = each->b_cont)
        if (each->b_rptr != each->b_wptr) {
            *last = xk_share(each);
            last = &(*last)->b_cont;
        }
    *m = copy;
}

void msgDestroy(Msg *m) {
    xk_free_chain(m->blocks);
    xk_free_chain(m->spent);
    msgConstructEmpty(m);
}

void msgAssign(Msg *m, Msg *other) {
    Msg copy;
    msgConstructCopy(&copy, other);
    msgDestroy(m);
    *m = copy;
}

long msgLen(Msg *m) { return m->length; }

xkern_return_t msgSetAttr(Msg *m, int name, void *attribute, int length) {
    if (name != 0)
        return XK_FAILURE;
    m->attr = attribute;
    m->attrLen = length;
    return XK_SUCCESS;
}

void *msgGetAttr(Msg *m, int name) { return name == 0 ? m->attr : NULL; }

void msgShow(Msg *m) {
    int blocks = 0;
    for (mblk_t *each = m->blocks; each; each = each->b_cont)
        blocks++;
    capsule_log("a message of %ld bytes in %d blocks", m->length, blocks);
}

void msgStats(void) {
    capsule_log("messages hold %zu blocks; %zu bytes were copied", xk_crossings.held, xk_crossings.copied);
}
