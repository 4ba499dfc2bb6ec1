/* Times. */
#ifndef BSD_SYS_TIME_H
#define BSD_SYS_TIME_H
#pragma GCC system_header
#include <machine/names.h>
#include <bits/types/struct_timespec.h>
#include <bits/types/struct_timeval.h>
#include <sys/types.h>

struct timezone {
    int tz_minuteswest;
    int tz_dsttime;
};
struct itimerval {
    struct timeval it_interval, it_value;
};

#define timerclear(t) ((t)->tv_sec = (t)->tv_usec = 0)
#define timerisset(t) ((t)->tv_sec || (t)->tv_usec)
#define timercmp(a, b, CMP) \
    ((a)->tv_sec == (b)->tv_sec ? (a)->tv_usec CMP(b)->tv_usec : (a)->tv_sec CMP(b)->tv_sec)

void microtime(struct timeval *now);
int hzto(struct timeval *when);
void timevaladd(struct timeval *to, struct timeval *by);
void timevalsub(struct timeval *from, struct timeval *by);
void timevalfix(struct timeval *value);

#endif
