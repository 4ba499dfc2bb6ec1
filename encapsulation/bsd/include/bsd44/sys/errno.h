/* Error numbers: those of the host, and the names that 4.4BSD has beside them. */
#ifndef BSD_SYS_ERRNO_H
#define BSD_SYS_ERRNO_H
#pragma GCC system_header
#include <errno.h>
#undef errno

#ifndef EPROCLIM
#define EPROCLIM EAGAIN
#endif
#ifndef EFTYPE
#define EFTYPE EINVAL
#endif
#ifndef EJUSTRETURN
#define EJUSTRETURN (-2)
#endif

#endif
