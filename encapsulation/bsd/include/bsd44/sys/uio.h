#ifndef BSD_SYS_UIO_H
#define BSD_SYS_UIO_H
#pragma GCC system_header
#include <bits/types/struct_iovec.h>
#include <sys/types.h>
enum uio_rw { UIO_READ, UIO_WRITE };
enum uio_seg { UIO_USERSPACE, UIO_SYSSPACE, UIO_USERISPACE };
struct uio {
    struct iovec *uio_iov;
    int uio_iovcnt;
    off_t uio_offset;
    int uio_resid;
    enum uio_seg uio_segflg;
    enum uio_rw uio_rw;
    struct proc *uio_procp;
};
#endif
