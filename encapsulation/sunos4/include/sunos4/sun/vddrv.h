/* Loadable drivers. The description's hook `prepare` calls their routine with VDLOAD. */
#ifndef SUNOS_SUN_VDDRV_H
#define SUNOS_SUN_VDDRV_H
#pragma GCC system_header
#include <sys/types.h>

#define VDLOAD 1
#define VDUNLOAD 2
#define VDSTAT 3
#define VDMAGIC_DRV 0x4c444452
#define VDMAGIC_SYS 0x4c445359
#define VDMAGIC_USER 0x4c445553

typedef char *addr_t;
struct vdlinkage {
    int vdl_magic;
    char *vdl_name;
};
struct vddrv {
    struct vddrv *vdd_next;
    struct vdlinkage *vdd_vdtab;
};
struct vdstat {
    int vds_id;
};

#endif
