#ifndef BSD_SYS_IOCTL_H
#define BSD_SYS_IOCTL_H
#pragma GCC system_header
#include <sys/ioccom.h>
#include <sys/sockio.h>
#endif
