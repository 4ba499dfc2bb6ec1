/* Commands of sockets and interfaces. */
#ifndef SUNOS_SYS_SOCKIO_H
#define SUNOS_SYS_SOCKIO_H
#pragma GCC system_header
#include <sys/ioccom.h>

#define SIOCATMARK _IOR('s', 7, int)
#define SIOCADDRT _IOW('r', 10, struct rtentry)
#define SIOCDELRT _IOW('r', 11, struct rtentry)
#define SIOCSIFADDR _IOW('i', 12, struct ifreq)
#define SIOCGIFADDR _IOWR('i', 13, struct ifreq)
#define SIOCSIFDSTADDR _IOW('i', 14, struct ifreq)
#define SIOCGIFDSTADDR _IOWR('i', 15, struct ifreq)
#define SIOCSIFFLAGS _IOW('i', 16, struct ifreq)
#define SIOCGIFFLAGS _IOWR('i', 17, struct ifreq)
#define SIOCGIFCONF _IOWR('i', 20, struct ifconf)
#define SIOCSIFMTU _IOW('i', 21, struct ifreq)
#define SIOCGIFMTU _IOWR('i', 22, struct ifreq)
#define SIOCGIFBRDADDR _IOWR('i', 23, struct ifreq)
#define SIOCSIFBRDADDR _IOW('i', 24, struct ifreq)
#define SIOCGIFNETMASK _IOWR('i', 25, struct ifreq)
#define SIOCSIFNETMASK _IOW('i', 26, struct ifreq)
#define SIOCGIFMETRIC _IOWR('i', 27, struct ifreq)
#define SIOCSIFMETRIC _IOW('i', 28, struct ifreq)
#define SIOCADDMULTI _IOW('i', 49, struct ifreq)
#define SIOCDELMULTI _IOW('i', 50, struct ifreq)
#define FIONREAD _IOR('f', 127, int)
#define FIONBIO _IOW('f', 126, int)
#define FIOASYNC _IOW('f', 125, int)

#endif
