#ifndef BSD_NETINET_IN_SYSTM_H
#define BSD_NETINET_IN_SYSTM_H
#pragma GCC system_header
#include <sys/types.h>
typedef uint16_t n_short;
typedef uint32_t n_long;
typedef uint32_t n_time;
n_time iptime(void);
#endif
