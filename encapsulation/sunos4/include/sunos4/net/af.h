/* What routing asks of a family. The description's hook `prepare` fills in the entry of its own. */
#ifndef SUNOS_NET_AF_H
#define SUNOS_NET_AF_H
#pragma GCC system_header
#include <sys/types.h>

struct afhash {
    u_int afh_hosthash, afh_nethash;
};
struct afswitch {
    int (*af_hash)();     /* not used: routes are a list */
    int (*af_netmatch)(); /* (address, address): whether their networks are equal */
};
extern struct afswitch afswitch[];
int null_hash(), null_netmatch();

#endif
