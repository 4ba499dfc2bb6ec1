#ifndef BSD_SYS_UCRED_H
#define BSD_SYS_UCRED_H
#pragma GCC system_header
#include <sys/types.h>
#include <sys/param.h>
struct ucred {
    u_short cr_ref;
    uid_t cr_uid;
    short cr_ngroups;
    gid_t cr_groups[NGROUPS];
};
#define NOCRED ((struct ucred *)-1)
#define FSCRED ((struct ucred *)-2)
int suser(struct ucred *cred, u_short *acflag);
#endif
