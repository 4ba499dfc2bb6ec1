/* Macros of the compiler. The C library's headers need its own, but a kernel tree has a file of this name, too, which
 * comes before it: it is found by a path that only the C library has. */
#ifndef BSD_SYS_CDEFS_H
#define BSD_SYS_CDEFS_H
#pragma GCC system_header

#if __has_include(<x86_64-linux-gnu/sys/cdefs.h>) && defined __x86_64__
#include <x86_64-linux-gnu/sys/cdefs.h>
#elif __has_include(<aarch64-linux-gnu/sys/cdefs.h>) && defined __aarch64__
#include <aarch64-linux-gnu/sys/cdefs.h>
#elif __has_include(<../include/sys/cdefs.h>)
#include <../include/sys/cdefs.h>
#else
#include_next <sys/cdefs.h>
#endif

/* What sources of NetBSD expect beside them. */
#define __KERNEL_RCSID(number, text)
#define __RCSID(text)
#define __COPYRIGHT(text)
#ifndef __P
#define __P(arguments) arguments
#endif

#endif
