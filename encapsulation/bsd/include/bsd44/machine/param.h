/* Sizes of the machine. An mbuf has 256 bytes, so that headers fit in one although pointers have 64 bits. */
#ifndef BSD_MACHINE_PARAM_H
#define BSD_MACHINE_PARAM_H
#pragma GCC system_header

#define MSIZE 256
#define MCLSHIFT 11
#define MCLBYTES (1 << MCLSHIFT)
#define MCLOFSET (MCLBYTES - 1)
#define CLBYTES 4096
#define NBPG 4096
#define PGOFSET (NBPG - 1)
#define PGSHIFT 12
#define ALIGNBYTES (sizeof(long) - 1)
#define ALIGN(p) (((unsigned long)(p) + ALIGNBYTES) & ~ALIGNBYTES)
#define DELAY(microseconds) ((void)0)

#endif
