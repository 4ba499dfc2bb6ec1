/* Of other parts of the kernel: nothing here concerns protocols. */
#ifndef BSD_SYS_UNPCB_H
#define BSD_SYS_UNPCB_H
#pragma GCC system_header
#include <sys/param.h>

#endif
