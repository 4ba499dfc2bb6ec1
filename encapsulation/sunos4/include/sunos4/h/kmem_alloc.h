#include <sys/kmem_alloc.h>
