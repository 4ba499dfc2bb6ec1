
/* As in struct nacre_stack, with this stack's types. */
void @_config_default(struct @_config *config);
void @_pool_init(struct @_pool *pool, uint32_t blocks);
uint32_t @_pool_free(const struct @_pool *pool);
int @_open(struct @_state *s, struct @_pool *pool, uint64_t *counters, const struct @_config *config,
        uint64_t seed, uint64_t now, struct nacre_out *out);
int @_call(struct @_state *s, struct @_pool *pool, uint64_t *counters, uint64_t now, uint32_t event,
        const uint64_t *arguments, const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out);
int @_input(struct @_state *s, struct @_pool *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out);
int @_tick(struct @_state *s, struct @_pool *pool, uint64_t *counters, uint64_t now, struct nacre_out *out);
uint64_t @_deadline(const struct @_state *s);
bool @_accepts(const struct @_state *s, const struct @_pool *pool, uint32_t event, uint32_t len);
void @_settle(struct @_state *s, struct @_pool *pool, uint64_t *counters, struct nacre_out *out);
void @_discard(struct @_state *s, struct @_pool *pool);
uint32_t @_canonical(const struct @_state *s, const struct @_pool *pool, uint8_t *to, uint32_t max);
