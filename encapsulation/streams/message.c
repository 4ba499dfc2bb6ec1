/* Messages: chains of message blocks. */
#define STR_PREFIXED
#include "inside.h"

#include <string.h>

#define ALIGNED(address) (((uintptr_t)(address) & (sizeof(long) - 1)) == 0)

static inline size_t length_of(const mblk_t *block) {
    return block->b_wptr > block->b_rptr ? (size_t)(block->b_wptr - block->b_rptr) : 0;
}

int str_datamsg(unsigned char type) {
    return type == M_DATA || type == M_PROTO || type == M_PCPROTO || type == M_DELAY;
}

int str_pcmsg(unsigned char type) { return type >= QPCTL; }

void str_freemsg(mblk_t *message) {
    while (message) {
        mblk_t *rest = message->b_cont;
        str_freeb(message);
        message = rest;
    }
}

mblk_t *str_copyb(mblk_t *block) {
    size_t length = length_of(block);
    size_t shift = (uintptr_t)block->b_rptr & (sizeof(long) - 1);
    mblk_t *copy = block_like(block, length + shift);
    if (!copy)
        return NULL;
    copy->b_rptr += shift; /* it is aligned as the original is */
    copy->b_wptr = copy->b_rptr + length;
    if (length > 0)
        memcpy(copy->b_rptr, block->b_rptr, length);
    copy->b_band = block->b_band;
    copy->b_flag = block->b_flag;
    copy->b_datap->db_type = block->b_datap->db_type;
    return copy;
}

/* Copies each block of a message. */
static mblk_t *each(mblk_t *message, mblk_t *(*copy)(mblk_t *)) {
    mblk_t *first = NULL, **end = &first;
    for (; message; message = message->b_cont) {
        *end = copy(message);
        if (!*end) {
            str_freemsg(first);
            return NULL;
        }
        end = &(*end)->b_cont;
    }
    return first;
}

mblk_t *str_dupmsg(mblk_t *message) { return each(message, str_dupb); }

mblk_t *str_copymsg(mblk_t *message) { return each(message, str_copyb); }

void str_linkb(mblk_t *first, mblk_t *second) {
    while (first->b_cont)
        first = first->b_cont;
    first->b_cont = second;
}

mblk_t *str_unlinkb(mblk_t *message) {
    mblk_t *rest = message->b_cont;
    message->b_cont = NULL;
    return rest;
}

mblk_t *str_rmvb(mblk_t *message, mblk_t *block) {
    for (mblk_t **at = &message; *at; at = &(*at)->b_cont)
        if (*at == block) {
            *at = block->b_cont;
            block->b_cont = NULL;
            return message;
        }
    return (mblk_t *)-1;
}

size_t str_msgdsize(mblk_t *message) {
    size_t size = 0;
    for (; message; message = message->b_cont)
        if (message->b_datap->db_type == M_DATA)
            size += length_of(message);
    return size;
}

size_t str_msgsize(mblk_t *message) {
    size_t size = 0;
    for (; message; message = message->b_cont)
        size += length_of(message);
    return size;
}

/* The bytes of the blocks that have the type of the first, up to the first of another type. */
static size_t run_size(const mblk_t *message) {
    unsigned char type = message->b_datap->db_type;
    size_t size = 0;
    for (; message && message->b_datap->db_type == type; message = message->b_cont)
        size += length_of(message);
    return size;
}

/* Takes bytes off the front, into `to` if it is given. Blocks but the first are freed when they are empty. */
static void take_front(mblk_t *first, size_t length, unsigned char *to) {
    for (mblk_t *block = first; length > 0;) {
        size_t part = length_of(block) < length ? length_of(block) : length;
        if (to && part > 0) {
            memcpy(to, block->b_rptr, part);
            to += part;
        }
        block->b_rptr += part;
        length -= part;
        mblk_t *rest = block->b_cont;
        if (block != first && length_of(block) == 0) {
            first->b_cont = rest;
            str_freeb(block);
        }
        block = rest;
    }
}

/* Exchanges the data blocks of two message blocks. */
static void exchange(mblk_t *one, mblk_t *other) {
    struct datab *data = one->b_datap;
    unsigned char *start = one->b_rptr, *end = one->b_wptr;
    one->b_datap = other->b_datap;
    one->b_rptr = other->b_rptr;
    one->b_wptr = other->b_wptr;
    other->b_datap = data;
    other->b_rptr = start;
    other->b_wptr = end;
}

