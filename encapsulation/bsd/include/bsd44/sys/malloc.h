/* Memory of the kernel. */
#ifndef BSD_SYS_MALLOC_H
#define BSD_SYS_MALLOC_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/types.h>

#define M_WAITOK 0x0000
#define M_NOWAIT 0x0001

#define M_FREE 0
#define M_MBUF 1
#define M_DEVBUF 2
#define M_SOCKET 3
#define M_PCB 4
#define M_RTABLE 5
#define M_HTABLE 6
#define M_FTABLE 7
#define M_ZOMBIE 8
#define M_IFADDR 9
#define M_SOOPTS 10
#define M_SONAME 11
#define M_NAMEI 12
#define M_IPQ 52
#define M_IPMOPTS 53
#define M_IPMADDR 54
#define M_IFMADDR 55
#define M_MRTABLE 56
#define M_XFORM 57
#define M_PKTADDR 58
#define M_CRED 59
#define M_LLC 60
#define M_TEMP 74
#define M_LAST 75

void *malloc(unsigned long size, int type, int flags);
void free(void *address, int type);

#define MALLOC(space, cast, size, type, flags) ((space) = (cast)malloc((unsigned long)(size), type, flags))
#define FREE(address, type) free((void *)(address), type)

#endif
