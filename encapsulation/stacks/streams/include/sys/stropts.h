/* Requests of streams, as the head of a stream has them. */
#include "sys/stream.h"
