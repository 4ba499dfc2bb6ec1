/* The interface of the x-kernel: protocols, sessions, messages, participants, maps, events, traces.
 *
 * Names are those of version 3.2 of the x-kernel, and those of version 3.3 where they differ. The message operations
 * of 3.3 (msgPush and msgPop that return a pointer), and participants that copy, come with XK_VERSION_33. */
#ifndef XKERNEL_H
#define XKERNEL_H

#include "xk_types.h"

#include "xk_msg.h"

#include "xk_part.h"

#include "xk_map.h"

#include "xk_upi.h"

#include "xk_event.h"
#include "xk_trace.h"

#endif
