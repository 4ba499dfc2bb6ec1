/* A header of the x-kernel, whose parts are all in one. */
#include "xkernel.h"
