#ifndef BSD_SYS_STAT_H
#define BSD_SYS_STAT_H
#pragma GCC system_header
#include <sys/types.h>
/* What PRU_SENSE fills in. */
struct stat {
    dev_t st_dev;
    ino_t st_ino;
    mode_t st_mode;
    off_t st_size;
    uint32_t st_blksize;
};
#endif
