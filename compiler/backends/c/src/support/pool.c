/* ---- bytes of messages: a run of pool blocks, the bytes that came with this call, bytes made in this call, or a rope ---- */

#define @_POOLED(b) ((b).block - 1u < 0xffffu)
#define @_IN 0x10000u   /* lent by the caller of this step */
#define @_MADE 0x20000u /* in out->bytes */
#define @_TEMP 0x40000u /* in step->temp, for one statement */
#define @_ROPE 0x80000000u

/* Of variable length: a few moves for what is short. */
@_INLINE void @_copy(uint8_t *to, const uint8_t *from, uint32_t n) {
    if (n > 32u) {
        memcpy(to, from, n);
    } else if (n >= 16u) {
        uint64_t first[2], last[2];
        memcpy(first, from, 16);
        memcpy(last, from + n - 16u, 16);
        memcpy(to, first, 16);
        memcpy(to + n - 16u, last, 16);
    } else if (n >= 8u) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + n - 8u, 8);
        memcpy(to, &first, 8);
        memcpy(to + n - 8u, &last, 8);
    } else {
        for (uint32_t i = 0; i < n; i++) { to[i] = from[i]; }
    }
}

@_INLINE struct @_block *@_block(struct @_pool *pool, uint32_t number) {
    return &pool->block[number - 1u];
}

/* For a call that seldom happens: so the bytes need not be in memory before. */
#define @_COPY(b) ((struct @_bytes){.block = (b).block, .offset = (b).offset, .len = (b).len})

/* A fresh block with so many references. The step was admitted, so there is one; where a bound was wrong the bytes are lost. */
@_INLINE struct @_block *@_take_block(struct @_pool *pool, uint16_t references) {
    if (@_UNLIKELY(pool->free == 0)) { return NULL; }
    struct @_block *block = &pool->block[pool->block[pool->first].ring - 1];
    pool->first = pool->first + 1u == pool->blocks ? 0 : pool->first + 1u;
    pool->free--;
    block->references = references;
    block->next = 0;
    return block;
}

/* Freed blocks go to the end of the ring, so that none is used again in the step that freed it: what it lent stays as it is. */
@_INLINE void @_free_block(struct @_pool *pool, uint32_t number) {
    uint32_t at = pool->first + pool->free;
    if (at >= pool->blocks) { at -= pool->blocks; }
    pool->block[at].ring = (uint16_t)number;
    pool->free++;
}

@_INLINE void @_leave_block(struct @_pool *pool, uint32_t number) {
    if (--pool->block[number - 1u].references == 0) { @_free_block(pool, number); }
}

/*@rope
static struct @_node *@_node(struct @_pool *pool, uint32_t number) {
    return &pool->block[(number - 1u) / @_NODES].node[(number - 1u) % @_NODES];
}

static void @_share_rope(struct @_pool *pool, struct @_bytes b);
static void @_drop_rope(struct @_pool *pool, struct @_bytes b);
@*/
@_COLD void @_share_long(struct @_pool *pool, struct @_bytes b) {
    /*@rope if (b.block & @_ROPE) {
        @_share_rope(pool, b);
        return;
    } @*/
    for (uint32_t end = b.offset + b.len, number = b.block;;) {
        @_block(pool, number)->references++;
        if (end <= @_BLOCK) { return; }
        end -= @_BLOCK;
        number = @_block(pool, number)->next;
    }
}

@_COLD void @_drop_long(struct @_pool *pool, struct @_bytes b) {
    /*@rope if (b.block & @_ROPE) {
        @_drop_rope(pool, b);
        return;
    } @*/
    for (uint32_t end = b.offset + b.len, number = b.block;;) {
        uint32_t next = @_block(pool, number)->next;
        @_leave_block(pool, number);
        if (end <= @_BLOCK) { return; }
        end -= @_BLOCK;
        number = next;
    }
}

/* One more reference to the same bytes. */
@_INLINE void @_share(struct @_pool *pool, struct @_bytes b) {
    if (@_POOLED(b)) {
        if (@_LIKELY(b.offset + b.len <= @_BLOCK)) {
            @_block(pool, b.block)->references++;
        } else {
            @_share_long(pool, @_COPY(b));
        }
    } /*@rope else if (@_UNLIKELY((b.block & @_ROPE) != 0)) {
        @_share_long(pool, @_COPY(b));
    } @*/
}

@_INLINE void @_drop(struct @_pool *pool, struct @_bytes b) {
    if (@_POOLED(b)) {
        if (@_LIKELY(b.offset + b.len <= @_BLOCK)) {
            @_leave_block(pool, b.block);
        } else {
            @_drop_long(pool, @_COPY(b));
        }
    } /*@rope else if (@_UNLIKELY((b.block & @_ROPE) != 0)) {
        @_drop_long(pool, @_COPY(b));
    } @*/
}

