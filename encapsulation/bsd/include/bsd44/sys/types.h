/* Types of 4.4BSD. Sources for machines whose `long` has 32 bits may define NACRE_LONG32, which narrows u_long. */
#ifndef BSD_SYS_TYPES_H
#define BSD_SYS_TYPES_H
#pragma GCC system_header
#include <bits/types.h>
#include <machine/endian.h>
#include <stddef.h>
#include <stdint.h>

typedef unsigned char u_char;
typedef unsigned short u_short;
typedef unsigned int u_int;
#ifdef NACRE_LONG32
typedef uint32_t u_long;
#else
typedef unsigned long u_long;
#endif
typedef unsigned short ushort;
typedef unsigned int uint;
typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;
typedef int64_t quad_t;
typedef uint64_t u_quad_t;
typedef quad_t *qaddr_t;
typedef char *caddr_t;
typedef int32_t daddr_t;
#ifndef __ssize_t_defined
typedef __ssize_t ssize_t;
#define __ssize_t_defined
#endif
#ifndef __mode_t_defined
typedef __mode_t mode_t;
#define __mode_t_defined
#endif
#ifndef __pid_t_defined
typedef __pid_t pid_t;
#define __pid_t_defined
#endif
#ifndef __uid_t_defined
typedef __uid_t uid_t;
#define __uid_t_defined
#endif
#ifndef __gid_t_defined
typedef __gid_t gid_t;
#define __gid_t_defined
#endif
#ifndef __off_t_defined
typedef __off_t off_t;
#define __off_t_defined
#endif
#ifndef __dev_t_defined
typedef __dev_t dev_t;
#define __dev_t_defined
#endif
#ifndef __ino_t_defined
typedef __ino_t ino_t;
#define __ino_t_defined
#endif
#include <bits/types/clock_t.h>
#include <bits/types/time_t.h>
typedef uint32_t fixpt_t;
typedef uint16_t nlink_t;
typedef int32_t segsz_t;

#ifndef __P
#define __P(arguments) arguments
#endif
#ifndef __BEGIN_DECLS
#define __BEGIN_DECLS
#define __END_DECLS
#endif

#endif
