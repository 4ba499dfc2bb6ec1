/* Of other parts of the kernel: nothing here concerns protocols. */
#ifndef BSD_SYS_USER_H
#define BSD_SYS_USER_H
#pragma GCC system_header
#include <sys/param.h>
#include <sys/proc.h>

#endif
