/* Memory of the kernel: of the instance. It never sleeps. */
#ifndef NACRE_SYS_KMEM_H
#define NACRE_SYS_KMEM_H
#include <stddef.h>
#define KM_SLEEP 0
#define KM_NOSLEEP 1
void *kmem_alloc(size_t size, int flags);
void *kmem_zalloc(size_t size, int flags);
void kmem_free(void *memory, size_t size);
#endif
