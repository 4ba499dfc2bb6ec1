/* Addresses of hosts. */
#include "xkernel.h"
