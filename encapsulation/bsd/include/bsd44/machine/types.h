/* Types of fixed size. */
#ifndef BSD_MACHINE_TYPES_H
#define BSD_MACHINE_TYPES_H
#include <sys/types.h>

#endif
