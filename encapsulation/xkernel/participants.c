/* Participants, and the addresses of TPI as participants. */
#include "inside.h"

#include <limits.h>
#include <stdint.h>

#define MOST_PARTICIPANTS 2 /* the peer, and this end */
#define LONGEST 1024        /* bytes of participants in external form */

void partInit(Part *p, int count) {
    for (int i = 0; i < count; i++) {
        p[i].stack.top = 0;
        p[i].len = count;
    }
}

void partStackPush(PartStack *stack, void *data, int length) {
    if (stack->top < 0 || stack->top >= PART_MAX_STACK)
        Kabort("the stack of a participant is full");
    stack->arr[stack->top].ptr = data;
    stack->arr[stack->top].len = length;
    stack->top++;
}

/* What is longer stays the caller's. */
void partStackPushCopy(PartStack *stack, void *data, int length) {
    partStackPush(stack, data, length);
    void *own = stack->arr[stack->top - 1].own;
    if (length > 0 && length <= PART_MAX_BYTES && data) {
        memmove(own, data, (size_t)length);
        stack->arr[stack->top - 1].ptr = own;
    }
}

void *partStackPop(PartStack *stack) {
    if (stack->top <= 0 || stack->top > PART_MAX_STACK)
        return NULL;
    return stack->arr[--stack->top].ptr;
}

int partStackTopByteLen(Part p) {
    PartStack *stack = &p.stack;
    return stack->top <= 0 || stack->top > PART_MAX_STACK ? -1 : stack->arr[stack->top - 1].len;
}

/* The external form: the number of participants (partExtLen), its length in bytes, and for each the size of its stack
 * and the elements, each with its length. An element without length is a pointer. */
struct form {
    char *at, *end;
};

static bool write_bytes(struct form *form, const void *bytes, int length) {
    if (form->end - form->at < length)
        return false;
    memcpy(form->at, bytes, (size_t)length);
    form->at += length;
    return true;
}

static bool write_element(struct form *form, const void *data, int length) {
    int bytes = length > 0 ? length : (int)sizeof data;
    return write_bytes(form, &length, sizeof length) && write_bytes(form, length > 0 ? data : &data, bytes);
}

/* Elements may point into the buffer, as after partInternalize. */
xkern_return_t partExternalize(Part *p, void *buffer, int *length) {
    char bytes[LONGEST];
    struct form form = {bytes, bytes + (*length < LONGEST ? *length : LONGEST)};
    int total = 0, count = p->len;
    if (count < 0 || count > MOST_PARTICIPANTS)
        return XK_FAILURE;
    bool fits = write_bytes(&form, &count, sizeof count) && write_bytes(&form, &total, sizeof total);
    for (int i = 0; fits && i < count; i++) {
        fits = write_bytes(&form, &p[i].stack.top, sizeof p[i].stack.top);
        for (int j = 0; fits && j < p[i].stack.top; j++)
            fits = write_element(&form, p[i].stack.arr[j].ptr, p[i].stack.arr[j].len);
    }
    if (!fits)
        return XK_FAILURE;
    total = (int)(form.at - bytes);
    memcpy(bytes + sizeof count, &total, sizeof total);
    memcpy(buffer, bytes, (size_t)total);
    *length = total;
    return XK_SUCCESS;
}

static bool read_int(struct form *form, int least, int most, int *value) {
    if (form->end - form->at < (int)sizeof *value)
        return false;
    memcpy(value, form->at, sizeof *value);
    form->at += sizeof *value;
    return *value >= least && *value <= most;
}

/* The elements point into the buffer; those of up to PART_MAX_BYTES are copied, which aligns them. */
static bool read_element(struct form *form, PartStack *stack) {
    int length;
    void *data;
    if (!read_int(form, INT_MIN, LONGEST, &length))
        return false;
    int bytes = length > 0 ? length : (int)sizeof data;
    if (form->end - form->at < bytes)
        return false;
    if (length > 0)
        data = form->at;
    else
        memcpy(&data, form->at, sizeof data);
    form->at += bytes;
    partStackPushCopy(stack, data, length);
    return true;
}

