/* Sizes and macros that every kernel source includes first. */
#ifndef SUNOS_SYS_PARAM_H
#define SUNOS_SYS_PARAM_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/cdefs.h>
#include <sys/types.h>
#include <machine/param.h>
#include <machine/limits.h>
#include <sys/signal.h>
#include <sys/errno.h>
#include <sys/protosw.h> /* compilers of the time took arrays of a structure that is not complete yet */

#define BSD 43
#define BSD4_3 1

#ifndef NULL
#define NULL 0
#endif
#define MAXHOSTNAMELEN 64
#define MAXPATHLEN 1024
#define NGROUPS 16
#define NODEV (dev_t)(-1)
#define NBPW sizeof(int)

/* Priorities of sleep(). */
#define PSWP 0
#define PINOD 10
#define PRIBIO 20
#define PZERO 25
#define PSOCK 26
#define PWAIT 30
#define PLOCK 35
#define PSLEP 40
#define PUSER 50
#define PCATCH 0x8000

#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#define NBBY 8
#define setbit(a, i) ((a)[(i) / NBBY] |= 1 << ((i) % NBBY))
#define clrbit(a, i) ((a)[(i) / NBBY] &= ~(1 << ((i) % NBBY)))
#define isset(a, i) ((a)[(i) / NBBY] & (1 << ((i) % NBBY)))
#define isclr(a, i) (((a)[(i) / NBBY] & (1 << ((i) % NBBY))) == 0)
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#endif

#endif
