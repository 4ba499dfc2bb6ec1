/* What the parts of the message tool share. */
#ifndef NACRE_XKERNEL_MESSAGE_H
#define NACRE_XKERNEL_MESSAGE_H

#include "xkernel/inside.h"

#define XK_STACK 128           /* bytes in front of data, for headers */
#define XK_LONGEST (16L << 20) /* bytes of a block */

/* Blocks of messages. `xk_hold` takes one, or ends the instance if it is NULL. */
mblk_t *xk_hold(mblk_t *block);
void xk_free(mblk_t *block);
void xk_free_chain(mblk_t *block);
mblk_t *xk_share(mblk_t *block);
mblk_t *xk_allocate(long before, long length, long behind);

#endif
