/* Message blocks as pbufs, and pbufs as message blocks. */
#include "instance.h"

#include <string.h>

/* A pbuf that holds a block. */
struct holder {
    struct pbuf_custom custom; /* first: lwIP knows it by this address */
    mblk_t *block;
    struct holder *next;
};

/* Holders that are free, for further ones. */
static struct holder *spare;
static mblk_t *lent;

static void release(struct pbuf *pbuf) {
    struct holder *holder = (struct holder *)(void *)pbuf;
    freeb(holder->block);
    holder->next = spare;
    spare = holder;
}

static struct holder *hold(mblk_t *block) {
    struct holder *holder = spare;
    if (holder)
        spare = holder->next;
    else
        holder = capsule_malloc(sizeof *holder);
    if (holder) {
        holder->custom.custom_free_function = release;
        holder->block = block;
    }
    return holder;
}

struct pbuf *pbuf_of(mblk_t *message, pbuf_type type) {
    struct pbuf *first = NULL;
    if (msgdsize(message) > UINT16_MAX) {
        freemsg(message);
        return NULL;
    }
    while (message) {
        mblk_t *block = message;
        message = unlinkb(block);
        size_t length = (size_t)(block->b_wptr - block->b_rptr);
        struct holder *holder = length > 0 || !message ? hold(block) : NULL;
        if (!holder) {
            freeb(block);
            if (length == 0 && message)
                continue;
            freemsg(message);
            if (first)
                pbuf_free(first);
            return NULL;
        }
        struct pbuf *pbuf =
            pbuf_alloced_custom(PBUF_RAW, (u16_t)length, type, &holder->custom, block->b_rptr, (u16_t)length);
        if (first)
            pbuf_cat(first, pbuf);
        else
            first = pbuf;
    }
    return first;
}

void pbuf_lend(mblk_t *block) { lent = block; }

/* For data that is sent without copying, lwIP allocates pbufs that refer to it. Each holds a reference to the block
 * of the data, so the block outlives frames in transit and retransmissions. */
struct pbuf *__real_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type);
struct pbuf *__wrap_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type);

struct pbuf *__wrap_pbuf_alloc(pbuf_layer layer, u16_t length, pbuf_type type) {
    if (type != PBUF_ROM || !lent)
        return __real_pbuf_alloc(layer, length, type);
    mblk_t *block = dupb(lent);
    struct holder *holder = block ? hold(block) : NULL;
    if (!holder) {
        if (block)
            freeb(block);
        return NULL;
    }
    /* lwIP sets the payload. */
    return pbuf_alloced_custom(PBUF_RAW, length, type, &holder->custom, block->b_rptr, length);
}

struct part {
    frtn_t free;
    struct pbuf *pbuf;
    struct part *next;
};

static struct part *spare_parts;
static size_t parts;

size_t parts_lent(void) { return parts; }

static void free_pbuf(void *pbuf) { pbuf_free(pbuf); }

static void free_part(char *argument) {
    struct part *part = (struct part *)(void *)argument;
    capsule_run(free_pbuf, part->pbuf);
    part->next = spare_parts;
    spare_parts = part;
    parts--;
}

mblk_t *message_of(struct pbuf *chain) {
    mblk_t *message = NULL;
    for (struct pbuf *pbuf = chain; pbuf; pbuf = pbuf->next) {
        struct part *part = spare_parts;
        if (part)
            spare_parts = part->next;
        else
            part = capsule_malloc(sizeof *part);
        mblk_t *block = NULL;
        if (part) {
            part->pbuf = pbuf;
            part->free = (frtn_t){.free_func = free_part, .free_arg = (char *)part};
            block = esballoc(pbuf->payload, pbuf->len, BPRI_MED, &part->free);
        }
        if (!block) {
            if (part) {
                part->next = spare_parts;
                spare_parts = part;
            }
            if (message)
                freemsg(message);
            return NULL;
        }
        pbuf_ref(pbuf);
        parts++;
        block->b_wptr = block->b_rptr + pbuf->len;
        if (message)
            linkb(message, block);
        else
            message = block;
    }
    return message;
}