void partInternalize(Part *p, void *buffer) {
    struct form form = {buffer, (char *)buffer + LONGEST};
    int total = 0, count = 0, top = 0;
    if (!read_int(&form, 0, MOST_PARTICIPANTS, &count) || !read_int(&form, 2 * (int)sizeof total, LONGEST, &total))
        count = 0;
    form.end = (char *)buffer + total;
    partInit(p, count ? count : 1);
    for (int i = 0; i < count; i++) {
        if (!read_int(&form, 0, PART_MAX_STACK, &top))
            return;
        while (top-- > 0)
            if (!read_element(&form, &p[i].stack))
                return;
    }
}

/* What xGetParticipants and GETPARTICIPANTS return may point to memory of the session. */
bool xk_participants(XObj session, Part *both) {
    char buffer[LONGEST];
    Part *own = session->getparticipants ? session->getparticipants(session) : NULL;
    if (own) {
        bool fits = own->len >= 1 && own->len <= MOST_PARTICIPANTS;
        for (int i = 0; fits && i < own->len; i++) {
            partInit(&both[i], 1);
            both[i].len = own->len;
            for (int j = 0; j < own[i].stack.top && j < PART_MAX_STACK; j++)
                partStackPushCopy(&both[i].stack, own[i].stack.arr[j].ptr, own[i].stack.arr[j].len);
        }
        xFree((char *)own);
        return fits;
    }
    memset(buffer, 0, sizeof buffer);
    int length = xControl(session, GETPARTICIPANTS, buffer, sizeof buffer);
    if (length < (int)(2 * sizeof(int)))
        return false;
    partInternalize(both, buffer);
    /* Longer elements point into the buffer. */
    for (int i = 0; i < both->len; i++)
        for (int j = 0; j < both[i].stack.top; j++)
            if (both[i].stack.arr[j].len > PART_MAX_BYTES)
                return false;
    return true;
}

size_t xk_address_length(const struct xk_field *fields) {
    size_t length = 0;
    for (int i = 0; i < XK_FIELDS && fields[i].length; i++)
        length += (size_t)fields[i].length;
    return length;
}

static bool is_zero(const unsigned char *bytes, int length) {
    while (length > 0 && !bytes[length - 1])
        length--;
    return length == 0;
}

bool xk_push_address(Part *p, const struct xk_field *fields, const void *address, size_t length, struct xk_values *to) {
    if (length != xk_address_length(fields) || length > sizeof to->bytes)
        return false;
    unsigned char *at = memcpy(to->bytes, address, length);
    for (int i = 0; i < XK_FIELDS && fields[i].length; at += fields[i].length, i++) {
        if (fields[i].form == XK_BYTES) {
            bool any = is_zero(at, fields[i].length);
            partStackPush(&p->stack, any ? ANY_HOST : at, any ? 0 : fields[i].length);
            continue;
        }
        unsigned long number = 0;
        for (int j = 0; j < fields[i].length; j++)
            number = number << 8 | at[j];
        to->numbers[i] = number ? (long)number : ANY_PORT;
        partStackPush(&p->stack, &to->numbers[i], sizeof(long));
    }
    return true;
}

size_t xk_pop_address(Part *p, const struct xk_field *fields, unsigned char *address) {
    size_t length = xk_address_length(fields), at = length;
    int count = 0;
    while (count < XK_FIELDS && fields[count].length)
        count++;
    memset(address, 0, length);
    while (count-- > 0) {
        const struct xk_field *field = &fields[count];
        int got = partStackTopByteLen(*p);
        const void *data = partStackPop(&p->stack);
        at -= (size_t)field->length;
        if (!data)
            return 0;
        if (data == ANY_HOST)
            continue;
        if (field->form == XK_BYTES) {
            if (got != field->length)
                return 0;
            memcpy(address + at, data, (size_t)got);
            continue;
        }
        long number;
        if (got != (int)sizeof number)
            return 0;
        memcpy(&number, data, sizeof number);
        for (int j = field->length; number != ANY_PORT && j-- > 0; number >>= 8)
            address[at + (size_t)j] = (unsigned char)number;
    }
    return length;
}
