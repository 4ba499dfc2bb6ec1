/*@asks_processor
#if defined(@_ASKS)
#include <cpuid.h>
#endif
@*/
void @_pool_init(struct @_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->all = pool->fresh = blocks;
    pool->free = pool->first = pool->last = 0;
    /*@asks_processor pool->crc32 = 0;
#if defined(@_ASKS)
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) { pool->crc32 = ecx >> 20 & 1u; }
#endif @*/
    /*@rope pool->node = 0;
    for (uint32_t number = @_NODES; number > 0; number--) {
        @_node(pool, number)->next = pool->node;
        pool->node = number;
    } @*/
}

uint32_t @_pool_free(const struct @_pool *pool) { return pool->free + pool->fresh; }

void @_settle(struct @_state *s, struct @_pool *pool, uint64_t *counters, struct nacre_out *out) {
    (void)s;
    (void)pool;
    (void)counters;
    (void)out;
}

