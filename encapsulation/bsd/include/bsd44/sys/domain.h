/* Communication domains. */
#ifndef BSD_SYS_DOMAIN_H
#define BSD_SYS_DOMAIN_H
#pragma GCC system_header
#include <sys/cdefs.h>
#include <sys/types.h>

struct mbuf;
struct protosw;

struct domain {
    int dom_family; /* AF_... */
    char *dom_name;
    void (*dom_init)();        /* initialize the domain's data */
    int (*dom_externalize)();  /* externalize access rights */
    int (*dom_dispose)();      /* dispose of internalized rights */
    struct protosw *dom_protosw, *dom_protoswNPROTOSW;
    struct domain *dom_next;
    int (*dom_rtattach)(); /* initialize the routing table */
    int dom_rtoffset;      /* an argument of it, in bits */
    int dom_maxrtkey;      /* for the routing layer */
};

extern struct domain *domains;
void domaininit(void);

#endif
