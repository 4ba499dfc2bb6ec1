/*
 * The AppleTalk domain.
 */
#include <sys/param.h>
#include <sys/systm.h>
#include <sys/socket.h>
#include <sys/protosw.h>
#include <sys/domain.h>
#include <sys/mbuf.h>

#include <net/if.h>
#include <net/route.h>

#include "core/ddp.h"
#include "core/atp.h"
#include "at.h"
#include "at_var.h"
#include "ddp_var.h"
#include "atp_var.h"

/*
 * Kernels are configured with DDP, with ATP, or with both.
 */
#if !defined(DDP) && !defined(ATP)
#define	DDP
#define	ATP
#endif

struct protosw atalksw[] = {
#ifdef DDP
{ SOCK_DGRAM,	&atalkdomain,	ATPROTO_DDP,	PR_ATOMIC|PR_ADDR,
  ddp_input,	0,		0,		0,
  ddp_usrreq,
  ddp_init,	0,		0,		0,
},
#endif
#ifdef ATP
{ SOCK_RDM,	&atalkdomain,	ATPROTO_ATP,	PR_ATOMIC|PR_ADDR,
  atp_input,	0,		0,		0,
  atp_usrreq,
  atp_init,	0,		atp_slowtimo,	0,
},
#endif
};

struct domain atalkdomain =
    { PF_APPLETALK, "appletalk", 0, 0, 0,
      atalksw, &atalksw[sizeof(atalksw)/sizeof(atalksw[0])] };
