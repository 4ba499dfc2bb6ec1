/* ATP: headers, and the requester's side. */
#include "atp.h"

int at_atp_read(const at_byte *bytes, at_long count, struct at_atp *header)
{
    if (count < AT_ATP_HEADER)
        return -1;
    header->control = bytes[0];
    header->bitmap = bytes[1];
    header->tid = at_get_short(bytes + 2);
    return 0;
}

void at_atp_write(at_byte *to, const struct at_atp *header)
{
    to[0] = header->control;
    to[1] = header->bitmap;
    at_put_short(to + 2, header->tid);
}

void at_requests_init(struct at_requests *r, struct at_request *slots, at_short count, at_short first, at_long retry_ms,
                      at_short tries)
{
    at_short i;
    int k;

    r->slot = slots;
    r->count = count;
    r->used = 0;
    r->next = 0;
    r->retry_ms = retry_ms;
    r->tries = tries;
    for (i = 0; i < count; i++) {
        slots[i].used = 0;
        slots[i].packet = 0;
        slots[i].tid = (at_short)((first & ~(count - 1)) | i);
        for (k = 0; k < AT_ATP_PACKETS; k++)
            slots[i].response[k] = 0;
    }
}

/* The next free slot in turn, or NULL. */
static struct at_request *unused(struct at_requests *r)
{
    if (r->used == r->count)
        return 0;
    while (r->slot[r->next].used)
        r->next = (at_short)((r->next + 1) & (r->count - 1));
    return &r->slot[r->next];
}

struct at_request *at_request_open(struct at_requests *r, const struct at_address *peer, struct at_atp *header,
                                   void *owner, at_long now, enum at_atp_fault *fault)
{
    struct at_request *request;

    *fault = AT_ATP_MALFORMED;
    if (header->bitmap == 0 || (header->bitmap & (header->bitmap + 1)) != 0)
        return 0;
    *fault = AT_ATP_FULL;
    request = unused(r);
    if (request == 0)
        return 0;
    r->next = (at_short)((r->next + 1) & (r->count - 1));
    r->used++;
    request->used = 1;
    request->tid = (at_short)(request->tid + r->count);
    request->peer = *peer;
    request->reference = header->tid;
    request->control = AT_ATP_REQUEST;
    if (header->control & AT_ATP_XO)
        request->control |= header->control & (AT_ATP_XO | AT_ATP_TIMER);
    request->bitmap = header->bitmap;
    request->last = AT_ATP_PACKETS - 1;
    while ((header->bitmap >> request->last & 1) == 0)
        request->last--;
    request->tries = r->tries;
    request->deadline = now + r->retry_ms;
    request->owner = owner;
    at_request_header(request, header);
    *fault = AT_ATP_GOOD;
    return request;
}

void at_request_close(struct at_requests *r, struct at_request *request)
{
    request->used = 0;
    r->used--;
}

void at_request_header(const struct at_request *request, struct at_atp *header)
{
    header->control = request->control;
    header->bitmap = request->bitmap;
    header->tid = request->tid;
}

/* Whether a response comes from where the request went; the user may have left the network open. */
static int is_peer(const struct at_request *request, const struct at_address *from)
{
    return request->peer.node == from->node && request->peer.socket == from->socket &&
           (request->peer.net == from->net || request->peer.net == AT_ANY_NET);
}

int at_response_arrived(struct at_requests *r, const struct at_address *from, const struct at_atp *header, at_long now,
                        struct at_request **found, enum at_atp_fault *fault)
{
    struct at_request *request = &r->slot[header->tid & (r->count - 1)];
    at_byte number = header->bitmap;

    *fault = AT_ATP_MALFORMED;
    if (number >= AT_ATP_PACKETS)
        return 0;
    *fault = AT_ATP_UNKNOWN;
    if (!request->used || request->tid != header->tid || !is_peer(request, from))
        return 0;
    *fault = AT_ATP_TWICE;
    if ((request->bitmap >> number & 1) == 0)
        return 0;
    *fault = AT_ATP_GOOD;
    *found = request;
    request->bitmap &= (at_byte) ~(1 << number);
    if (header->control & AT_ATP_EOM) {
        request->last = number;
        request->bitmap &= (at_byte)((1 << number) - 1);
    }
    if (request->bitmap == 0)
        return AT_TAKE | AT_DONE;
    if ((header->control & AT_ATP_STS) == 0)
        return AT_TAKE;
    request->deadline = now + r->retry_ms;
    return AT_TAKE | AT_ASK;
}

struct at_request *at_request_due(struct at_requests *r, at_long now, at_short *cursor, int *again)
{
    while (*cursor < r->count) {
        struct at_request *request = &r->slot[(*cursor)++];
        if (!request->used || (int)(now - request->deadline) < 0)
            continue;
        *again = request->tries > 0;
        if (request->tries > 0 && request->tries != AT_TRIES_FOREVER)
            request->tries--;
        request->deadline = now + r->retry_ms;
        return request;
    }
    return 0;
}
