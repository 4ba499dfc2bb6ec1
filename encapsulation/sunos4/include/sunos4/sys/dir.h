/* Of file systems: nothing here concerns protocols. */
#ifndef SUNOS_SYS_DIR_H
#define SUNOS_SYS_DIR_H
#pragma GCC system_header
#include <sys/param.h>

#endif
