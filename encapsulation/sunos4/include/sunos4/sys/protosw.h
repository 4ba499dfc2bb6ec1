/* The protocol switch is that of 4.4BSD. pr_input gets the interface instead of the length of a header. */
#ifndef SUNOS_SYS_PROTOSW_H
#define SUNOS_SYS_PROTOSW_H
#pragma GCC system_header
#include_next <sys/protosw.h>

#undef BSD_OUTPUT_ROUTE
#undef BSD_INPUT
#define BSD_OUTPUT_ROUTE /* if_output has no fourth parameter */
#define BSD_INPUT(pr, m, header, ifp) (*(pr)->pr_input)((m), (ifp))

#define PRC_UNREACH_NEEDFRAG 12

#endif
