#ifndef SUNOS_SYS_UCRED_H
#define SUNOS_SYS_UCRED_H
#pragma GCC system_header
#include <sys/types.h>
#include <sys/param.h>
struct ucred {
    u_short cr_ref;
    uid_t cr_uid, cr_ruid;
    gid_t cr_gid, cr_rgid;
    int cr_groups[NGROUPS];
};
#endif
