/* Services of the kernel: those of 4.4BSD that are older, and those of SunOS 4. */
#ifndef SUNOS_SYS_SYSTM_H
#define SUNOS_SYS_SYSTM_H
#pragma GCC system_header
#include_next <sys/systm.h>

#define splstr() bsd_spl()
#define splvm() bsd_spl()
#define pritospl(priority) (priority)
#define splr(level) bsd_spl()

int suser(void);
#ifdef KERNEL
#define uiomove(at, count, rw, uio) bsd_move((at), (count), (rw), (uio))
#endif
int bsd_move(caddr_t at, int count, int rw, struct uio *uio);

#endif
