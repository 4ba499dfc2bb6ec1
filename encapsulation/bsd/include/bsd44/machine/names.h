/* Link names: services whose documented names belong to the C library or to STREAMS get names of their own. */
#ifndef BSD_MACHINE_NAMES_H
#define BSD_MACHINE_NAMES_H
#pragma GCC system_header

#define addlog bsd_addlog
#define bcmp bsd_bcmp
#define bcopy bsd_bcopy
#define bzero bsd_bzero
#define copyin bsd_copyin
#define copyinstr bsd_copyinstr
#define copyout bsd_copyout
#define copystr bsd_copystr
#define free bsd_free
#define insque bsd_insque
#define log bsd_log
#define malloc bsd_malloc
#define ovbcopy bsd_ovbcopy
#define panic bsd_panic
#define printf bsd_printf
#define random bsd_random
#define remque bsd_remque
#define settimeofday bsd_settimeofday
#define sleep bsd_sleep
#define srandom bsd_srandom
#define time bsd_time
#define timeout bsd_timeout
#define tprintf bsd_tprintf
#define untimeout bsd_untimeout
#define uprintf bsd_uprintf

#endif
