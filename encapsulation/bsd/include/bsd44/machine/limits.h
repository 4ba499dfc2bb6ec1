#ifndef BSD_MACHINE_LIMITS_H
#define BSD_MACHINE_LIMITS_H
#pragma GCC system_header
#include <limits.h>

#endif
