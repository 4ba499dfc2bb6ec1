/* Sizes and macros that every kernel source includes first. */
#ifndef BSD_SYS_PARAM_H
#define BSD_SYS_PARAM_H
#pragma GCC system_header
#include <machine/names.h>
#include <sys/cdefs.h>
#include <sys/types.h>
#include <machine/param.h>
#include <machine/limits.h>
#include <sys/signal.h>
#include <sys/errno.h>
#include <sys/time.h>
#include <sys/protosw.h> /* compilers of the time took arrays of a structure that is not complete yet */

/* The release of NetBSD whose shapes are wanted: its year and month. */
#ifdef NetBSD
#if NetBSD + 0 < 199000
#undef NetBSD
#define NetBSD 199801
#endif
#define NetBSD1_3 1
#define __NetBSD_Version__ 103000000
#ifndef __NetBSD__
#define __NetBSD__
#endif
#endif

#define BSD 199306
#define BSD4_3 1
#define BSD4_4 1

#ifndef NULL
#define NULL 0
#endif
#define MAXCOMLEN 16
#define MAXHOSTNAMELEN 256
#define MAXPATHLEN 1024
#define MAXINTERP 32
#define NGROUPS 16
#define MAXUIDS 64

/* Priorities of tsleep. */
#define PSWP 0
#define PVM 4
#define PINOD 8
#define PRIBIO 16
#define PVFS 20
#define PZERO 22
#define PSOCK 24
#define PWAIT 32
#define PLOCK 36
#define PPAUSE 40
#define PSLEP PPAUSE
#define PUSER 50
#define MAXPRI 127
#define PRIMASK 0x0ff
#define PCATCH 0x100

#ifndef roundup
#define roundup(x, y) ((((x) + ((y)-1)) / (y)) * (y))
#endif
#ifndef howmany
#define howmany(x, y) (((x) + ((y)-1)) / (y))
#endif
#define powerof2(x) ((((x)-1) & (x)) == 0)
#define NBBY 8
#define setbit(a, i) ((a)[(i) / NBBY] |= 1 << ((i) % NBBY))
#define clrbit(a, i) ((a)[(i) / NBBY] &= ~(1 << ((i) % NBBY)))
#define isset(a, i) ((a)[(i) / NBBY] & (1 << ((i) % NBBY)))
#define isclr(a, i) (((a)[(i) / NBBY] & (1 << ((i) % NBBY))) == 0)
#ifndef MIN
#define MIN(a, b) (((a) < (b)) ? (a) : (b))
#define MAX(a, b) (((a) > (b)) ? (a) : (b))
#endif
#define btoc(x) (((unsigned long)(x) + NBPG - 1) >> PGSHIFT)
#define ctob(x) ((x) << PGSHIFT)

#endif
