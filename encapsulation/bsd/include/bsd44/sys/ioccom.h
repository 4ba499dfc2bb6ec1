/* Encoding of ioctl commands. */
#ifndef BSD_SYS_IOCCOM_H
#define BSD_SYS_IOCCOM_H
#pragma GCC system_header

#define IOCPARM_MASK 0x1fff
#define IOCPARM_LEN(x) (((x) >> 16) & IOCPARM_MASK)
#define IOCBASECMD(x) ((x) & ~(IOCPARM_MASK << 16))
#define IOCGROUP(x) (((x) >> 8) & 0xff)
#define IOCPARM_MAX 4096
#define IOC_VOID 0x20000000U
#define IOC_OUT 0x40000000U
#define IOC_IN 0x80000000U
#define IOC_INOUT (IOC_IN | IOC_OUT)
#define IOC_DIRMASK 0xe0000000U
#define _IOC(inout, group, num, len) (inout | ((len & IOCPARM_MASK) << 16) | ((group) << 8) | (num))
#define _IO(g, n) _IOC(IOC_VOID, (g), (n), 0)
#define _IOR(g, n, t) _IOC(IOC_OUT, (g), (n), sizeof(t))
#define _IOW(g, n, t) _IOC(IOC_IN, (g), (n), sizeof(t))
#define _IOWR(g, n, t) _IOC(IOC_INOUT, (g), (n), sizeof(t))

#endif
