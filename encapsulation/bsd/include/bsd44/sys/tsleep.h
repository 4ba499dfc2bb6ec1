#ifndef BSD_SYS_TSLEEP_H
#define BSD_SYS_TSLEEP_H
#include <sys/systm.h>
#endif
