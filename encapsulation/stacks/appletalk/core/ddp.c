/* Headers and checksum of DDP. */
#include "ddp.h"

void at_name_write(at_byte *to, const struct at_address *address, at_byte type)
{
    int i;

    to[0] = AT_NAME_LENGTH;
    to[1] = AT_NAME_FAMILY;
    to[2] = address->socket;
    to[3] = type;
    at_put_short(to + 4, address->net);
    to[6] = address->node;
    for (i = 7; i < AT_NAME_LENGTH; i++)
        to[i] = 0;
}

int at_name_read(const at_byte *bytes, at_long length, struct at_address *address, at_byte *type)
{
    if (length < AT_NAME_LENGTH || bytes[1] != AT_NAME_FAMILY)
        return -1;
    address->socket = bytes[2];
    *type = bytes[3];
    address->net = at_get_short(bytes + 4);
    address->node = bytes[6];
    return 0;
}

/* What holds of both forms: `length` is between header and limit and within what arrived, and the addresses can be. */
static enum at_ddp_fault check(const struct at_datagram *d, at_long total)
{
    if (d->length < d->header || d->length > d->header + AT_DDP_DATA)
        return AT_DDP_LENGTH;
    if (d->length > total)
        return AT_DDP_TRUNCATED;
    if (d->to.socket < AT_FIRST_SOCKET || d->to.socket > AT_LAST_SOCKET || d->from.socket < AT_FIRST_SOCKET ||
        d->from.socket > AT_LAST_SOCKET || d->from.node == AT_ANY_NODE || d->from.node == AT_BROADCAST ||
        d->to.node == AT_ANY_NODE || d->type == 0)
        return AT_DDP_ADDRESS;
    return d->hops > AT_MOST_HOPS ? AT_DDP_HOPS : AT_DDP_GOOD;
}

enum at_ddp_fault at_long_read(const at_byte *bytes, at_long count, at_long total, struct at_datagram *d)
{
    if (count < AT_LONG_HEADER || total < count)
        return AT_DDP_TRUNCATED;
    if ((bytes[0] & 0xC0) != 0) /* two bits that are zero */
        return AT_DDP_LENGTH;
    d->hops = bytes[0] >> 2 & 15;
    d->length = at_get_short(bytes) & 0x3FF;
    d->checksum = at_get_short(bytes + 2);
    d->to.net = at_get_short(bytes + 4);
    d->from.net = at_get_short(bytes + 6);
    d->to.node = bytes[8];
    d->from.node = bytes[9];
    d->to.socket = bytes[10];
    d->from.socket = bytes[11];
    d->type = bytes[12];
    d->header = AT_LONG_HEADER;
    return check(d, total);
}

enum at_ddp_fault at_short_read(const at_byte *bytes, at_long count, at_long total, at_short net, const at_byte *lap,
                                struct at_datagram *d)
{
    if (count < AT_SHORT_HEADER || total < count)
        return AT_DDP_TRUNCATED;
    if ((bytes[0] & 0xFC) != 0) /* six bits that are zero */
        return AT_DDP_LENGTH;
    d->hops = 0;
    d->length = at_get_short(bytes);
    d->checksum = 0;
    d->to.net = net;
    d->from.net = net;
    d->to.node = lap[0];
    d->from.node = lap[1];
    d->to.socket = bytes[2];
    d->from.socket = bytes[3];
    d->type = bytes[4];
    d->header = AT_SHORT_HEADER;
    return check(d, total);
}

void at_long_write(at_byte *to, const struct at_datagram *d)
{
    at_put_short(to, (at_short)(d->hops << 10 | d->length));
    at_put_short(to + 2, d->checksum);
    at_put_short(to + 4, d->to.net);
    at_put_short(to + 6, d->from.net);
    to[8] = d->to.node;
    to[9] = d->from.node;
    to[10] = d->to.socket;
    to[11] = d->from.socket;
    to[12] = d->type;
}

void at_short_write(at_byte *to, const struct at_datagram *d)
{
    at_put_short(to, d->length);
    to[2] = d->to.socket;
    to[3] = d->from.socket;
    to[4] = d->type;
}

at_short at_checksum_add(at_short sum, const at_byte *bytes, at_long count)
{
    at_long value = sum, i;

    for (i = 0; i < count; i++) {
        value = (value + bytes[i]) & 0xFFFF;
        value = (value << 1 | value >> 15) & 0xFFFF;
    }
    return (at_short)value;
}