/* The bytes at `at` and how many stand there in one run. */
static const uint8_t *@_run(const struct @_step *step, struct @_bytes b, uint32_t at, uint32_t *n) {
    uint32_t left = b.len - at;
    at += b.offset;
    /*@rope if (b.block & @_ROPE) {
        const struct @_node *node = @_node(step->pool, b.block & ~@_ROPE);
        for (; at >= node->bytes.len; node = @_node(step->pool, node->next)) { at -= node->bytes.len; }
        if (left > node->bytes.len - at) { left = node->bytes.len - at; }
        at += node->bytes.offset;
        b = node->bytes;
    } @*/
    *n = left;
    if (b.block == @_IN) { return step->in + at; }
    if (b.block == @_MADE) { return step->out->bytes + at; }
    /*@temp if (b.block == @_TEMP) { return step->temp + at; } @*/
    for (; at >= @_BLOCK; at -= @_BLOCK) { b.block = @_block(step->pool, b.block)->next; }
    if (left > @_BLOCK - at) { *n = @_BLOCK - at; }
    return @_block(step->pool, b.block)->bytes + at;
}

/* Room in out->bytes for bytes that are made; none left: the bound was wrong, which is counted. */
@_PLAIN bool @_can_make(struct @_step *step, uint32_t n) {
    if (@_UNLIKELY(n > step->out->bytes_max - step->out->bytes_len)) {
        step->counters[@_BROKEN]++;
        return false;
    }
    return true;
}

@_PLAIN void @_read(const struct @_step *step, struct @_bytes b, uint8_t *to) {
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = @_run(step, b, at, &n);
        memcpy(to + at, from, n);
    }
}

@_PLAIN uint8_t @_byte(const struct @_step *step, struct @_bytes b, uint64_t at) {
    uint32_t n;
    return at < b.len ? *@_run(step, b, (uint32_t)at, &n) : 0;
}

/* A copy in as many blocks as it takes. */
@_COLD uint32_t @_keep_whole(struct @_step *step, const uint8_t *from, uint32_t len) {
    if (@_UNLIKELY(len / @_BLOCK + (len % @_BLOCK != 0) > step->pool->free)) {
        step->counters[@_BROKEN]++;
        return 0;
    }
    uint32_t first = 0, last = 0;
    for (uint32_t at = 0; at < len; at += @_BLOCK) {
        struct @_block *block = @_take_block(step->pool, 1);
        uint32_t number = block->number;
        memcpy(block->bytes, from + at, len - at < @_BLOCK ? len - at : @_BLOCK);
        if (first == 0) {
            first = number;
        } else {
            @_block(step->pool, last)->next = (uint16_t)number;
        }
        last = number;
    }
    return first;
}

/*@rope
static struct @_bytes @_keep_rope(struct @_step *step, struct @_bytes b);
@*/
@_COLD struct @_bytes @_keep_made(struct @_step *step, struct @_bytes b) {
    /*@rope if (b.block & @_ROPE) { return @_keep_rope(step, b); } @*/
    b.block = @_keep_whole(step, step->out->bytes + b.offset, b.len);
    b.offset = 0;
    if (b.block == 0) { b.len = 0; }
    return b;
}

/* Bytes of this call that take several blocks. */
@_COLD struct @_bytes @_keep_long(struct @_step *step, struct @_bytes b) {
    if (step->kept == 0) { step->kept = @_keep_whole(step, step->in, step->in_len); }
    b.block = step->kept;
    if (b.block == 0) { return (struct @_bytes){.block = 0}; }
    for (; b.offset >= @_BLOCK; b.offset -= @_BLOCK) { b.block = @_block(step->pool, b.block)->next; }
    @_share(step->pool, b);
    return b;
}

/* The same bytes, in the pool: what is stored must outlive the step. The bytes of this call go there at most once a step, as a
 * whole; the step holds a reference to them. */
@_INLINE struct @_bytes @_keep(struct @_step *step, struct @_bytes b) {
    if (b.block == @_IN) {
        if (@_UNLIKELY(b.len == 0)) { return (struct @_bytes){.block = 0}; }
        if (@_UNLIKELY(step->in_len > @_BLOCK)) { return @_keep_long(step, @_COPY(b)); }
        if (@_LIKELY(step->kept == 0)) {
            struct @_block *block = @_take_block(step->pool, 2);
            if (@_UNLIKELY(block == NULL)) {
                step->counters[@_BROKEN]++;
                return (struct @_bytes){.block = 0};
            }
            @_copy(block->bytes, step->in, step->in_len);
            step->kept = block->number;
        } else {
            @_block(step->pool, step->kept)->references++;
        }
        b.block = step->kept;
    } else if (@_UNLIKELY(b.block > 0xffffu)) {
        b = @_keep_made(step, @_COPY(b));
    }
    return b;
}

