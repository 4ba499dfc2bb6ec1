/* Of other parts of the kernel: nothing here concerns protocols. */
#ifndef BSD_SYS_REBOOT_H
#define BSD_SYS_REBOOT_H
#pragma GCC system_header
#include <sys/param.h>

#endif
