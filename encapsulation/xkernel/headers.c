/* Messages: headers, trailers, fragments.
 *
 * A header is pushed into the room in front of the first block, if nobody shares its data and the library allocated
 * it; otherwise into a new block. */
#define STR_PREFIXED
#include "message.h"

/* Headers up to this size are gathered on the stack. */
#define SMALL 256

static bool is_own(const mblk_t *block) { return block->b_datap->db_ref == 1 && !block->b_datap->db_frtnp; }

static long length_of(const mblk_t *block) { return block->b_wptr - block->b_rptr; }

/* Blocks that msgPop has emptied: what it returned points into them. */
static void drop_spent(Msg *m) {
    xk_free_chain(m->spent);
    m->spent = NULL;
}

static void skip_empty(Msg *m) {
    while (m->blocks && length_of(m->blocks) == 0) {
        mblk_t *block = m->blocks;
        m->blocks = block->b_cont;
        block->b_cont = m->spent;
        m->spent = block;
    }
}

char *xk_msgPush(Msg *m, long length) {
    mblk_t *first = m->blocks;
    if (length < 0)
        Kabort("msgPush: the length of a header");
    /* The room of a block that msgPop has emptied, too: its header is gone. */
    if (!first || !is_own(first) || first->b_rptr - first->b_datap->db_base < length) {
        long room = length > XK_STACK ? 0 : XK_STACK - length;
        first = xk_allocate(room + length, 0, 0);
        first->b_cont = m->blocks;
        m->blocks = first;
    }
    first->b_rptr -= length;
    m->length += length;
    return (char *)first->b_rptr;
}

void msgPush(Msg *m, MStoreFun store, void *header, long length, void *argument) {
    store(header, xk_msgPush(m, length), length, argument);
}

static void discard(Msg *m, long length) {
    m->length -= length;
    while (length > 0) {
        mblk_t *first = m->blocks;
        long here = length_of(first) < length ? length_of(first) : length;
        first->b_rptr += here;
        length -= here;
        if (length > 0)
            skip_empty(m);
    }
}

static void gather(const Msg *m, char *to, long length) {
    for (const mblk_t *each = m->blocks; length > 0; each = each->b_cont) {
        long here = length_of(each) < length ? length_of(each) : length;
        memcpy(to, each->b_rptr, (size_t)here);
        to += here;
        length -= here;
    }
}

/* What the load function says that the header has, or -1. */
static long load_with(Msg *m, MLoadFun load, void *header, long length, void *argument) {
    char small[SMALL], *from = small;
    if (length < 0 || length > m->length)
        return -1;
    skip_empty(m);
    drop_spent(m);
    if (length == 0 || length_of(m->blocks) >= length)
        return load(header, length ? (char *)m->blocks->b_rptr : small, length, argument);
    if (length > SMALL)
        from = xMalloc((unsigned)length);
    gather(m, from, length);
    long loaded = load(header, from, length, argument);
    if (from != small)
        xFree(from);
    return loaded;
}

int msgPop(Msg *m, MLoadFun load, void *header, long length, void *argument) {
    long loaded = load_with(m, load, header, length, argument);
    if (loaded < 0 || loaded > m->length)
        return FALSE;
    discard(m, loaded);
    return TRUE;
}

int msgPeek(Msg *m, MLoadFun load, void *header, long length, void *argument) {
    return load_with(m, load, header, length, argument) >= 0;
}

int msgPopDiscard(Msg *m, long length) {
    if (length < 0 || length > m->length)
        return FALSE;
    discard(m, length);
    return TRUE;
}

char *xk_msgPeek(Msg *m, long length) {
    if (length < 0 || length > m->length)
        return NULL;
    skip_empty(m);
    if (!m->blocks)
        return (char *)xk_msgPush(m, 0);
    /* Protocols convert headers where they are: what others share is copied. */
    if (length_of(m->blocks) < length || m->blocks->b_datap->db_ref > 1) {
        mblk_t *whole = xk_allocate(XK_STACK, length, 0);
        gather(m, (char *)whole->b_rptr, length);
        xk_crossings.copied += (size_t)length;
        discard(m, length);
        skip_empty(m);
        whole->b_cont = m->blocks;
        m->blocks = whole;
        m->length += length;
    }
    return (char *)m->blocks->b_rptr;
}

