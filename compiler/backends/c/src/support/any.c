/* ---- for drivers of any stack ---- */

static void @_any_config_default(void *config) { @_config_default(config); }
static void @_any_pool_init(void *pool, uint32_t blocks) { @_pool_init(pool, blocks); }
static uint32_t @_any_pool_free(const void *pool) { return @_pool_free(pool); }
static int @_any_open(void *s, void *pool, uint64_t *counters, const void *config, uint64_t seed, uint64_t now, struct nacre_out *out) { return @_open(s, pool, counters, config, seed, now, out); }
static int @_any_call(void *s, void *pool, uint64_t *counters, uint64_t now, uint32_t event, const uint64_t *arguments,
        const struct nacre_addr *address, const uint8_t *data, uint32_t len, struct nacre_out *out) { return @_call(s, pool, counters, now, event, arguments, address, data, len, out); }
static int @_any_input(void *s, void *pool, uint64_t *counters, uint64_t now, const struct nacre_addr *from,
        const uint8_t *frame, uint32_t len, struct nacre_out *out) { return @_input(s, pool, counters, now, from, frame, len, out); }
static int @_any_tick(void *s, void *pool, uint64_t *counters, uint64_t now, struct nacre_out *out) { return @_tick(s, pool, counters, now, out); }
static uint64_t @_any_deadline(const void *s) { return @_deadline(s); }
static bool @_any_accepts(const void *s, const void *pool, uint32_t event, uint32_t len) { return @_accepts(s, pool, event, len); }
static void @_any_settle(void *s, void *pool, uint64_t *counters, struct nacre_out *out) { @_settle(s, pool, counters, out); }
static void @_any_discard(void *s, void *pool) { @_discard(s, pool); }
static uint32_t @_any_canonical(const void *s, const void *pool, uint8_t *to, uint32_t max) { return @_canonical(s, pool, to, max); }