/*@rope
static struct @_bytes @_slice_rope(struct @_step *step, struct @_bytes b, uint32_t at, uint32_t n);
@*/
/* Bytes `at .. at + n`, clamped; a reference of its own. */
@_PLAIN struct @_bytes @_slice(struct @_step *step, struct @_bytes b, uint64_t at, uint64_t n) {
    uint32_t from = at < b.len ? (uint32_t)at : b.len;
    uint32_t len = n < b.len - from ? (uint32_t)n : b.len - from;
    if (len == 0) { return (struct @_bytes){.block = 0}; }
    /*@rope if (b.block & @_ROPE) { return @_slice_rope(step, b, from, len); } @*/
    b.offset += from;
    b.len = len;
    if (@_POOLED(b)) {
        for (; b.offset >= @_BLOCK; b.offset -= @_BLOCK) { b.block = @_block(step->pool, b.block)->next; }
        @_share(step->pool, b);
    }
    return b;
}

@_PLAIN struct @_bytes @_rest(struct @_step *step, struct @_bytes b, uint64_t n) {
    struct @_bytes rest = @_slice(step, b, n, UINT32_MAX);
    @_drop(step->pool, b);
    return rest;
}

/* Bytes made in this step begin at `from` in out->bytes. */
@_PLAIN struct @_bytes @_made(const struct @_step *step, uint32_t from) {
    uint32_t len = step->out->bytes_len - from;
    return (struct @_bytes){.block = len ? @_MADE : 0, .offset = len ? from : 0, .len = len};
}
/*@rope

/* ---- ropes: bytes in pieces ---- */

static uint32_t @_take_node(struct @_step *step, struct @_bytes b) {
    uint32_t number = step->pool->node;
    if (number == 0) {
        step->counters[@_BROKEN]++;
        @_drop(step->pool, b);
        return 0;
    }
    struct @_node *node = @_node(step->pool, number);
    step->pool->node = node->next;
    node->bytes = b;
    node->next = 0;
    node->references = 1;
    return number;
}

static void @_share_rope(struct @_pool *pool, struct @_bytes b) {
    @_node(pool, b.block & ~@_ROPE)->references++;
}

static void @_drop_rope(struct @_pool *pool, struct @_bytes b) {
    uint32_t number = b.block & ~@_ROPE;
    if (--@_node(pool, number)->references > 0) { return; }
    while (number != 0) {
        struct @_node *node = @_node(pool, number);
        uint32_t next = node->next;
        @_drop(pool, node->bytes);
        node->next = pool->node;
        pool->node = number;
        number = next;
    }
}

/* A rope under construction. It never has an empty piece, and is none with fewer than two. */
struct @_twine {
    struct @_bytes bytes;
    uint32_t last;
};

/* Appends a piece that is not a rope; takes it over. */
static void @_append_piece(struct @_step *step, struct @_twine *twine, struct @_bytes b) {
    if (b.len == 0) { return; }
    if (twine->bytes.len == 0) {
        twine->bytes = b;
        return;
    }
    if (!(twine->bytes.block & @_ROPE)) {
        uint32_t first = @_take_node(step, twine->bytes);
        if (first == 0) {
            twine->bytes = b;
            return;
        }
        twine->bytes = (struct @_bytes){.block = @_ROPE | first, .len = twine->bytes.len};
        twine->last = first;
    }
    uint32_t number = @_take_node(step, b);
    if (number == 0) { return; }
    @_node(step->pool, twine->last)->next = number;
    twine->last = number;
    twine->bytes.len += b.len;
}

/* Appends bytes of any kind; takes them over. */
static void @_append(struct @_step *step, struct @_twine *twine, struct @_bytes b) {
    if (!(b.block & @_ROPE)) {
        @_append_piece(step, twine, b);
        return;
    }
    for (uint32_t number = b.block & ~@_ROPE; number != 0; number = @_node(step->pool, number)->next) {
        struct @_bytes piece = @_node(step->pool, number)->bytes;
        @_share(step->pool, piece);
        @_append_piece(step, twine, piece);
    }
    @_drop(step->pool, b);
}

static struct @_bytes @_slice_rope(struct @_step *step, struct @_bytes b, uint32_t at, uint32_t n) {
    struct @_twine twine = {.last = 0};
    for (uint32_t number = b.block & ~@_ROPE; number != 0 && n > 0; number = @_node(step->pool, number)->next) {
        struct @_bytes piece = @_node(step->pool, number)->bytes;
        if (at >= piece.len) {
            at -= piece.len;
            continue;
        }
        struct @_bytes part = @_slice(step, piece, at, n);
        n -= part.len;
        at = 0;
        @_append_piece(step, &twine, part);
    }
    return twine.bytes;
}

static struct @_bytes @_keep_rope(struct @_step *step, struct @_bytes b) {
    bool kept = true;
    for (uint32_t number = b.block & ~@_ROPE; number != 0; number = @_node(step->pool, number)->next) {
        kept = kept && @_node(step->pool, number)->bytes.block <= 0xffffu;
    }
    if (kept) { return b; }
    struct @_twine twine = {.last = 0};
    for (uint32_t number = b.block & ~@_ROPE; number != 0; number = @_node(step->pool, number)->next) {
        struct @_bytes piece = @_node(step->pool, number)->bytes;
        if (@_POOLED(piece)) { @_share(step->pool, piece); }
        @_append_piece(step, &twine, @_keep(step, piece));
    }
    @_drop(step->pool, b);
    return twine.bytes;
}
@*/
