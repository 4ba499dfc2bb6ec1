/* Addresses of links. */
#ifndef BSD_NET_IF_DL_H
#define BSD_NET_IF_DL_H
#pragma GCC system_header
#include <sys/types.h>
struct sockaddr_dl {
    u_char sdl_len;
    u_char sdl_family; /* AF_LINK */
    u_short sdl_index;
    u_char sdl_type;
    u_char sdl_nlen;
    u_char sdl_alen;
    u_char sdl_slen;
    char sdl_data[12]; /* name, then address */
};
#define CLLADDR(s) ((const char *)((s)->sdl_data + (s)->sdl_nlen))
#define satosdl(sa) ((struct sockaddr_dl *)(sa))
#define LLADDR(s) ((caddr_t)((s)->sdl_data + (s)->sdl_nlen))
#endif
