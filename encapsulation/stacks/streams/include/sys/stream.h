/* <sys/stream.h> for modules and drivers of others. */
#ifndef NACRE_SYS_STREAM_H
#define NACRE_SYS_STREAM_H
#include <sys/types.h>
#include "streams/stream.h"
#ifndef NACRE_SVR4_TYPES
#define NACRE_SVR4_TYPES
typedef unsigned char uchar_t;
typedef unsigned short ushort_t;
typedef unsigned int uint_t;
typedef unsigned long ulong_t;
typedef enum { B_FALSE, B_TRUE } boolean_t;
typedef long clock_t_ticks;
typedef unsigned major_t, minor_t;
#endif
#endif
