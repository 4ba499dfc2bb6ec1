/* Time and names of the kernel. `time` advances at most every 10 ms of the host's clock; microtime() is exact. */
#ifndef BSD_SYS_KERNEL_H
#define BSD_SYS_KERNEL_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/time.h>

extern long hostid;
extern char hostname[256];
extern int hostnamelen;
extern char domainname[256];
extern int domainnamelen;
extern volatile struct timeval mono_time;
extern struct timeval boottime;
extern struct timeval time;
extern struct timezone tz;
extern int ticks, tick, tickfix, tickadj, hz, phz, stathz, profhz;
extern long timedelta;

#endif
