/* Types of the AppleTalk core. It includes nothing, so that it compiles in any kernel and with any library. */
#ifndef APPLETALK_CORE_TYPES_H
#define APPLETALK_CORE_TYPES_H

typedef unsigned char at_byte;
typedef unsigned short at_short; /* 16 bits */
typedef unsigned int at_long;    /* 32 bits */

/* The internet address of a socket, in the byte order of the processor. */
struct at_address {
    at_short net;
    at_byte node;
    at_byte socket;
};

#define AT_ANY_NET 0        /* "this network" */
#define AT_ANY_NODE 0       /* unknown */
#define AT_BROADCAST 255    /* node: all of a network */
#define AT_FIRST_SOCKET 1   /* 0 and 255 are no sockets */
#define AT_FIRST_DYNAMIC 128
#define AT_LAST_SOCKET 254

/* The form in which users name a socket: 16 bytes that begin like a `struct sockaddr` of 4.4BSD. */
#define AT_NAME_LENGTH 16
#define AT_NAME_FAMILY 16 /* AF_APPLETALK */

/* Writes a name; `type` is the type of the datagrams (0: any). */
void at_name_write(at_byte *to, const struct at_address *address, at_byte type);

/* Reads a name. Returns 0 if it is one, else -1. */
int at_name_read(const at_byte *bytes, at_long length, struct at_address *address, at_byte *type);

static inline at_short at_get_short(const at_byte *from)
{
    return (at_short)(from[0] << 8 | from[1]);
}

static inline void at_put_short(at_byte *to, at_short value)
{
    to[0] = (at_byte)(value >> 8);
    to[1] = (at_byte)value;
}

static inline int at_same_address(const struct at_address *a, const struct at_address *b)
{
    return a->net == b->net && a->node == b->node && a->socket == b->socket;
}

#endif
