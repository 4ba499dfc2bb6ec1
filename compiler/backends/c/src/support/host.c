void @_pool_init(struct @_pool *pool, uint32_t blocks) {
    if (blocks > 0xffffu) { blocks = 0xffffu; }
    pool->all = pool->fresh = blocks;
    pool->free = pool->first = pool->last = 0;
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

