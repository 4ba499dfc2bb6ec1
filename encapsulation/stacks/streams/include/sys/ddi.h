/* Services of the kernel for drivers. One thread: levels of priority and locks have no effect. */
#ifndef NACRE_SYS_DDI_H
#define NACRE_SYS_DDI_H
#include "sys/stream.h"
#include "sys/kmem.h"
#include "sys/cmn_err.h"
#define splstr() 0
#define spl0() 0
#define spl5() 0
#define spl6() 0
#define spl7() 0
#define splx(level) ((void)(level))
#define getminor(device) ((minor_t)((device) & 0xffff))
#define getmajor(device) ((major_t)((device) >> 16))
#define makedevice(major, minor) ((dev_t)(major) << 16 | (dev_t)(minor))
typedef int kmutex_t;
typedef int krwlock_t;
#define MUTEX_DRIVER 0
#define RW_DRIVER 0
#define RW_READER 0
#define RW_WRITER 1
#define mutex_init(lock, name, type, argument) ((void)(lock))
#define mutex_destroy(lock) ((void)(lock))
#define mutex_enter(lock) ((void)(lock))
#define mutex_exit(lock) ((void)(lock))
#define mutex_tryenter(lock) ((void)(lock), 1)
#define mutex_owned(lock) ((void)(lock), 1)
#define rw_init(lock, name, type, argument) ((void)(lock))
#define rw_destroy(lock) ((void)(lock))
#define rw_enter(lock, how) ((void)(lock))
#define rw_exit(lock) ((void)(lock))
#endif
