/* What lwIP needs of the compiler and of the host. */
#ifndef NACRE_LWIP_CC_H
#define NACRE_LWIP_CC_H

#include <stddef.h>
#include <stdint.h>

#define LWIP_PLATFORM_BYTESWAP 0
#define BYTE_ORDER __BYTE_ORDER__
#undef LITTLE_ENDIAN
#undef BIG_ENDIAN
#define LITTLE_ENDIAN __ORDER_LITTLE_ENDIAN__
#define BIG_ENDIAN __ORDER_BIG_ENDIAN__

uint32_t capsule_random(void);
#define LWIP_RAND() capsule_random()

void capsule_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define LWIP_PLATFORM_DIAG(words) do { capsule_log words; } while (0)

/* Ends the instance, never the process. */
_Noreturn void capsule_fail(const char *what, const char *file, int line);
#define LWIP_PLATFORM_ASSERT(what) capsule_fail(what, __FILE__, __LINE__)


typedef int sys_prot_t;

#endif
