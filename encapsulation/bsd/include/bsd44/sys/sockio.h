/* Commands of sockets and interfaces. */
#ifndef BSD_SYS_SOCKIO_H
#define BSD_SYS_SOCKIO_H
#pragma GCC system_header
#include <sys/ioccom.h>

#define SIOCATMARK _IOR('s', 7, int)
#define SIOCADDRT _IOW('r', 10, struct ortentry)
#define SIOCDELRT _IOW('r', 11, struct ortentry)
#define SIOCSIFADDR _IOW('i', 12, struct ifreq)
#define OSIOCGIFADDR _IOWR('i', 13, struct ifreq)
#define SIOCGIFADDR _IOWR('i', 33, struct ifreq)
#define SIOCSIFDSTADDR _IOW('i', 14, struct ifreq)
#define OSIOCGIFDSTADDR _IOWR('i', 15, struct ifreq)
#define SIOCGIFDSTADDR _IOWR('i', 34, struct ifreq)
#define SIOCSIFFLAGS _IOW('i', 16, struct ifreq)
#define SIOCGIFFLAGS _IOWR('i', 17, struct ifreq)
#define OSIOCGIFBRDADDR _IOWR('i', 18, struct ifreq)
#define SIOCGIFBRDADDR _IOWR('i', 35, struct ifreq)
#define SIOCSIFBRDADDR _IOW('i', 19, struct ifreq)
#define OSIOCGIFCONF _IOWR('i', 20, struct ifconf)
#define SIOCGIFCONF _IOWR('i', 36, struct ifconf)
#define OSIOCGIFNETMASK _IOWR('i', 21, struct ifreq)
#define SIOCGIFNETMASK _IOWR('i', 37, struct ifreq)
#define SIOCSIFNETMASK _IOW('i', 22, struct ifreq)
#define SIOCGIFMETRIC _IOWR('i', 23, struct ifreq)
#define SIOCSIFMETRIC _IOW('i', 24, struct ifreq)
#define SIOCDIFADDR _IOW('i', 25, struct ifreq)
#define SIOCAIFADDR _IOW('i', 26, struct ifaliasreq)
#define SIOCADDMULTI _IOW('i', 49, struct ifreq)
#define SIOCDELMULTI _IOW('i', 50, struct ifreq)
#define SIOCGIFMTU _IOWR('i', 51, struct ifreq)
#define SIOCSIFMTU _IOW('i', 52, struct ifreq)
#define FIONREAD _IOR('f', 127, int)
#define FIONBIO _IOW('f', 126, int)
#define FIOASYNC _IOW('f', 125, int)

#endif
