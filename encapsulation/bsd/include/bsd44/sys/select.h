#ifndef BSD_SYS_SELECT_H
#define BSD_SYS_SELECT_H
#pragma GCC system_header
#include <sys/types.h>
struct selinfo {
    pid_t si_pid;
    short si_flags;
};
#endif
