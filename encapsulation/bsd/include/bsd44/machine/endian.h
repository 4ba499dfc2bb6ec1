/* Byte order. */
#ifndef BSD_MACHINE_ENDIAN_H
#define BSD_MACHINE_ENDIAN_H
#pragma GCC system_header

#ifndef LITTLE_ENDIAN
#define LITTLE_ENDIAN 1234
#define BIG_ENDIAN 4321
#define PDP_ENDIAN 3412
#endif
#ifndef BYTE_ORDER
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define BYTE_ORDER LITTLE_ENDIAN
#else
#define BYTE_ORDER BIG_ENDIAN
#endif
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ntohl(x) ((unsigned)__builtin_bswap32((unsigned)(x)))
#define ntohs(x) ((unsigned short)__builtin_bswap16((unsigned short)(x)))
#else
#define ntohl(x) ((unsigned)(x))
#define ntohs(x) ((unsigned short)(x))
#endif
#define htonl(x) ntohl(x)
#define htons(x) ntohs(x)
#define NTOHL(x) ((x) = ntohl(x))
#define NTOHS(x) ((x) = ntohs(x))
#define HTONL(x) ((x) = htonl(x))
#define HTONS(x) ((x) = htons(x))

#endif
