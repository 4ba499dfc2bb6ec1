/* Assertions: one that fails ends the instance. */
#ifndef NACRE_SYS_DEBUG_H
#define NACRE_SYS_DEBUG_H
#include "sys/cmn_err.h"
#define ASSERT(condition) ((void)((condition) || (cmn_err(CE_PANIC, "assertion failed: " #condition), 0)))
#endif
