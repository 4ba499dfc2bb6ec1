/* TPI. */
#include "sys/stream.h"
#include "streams/tpi.h"
