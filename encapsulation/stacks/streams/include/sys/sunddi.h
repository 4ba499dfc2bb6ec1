/* Part of <sys/ddi.h>, here. */
#include "sys/ddi.h"
