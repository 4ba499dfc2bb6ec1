/* The interface of the x-kernel: protocols, sessions, messages, participants, maps, events, traces.
 *
 * Names are those of version 3.2 of the x-kernel, and those of version 3.3 where they differ. The message operations
 * of 3.3 (msgPush and msgPop that return a pointer), and participants that copy, come with XK_VERSION_33. */
#ifndef XKERNEL_H
#define XKERNEL_H

/* Of a source that has copies of headers of the x-kernel, these are in effect. */
#define xkernel_h
#define xtype_h
#define trace_h
#define upi_h
#define upi_inline_h
#define msg_h
#define msg_s_h
#define idmap_h
#define part_h
#define event_h
#define prottbl_h
#define romopt_h
#define gc_h
#define netmask_h
#define xtime_h
#define ip_host_h
#define eth_host_h
#define platform_h
#define process_h
#define xk_debug_h
#define x_util_h
#define x_libc_h

#include "xk_types.h"

#include "xk_msg.h"

#include "xk_part.h"

#include "xk_map.h"

#include "xk_upi.h"

#include "xk_event.h"
#include "xk_netmask.h"
#include "xk_rom.h"
#include "xk_trace.h"

#endif
