/* Sizes of the machine. An mbuf has 256 bytes instead of 128: its header has 40 where it had 16, and what the code of
 * the time keeps in one (control blocks, interface addresses) grows with its pointers. */
#ifndef SUNOS_MACHINE_PARAM_H
#define SUNOS_MACHINE_PARAM_H
#pragma GCC system_header

#define MSIZE 256
#define MCLSHIFT 10
#define MCLBYTES (1 << MCLSHIFT)
#define MCLOFSET (MCLBYTES - 1)
#define CLBYTES MCLBYTES
#define CLOFSET MCLOFSET
#define CLSHIFT MCLSHIFT
#define CLSIZE 1
#define NBPG 4096
#define PGOFSET (NBPG - 1)
#define PGSHIFT 12
#define DEV_BSIZE 512
#define DELAY(microseconds) ((void)0)

#endif
