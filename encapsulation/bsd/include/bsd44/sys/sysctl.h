/* Of other parts of the kernel: nothing here concerns protocols. */
#ifndef BSD_SYS_SYSCTL_H
#define BSD_SYS_SYSCTL_H
#pragma GCC system_header
#include <sys/param.h>
#define CTLTYPE_NODE 1
#define CTLTYPE_INT 2
#define CTLTYPE_STRING 3
#define CTLTYPE_QUAD 4
#define CTLTYPE_STRUCT 5
int sysctl_int(void *oldp, size_t *oldlenp, void *newp, size_t newlen, int *value);
int sysctl_rdstruct(void *oldp, size_t *oldlenp, void *newp, const void *from, int length);
int sysctl_struct(void *oldp, size_t *oldlenp, void *newp, size_t newlen, void *at, int length);
int sysctl_rdstring(void *oldp, size_t *oldlenp, void *newp, const char *text);
int sysctl_rdint(void *oldp, size_t *oldlenp, void *newp, int value);

#endif