int str_pullupmsg(mblk_t *message, ssize_t length) {
    size_t wanted;
    if (length == -1) {
        if (!message->b_cont && ALIGNED(message->b_rptr))
            return 1;
        wanted = run_size(message);
    } else {
        if (length < 0)
            return 0;
        wanted = (size_t)length;
        if (wanted == 0 || (length_of(message) >= wanted && ALIGNED(message->b_rptr)))
            return 1;
        if (run_size(message) < wanted)
            return 0;
    }
    mblk_t *block = block_like(message, wanted);
    if (!block)
        return 0;
    block->b_datap->db_type = message->b_datap->db_type;
    take_front(message, wanted, block->b_rptr);
    block->b_wptr = block->b_rptr + wanted;
    exchange(message, block);
    /* `block` has what is left of the old first block. */
    if (length_of(block) > 0) {
        block->b_cont = message->b_cont;
        message->b_cont = block;
    } else {
        str_freeb(block);
    }
    if (length == -1) /* empty blocks of its type are part of it */
        while (message->b_cont && length_of(message->b_cont) == 0 &&
               message->b_cont->b_datap->db_type == message->b_datap->db_type) {
            mblk_t *empty = message->b_cont;
            message->b_cont = empty->b_cont;
            str_freeb(empty);
        }
    return 1;
}

mblk_t *str_msgpullup(mblk_t *message, ssize_t length) {
    size_t available = run_size(message);
    if (length < -1 || (length >= 0 && available < (size_t)length))
        return NULL;
    size_t wanted = length < 0 ? available : (size_t)length;
    mblk_t *copy = block_like(message, wanted);
    if (!copy)
        return NULL;
    copy->b_datap->db_type = message->b_datap->db_type;
    copy->b_band = message->b_band;
    copy->b_flag = message->b_flag;
    mblk_t *block = message, **end = &copy->b_cont;
    while (block && (wanted > 0 || length_of(block) == 0) &&
           block->b_datap->db_type == message->b_datap->db_type) {
        size_t part = length_of(block) < wanted ? length_of(block) : wanted;
        if (part > 0)
            memcpy(copy->b_wptr, block->b_rptr, part);
        copy->b_wptr += part;
        wanted -= part;
        if (part < length_of(block)) { /* the rest of a block that is cut */
            mblk_t *rest = str_dupb(block);
            if (rest)
                rest->b_rptr += part;
            mblk_t *own = rest ? str_copyb(rest) : NULL;
            if (rest)
                str_freeb(rest);
            if (!own) {
                str_freemsg(copy);
                return NULL;
            }
            *end = own;
            end = &own->b_cont;
        }
        block = block->b_cont;
    }
    if (block && !(*end = str_copymsg(block))) {
        str_freemsg(copy);
        return NULL;
    }
    return copy;
}

/* Removes bytes at the end: of the last blocks, as far as they have the type of the last. */
static int cut_end(mblk_t *message, size_t length) {
    mblk_t *run = message; /* the first block of the last type */
    for (mblk_t *block = message; block; block = block->b_cont)
        if (block->b_datap->db_type != run->b_datap->db_type)
            run = block;
    size_t size = run_size(run);
    if (size < length)
        return 0;
    size_t kept = size - length;
    mblk_t *before = NULL;
    for (mblk_t *block = message; block != run; block = block->b_cont)
        before = block;
    for (mblk_t *block = run; block;) {
        size_t own = length_of(block), part = own < kept ? own : kept;
        mblk_t *rest = block->b_cont;
        block->b_wptr = block->b_rptr + part;
        kept -= part;
        if (part == 0 && own > 0 && before) {
            before->b_cont = rest;
            str_freeb(block);
        } else {
            before = block;
        }
        block = rest;
    }
    return 1;
}

int str_adjmsg(mblk_t *message, ssize_t length) {
    if (length < 0)
        return cut_end(message, 0 - (size_t)length);
    if (run_size(message) < (size_t)length)
        return 0;
    take_front(message, (size_t)length, NULL);
    return 1;
}

int str_testb(size_t size, unsigned priority) {
    mblk_t *block = str_allocb(size, priority);
    if (block)
        str_freeb(block);
    return block != NULL;
}
