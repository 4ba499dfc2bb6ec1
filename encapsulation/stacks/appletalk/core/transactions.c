/* ATP: the responder's side, exactly-once transactions. */
#include "atp.h"

#define NONE 0xFFFF

static at_short hash(const struct at_transactions *t, const struct at_address *peer, at_byte socket, at_short tid)
{
    at_long key = ((at_long)peer->net << 16 | (at_long)peer->node << 8 | peer->socket) ^ (at_long)socket << 16;

    key = (key ^ tid) * 0x9E3779B1u;
    return (at_short)(key >> 16 & (t->count - 1u));
}

void at_transactions_init(struct at_transactions *t, struct at_transaction *slots, at_short count)
{
    at_short i;
    int k;

    t->slot = slots;
    t->count = count;
    t->used = 0;
    t->free = 0;
    for (i = 0; i < count; i++) {
        slots[i].used = 0;
        slots[i].head = NONE;
        slots[i].next = (at_short)(i + 1 < count ? i + 1 : NONE);
        for (k = 0; k < AT_ATP_PACKETS; k++)
            slots[i].response[k] = 0;
    }
}

struct at_transaction *at_transaction_find(struct at_transactions *t, const struct at_address *peer, at_byte socket,
                                           at_short tid)
{
    at_short i = t->slot[hash(t, peer, socket, tid)].head;

    for (; i != NONE; i = t->slot[i].next) {
        struct at_transaction *one = &t->slot[i];
        if (one->tid == tid && one->socket == socket && at_same_address(&one->peer, peer))
            return one;
    }
    return 0;
}

static struct at_transaction *open(struct at_transactions *t, const struct at_address *from, at_byte socket,
                                   const struct at_atp *header)
{
    struct at_transaction *one;
    at_short *head = &t->slot[hash(t, from, socket, header->tid)].head;

    if (t->free == NONE)
        return 0;
    one = &t->slot[t->free];
    t->free = one->next;
    one->next = *head;
    *head = (at_short)(one - t->slot);
    t->used++;
    one->used = 1;
    one->peer = *from;
    one->socket = socket;
    one->tid = header->tid;
    one->timer = header->control & AT_ATP_TIMER;
    return one;
}

int at_request_arrived(struct at_transactions *t, const struct at_address *from, at_byte socket, void *owner,
                       const struct at_atp *header, at_long now, struct at_transaction **found,
                       enum at_atp_fault *fault)
{
    struct at_transaction *one;
    int i;

    *found = 0;
    *fault = AT_ATP_MALFORMED;
    if (header->bitmap == 0)
        return 0;
    *fault = AT_ATP_GOOD;
    if ((header->control & AT_ATP_XO) == 0)
        return AT_DELIVER;
    one = at_transaction_find(t, from, socket, header->tid);
    if (one == 0) {
        one = *found = open(t, from, socket, header);
        if (one == 0) {
            *fault = AT_ATP_FULL;
            return 0;
        }
        one->bitmap = header->bitmap;
        one->owner = owner;
        one->deadline = now + at_release_ms(one->timer);
        return AT_DELIVER;
    }
    *found = one;
    one->bitmap = header->bitmap;
    for (i = 0; i < AT_ATP_PACKETS; i++)
        if (one->response[i] != 0 && (one->bitmap >> i & 1))
            return AT_RESEND;
    *fault = AT_ATP_TWICE;
    return 0;
}

void at_transaction_answered(struct at_transaction *one, at_long now)
{
    one->deadline = now + at_release_ms(one->timer);
}

void at_transaction_close(struct at_transactions *t, struct at_transaction *one)
{
    at_short number = (at_short)(one - t->slot);
    at_short *link = &t->slot[hash(t, &one->peer, one->socket, one->tid)].head;

    while (*link != number)
        link = &t->slot[*link].next;
    *link = one->next;
    one->next = t->free;
    t->free = number;
    one->used = 0;
    t->used--;
}

struct at_transaction *at_transaction_due(struct at_transactions *t, at_long now, at_short *cursor)
{
    while (*cursor < t->count) {
        struct at_transaction *one = &t->slot[(*cursor)++];
        if (one->used && (int)(now - one->deadline) >= 0)
            return one;
    }
    return 0;
}

at_long at_release_ms(at_byte control)
{
    at_byte timer = control & AT_ATP_TIMER;

    return 30000u << (timer > 4 ? 0 : timer);
}