char *xk_msgPop(Msg *m, long length) {
    char *header = xk_msgPeek(m, length);
    if (header)
        discard(m, length);
    return header;
}

void msgTruncate(Msg *m, long length) {
    if (length < 0 || length >= m->length)
        return;
    m->length = length;
    for (mblk_t *each = m->blocks; each; each = each->b_cont) {
        if (length_of(each) >= length) {
            each->b_wptr = each->b_rptr + length;
            xk_free_chain(each->b_cont);
            each->b_cont = NULL;
            return;
        }
        length -= length_of(each);
    }
}

void msgChopOff(Msg *m, Msg *head, long length) {
    if (length < 0 || length > m->length)
        length = m->length;
    if (m == head) {
        msgTruncate(m, length);
        return;
    }
    Msg first = {NULL, NULL, length, head->attr, head->attrLen};
    mblk_t **last = &first.blocks;
    m->length -= length;
    while (m->blocks && length >= length_of(m->blocks)) {
        *last = m->blocks;
        m->blocks = m->blocks->b_cont;
        length -= length_of(*last);
        last = &(*last)->b_cont;
    }
    *last = NULL;
    if (length > 0) {
        *last = xk_share(m->blocks);
        (*last)->b_wptr = (*last)->b_rptr + length;
        m->blocks->b_rptr += length;
    }
    msgDestroy(head);
    *head = first;
}

void msgJoin(Msg *m, Msg *first, Msg *second) {
    Msg front, back, before = *m;
    bool takes_first = m == first, takes_second = m == second && !takes_first;
    if (takes_first)
        front = *first;
    else
        msgConstructCopy(&front, first);
    if (takes_second)
        back = *second;
    else
        msgConstructCopy(&back, second);
    if (!takes_first && !takes_second)
        msgDestroy(m);
    mblk_t **last = &front.blocks;
    while (*last)
        last = &(*last)->b_cont;
    *last = back.blocks;
    front.length += back.length;
    mblk_t **spent = &front.spent;
    while (*spent)
        spent = &(*spent)->b_cont;
    *spent = back.spent;
    front.attr = before.attr;
    front.attrLen = before.attrLen;
    *m = front;
}

char *xk_msgAppend(Msg *m, long length, long room) {
    mblk_t **last = &m->blocks;
    if (length < 0 || length > XK_LONGEST)
        Kabort("msgAppend: the length of a trailer");
    while (*last && (*last)->b_cont)
        last = &(*last)->b_cont;
    if (*last && (!is_own(*last) || (*last)->b_datap->db_lim - (*last)->b_wptr < length))
        last = &(*last)->b_cont;
    if (!*last)
        *last = xk_allocate(0, 0, room > length ? room : length);
    char *to = (char *)(*last)->b_wptr;
    (*last)->b_wptr += length;
    m->length += length;
    return to;
}

void msgAppend(Msg *m, MStoreFun store, void *tail, long length, void *argument, long room) {
    store(tail, xk_msgAppend(m, length, room), length, argument);
}

void msgCleanUp(Msg *m) {
    skip_empty(m);
    drop_spent(m);
}

void msg2buf(Msg *m, char *buffer) { gather(m, buffer, m->length); }

void msgForEach(Msg *m, XCharFun call, void *argument) {
    mblk_t *next;
    for (mblk_t *each = m->blocks; each; each = next) {
        next = each->b_cont;
        if (length_of(each) > 0 && !call((char *)each->b_rptr, length_of(each), argument))
            return;
    }
}

struct sum {
    unsigned long words;
    bool is_odd; /* the next byte is the second of a word */
};

static int add(char *bytes, long length, void *argument) {
    struct sum *sum = argument;
    for (long i = 0; i < length; i++, sum->is_odd = !sum->is_odd) {
        unsigned char pair[2] = {0, 0};
        u_short word;
        pair[sum->is_odd] = (unsigned char)bytes[i];
        memcpy(&word, pair, sizeof word);
        sum->words += word;
    }
    return TRUE;
}

u_short inCkSum(Msg *m, u_short *bytes, int length) {
    struct sum sum = {0, false};
    add((char *)bytes, length, &sum);
    sum.is_odd = false;
    msgForEach(m, add, &sum);
    while (sum.words >> 16)
        sum.words = (sum.words & 0xffff) + (sum.words >> 16);
    return (u_short)~sum.words;
}
