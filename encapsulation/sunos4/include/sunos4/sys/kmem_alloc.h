/* Memory of the kernel, as SunOS 4 has it. */
#ifndef SUNOS_SYS_KMEM_ALLOC_H
#define SUNOS_SYS_KMEM_ALLOC_H
#pragma GCC system_header
#include <sys/types.h>

#define KMEM_SLEEP 0
#define KMEM_NOSLEEP 1
caddr_t kmem_alloc(unsigned size);
caddr_t kmem_zalloc(unsigned size);
void kmem_free(caddr_t address, unsigned size);
caddr_t new_kmem_alloc(unsigned size, int flag);
caddr_t new_kmem_zalloc(unsigned size, int flag);

#endif
