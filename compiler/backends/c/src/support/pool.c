/* What a call may change of a step. */
@_INLINE void @_back(struct @_step *step, const struct @_step *aside) {
    step->kept = aside->kept;
    step->held = aside->held;
    /*@queue step->first = aside->first;
    step->len = aside->len; @*/
    step->outputs = aside->outputs;
    step->segments = aside->segments;
    step->bytes = aside->bytes;
    step->impossible = aside->impossible;
}

/* ---- bytes of messages: a run of pool blocks, the bytes that came with this call, bytes made in this call, or a rope ---- */

#define @_SHORT(b) ((b).block - 1u < 0xffffu) /* in one block of the pool: its number */
#define @_LONG 0x100000u /* in several blocks of the pool: with the number of the first */
#define @_IN 0x10000u   /* lent by the caller of this step */
#define @_MADE 0x20000u /* in out->bytes */
#define @_TEMP 0x40000u /* in step->more->temp, for one statement */
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

/* A run of bytes from a block on, as `block` says it. */
@_INLINE uint32_t @_span(uint32_t number, uint32_t offset, uint32_t len) {
    return offset + len > @_BLOCK ? number | @_LONG : number;
}

@_INLINE struct @_block *@_block(struct @_pool *pool, uint32_t number) {
    return &pool->block[number - 1u];
}

/* For a call that seldom happens: so the bytes need not be in memory before. */
#define @_COPY(b) ((struct @_bytes){.block = (b).block, .offset = (b).offset, .len = (b).len})

/* The number of a fresh block. The step was admitted, so there is one; 0: a bound was wrong, and the bytes are lost. */
@_INLINE uint32_t @_take_block(struct @_pool *pool) {
    if (@_UNLIKELY(pool->free == 0)) { return 0; }
    uint32_t number = pool->first;
    struct @_block *block = @_block(pool, number);
    pool->first = block->after;
    pool->free--;
    block->references = 1;
    block->next = 0;
    return number;
}

/* Freed blocks go to the end of the queue, so that none is used again in the step that freed it: what it lent stays as it is. */
@_INLINE void @_free_block(struct @_pool *pool, uint32_t number) {
    if (@_UNLIKELY(pool->free++ == 0)) {
        pool->first = number;
    } else {
        @_block(pool, pool->last)->after = (uint16_t)number;
    }
    pool->last = number;
}

/* Extends the queue with unused blocks until it holds `n` blocks and a few spare ones; false if the pool has fewer than `n`. The memory of
 * a pool is thus touched only as it is needed. */
@_COLD bool @_grow(struct @_pool *pool, uint64_t n) {
    if (n > (uint64_t)pool->free + pool->fresh) { return false; }
    for (n += 16u; pool->free < n && pool->fresh != 0; pool->fresh--) {
        const uint32_t number = pool->all - pool->fresh + 1u;
        @_block(pool, number)->references = 0;
        @_block(pool, number)->next = 0;
        @_free_block(pool, number);
    }
    return true;
}

/* Whether fewer than `n` blocks are available. */
@_INLINE bool @_lacks(struct @_pool *pool, uint64_t n) { return @_UNLIKELY(pool->free < n) && !@_grow(pool, n); }

@_INLINE void @_leave_block(struct @_pool *pool, uint32_t number) {
    if (--pool->block[number - 1u].references == 0) { @_free_block(pool, number); }
}

/*@rope
@_PLAIN struct @_node *@_node(struct @_pool *pool, uint32_t number) {
    return &pool->nodes[number - 1u];
}

@_PLAIN void @_share_rope(struct @_pool *pool, struct @_bytes b);
@_PLAIN void @_drop_rope(struct @_pool *pool, struct @_bytes b);
@*/
@_COLD void @_share_long(struct @_pool *pool, struct @_bytes b) {
    /*@rope if (b.block & @_ROPE) {
        @_share_rope(pool, b);
        return;
    } @*/
    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
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
    for (uint32_t end = b.offset + b.len, number = b.block & 0xffffu;;) {
        uint32_t next = @_block(pool, number)->next;
        @_leave_block(pool, number);
        if (end <= @_BLOCK) { return; }
        end -= @_BLOCK;
        number = next;
    }
}

/* One more reference to the same bytes. */
@_INLINE void @_share(struct @_pool *pool, struct @_bytes b) {
    if (@_SHORT(b)) {
        @_block(pool, b.block)->references++;
    } else if (@_UNLIKELY((b.block & (@_LONG | @_ROPE)) != 0)) {
        @_share_long(pool, @_COPY(b));
    }
}

@_INLINE void @_drop(struct @_pool *pool, struct @_bytes b) {
    if (@_SHORT(b)) {
        @_leave_block(pool, b.block);
    } else if (@_UNLIKELY((b.block & (@_LONG | @_ROPE)) != 0)) {
        @_drop_long(pool, @_COPY(b));
    }
}

/* The same of bytes in memory: mostly their block alone is read. */
@_INLINE void @_drop_at(struct @_pool *pool, const struct @_bytes *b) {
    if (@_LIKELY(@_SHORT(*b))) {
        @_leave_block(pool, b->block);
    } else if (@_UNLIKELY((b->block & (@_LONG | @_ROPE)) != 0)) {
        @_drop_long(pool, *b);
    }
}

/* Blocks that are freed together: where they end is in registers, and they join the queue at once. */
struct @_chain {
    uint16_t *end; /* where the number of the next block goes */
    uint32_t last, len;
};

/* `first`: the number of the first of them. */
@_INLINE void @_free_chain(struct @_pool *pool, const struct @_chain *chain, uint32_t first) {
    if (chain->len == 0) { return; }
    if (@_UNLIKELY(pool->free == 0)) {
        pool->first = first;
    } else {
        @_block(pool, pool->last)->after = (uint16_t)first;
    }
    pool->free += chain->len;
    pool->last = chain->last;
}

/* As `drop_at`; a block that is freed joins others. */
@_INLINE void @_drop_into(struct @_pool *pool, struct @_chain *chain, uint16_t *first, const struct @_bytes *b) {
    const uint32_t number = b->block;
    if (@_LIKELY(@_SHORT(*b))) {
        struct @_block *block = @_block(pool, number);
        if (--block->references == 0) {
            *chain->end = (uint16_t)number;
            *chain = (struct @_chain){&block->after, number, chain->len + 1u};
        }
    } else if (@_UNLIKELY((number & (@_LONG | @_ROPE)) != 0)) {
        @_free_chain(pool, chain, *first);
        *chain = (struct @_chain){first, 0, 0};
        @_drop_long(pool, *b);
    }
}

/* The bytes at `at` and how many stand there in one run. */
@_PLAIN const uint8_t *@_run(const struct @_step *step, struct @_bytes b, uint32_t at, uint32_t *n) {
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
    /*@temp if (b.block == @_TEMP) { return step->more->temp + at; } @*/
    uint32_t number = b.block & 0xffffu;
    for (; at >= @_BLOCK; at -= @_BLOCK) { number = @_block(step->pool, number)->next; }
    if (left > @_BLOCK - at) { *n = @_BLOCK - at; }
    return @_block(step->pool, number)->bytes + at;
}
/*@aside run@*/

/* Room in out->bytes for bytes that are made; none left: the bound was wrong, which is counted. */
@_PLAIN bool @_can_make(struct @_step *step, uint32_t n) {
    if (@_UNLIKELY(n > step->out->bytes_max - step->bytes)) {
        step->counters[@_BROKEN]++;
        return false;
    }
    return true;
}
/*@aside can_make@*/

@_PLAIN void @_read(const struct @_step *step, struct @_bytes b, uint8_t *to) {
    for (uint32_t at = 0, n = 0; at < b.len; at += n) {
        const uint8_t *from = @_run(step, b, at, &n);
        memcpy(to + at, from, n);
    }
}
/*@aside read@*/

@_PLAIN uint8_t @_byte(const struct @_step *step, struct @_bytes b, uint64_t at) {
    uint32_t n;
    return at < b.len ? *@_run(step, b, (uint32_t)at, &n) : 0;
}
/*@aside byte@*/

/* A copy in as many blocks as it takes. */
@_COLD uint32_t @_keep_whole(struct @_step *step, const uint8_t *from, uint32_t len) {
    if (@_lacks(step->pool, len / @_BLOCK + (len % @_BLOCK != 0))) {
        step->counters[@_BROKEN]++;
        return 0;
    }
    uint32_t first = 0, last = 0;
    for (uint32_t at = 0; at < len; at += @_BLOCK) {
        uint32_t number = @_take_block(step->pool);
        memcpy(@_block(step->pool, number)->bytes, from + at, len - at < @_BLOCK ? len - at : @_BLOCK);
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
@_PLAIN struct @_bytes @_keep_rope(struct @_step *step, struct @_bytes b);
@*/
@_COLD struct @_bytes @_keep_made(struct @_step *step, struct @_bytes b) {
    /*@rope if (b.block & @_ROPE) { return @_keep_rope(step, b); } @*/
    if (b.block & @_LONG) { return b; }
    uint32_t first = @_keep_whole(step, step->out->bytes + b.offset, b.len);
    b.block = first != 0 ? @_span(first, 0, b.len) : 0;
    b.offset = 0;
    if (first == 0) { b.len = 0; }
    return b;
}
/*@aside keep_made@*/

/* Bytes of this call that take several blocks: the step holds them, so that parts can be shared. */
@_COLD struct @_bytes @_keep_long(struct @_step *step, struct @_bytes b) {
    if (!step->held) {
        step->kept = @_keep_whole(step, step->in, step->in_len);
        step->held = step->kept != 0;
    }
    uint32_t number = step->kept;
    if (number == 0) { return (struct @_bytes){.block = 0}; }
    for (; b.offset >= @_BLOCK; b.offset -= @_BLOCK) { number = @_block(step->pool, number)->next; }
    b.block = @_span(number, b.offset, b.len);
    @_share(step->pool, b);
    return b;
}
/*@aside keep_long@*/

/* Takes a block out of the free ones, where this step has put it: its bytes are as they were. So a step takes no more fresh
 * blocks than it was admitted for, in whatever order its events run, and what it has lent stays as it is. */
@_COLD void @_take_again(struct @_pool *pool, uint32_t number) {
    uint32_t before = 0;
    uint32_t at = pool->first;
    for (uint32_t left = pool->free; left > 1u && at != number; left--) {
        before = at;
        at = @_block(pool, at)->after;
    }
    struct @_block *block = @_block(pool, number);
    if (before == 0) {
        pool->first = block->after;
    } else {
        @_block(pool, before)->after = block->after;
    }
    if (pool->last == number) { pool->last = before; }
    pool->free--;
    block->references = 1;
    block->next = 0;
}

/* The same bytes, in the pool: what is stored must outlive the step. The bytes of this call go there as a whole, once. */
@_INLINE struct @_bytes @_keep(struct @_step *step, struct @_bytes b) {
    if (b.block == @_IN) {
        if (@_UNLIKELY(b.len == 0)) { return (struct @_bytes){.block = 0}; }
        if (@_UNLIKELY(step->in_len > @_BLOCK)) { return @_keep_long@aside(step, @_COPY(b)); }
        if (@_UNLIKELY(step->kept != 0)) {
            if (@_block(step->pool, step->kept)->references > 0) {
                @_block(step->pool, step->kept)->references++;
            } else {
                @_take_again(step->pool, step->kept);
            }
        } else {
            if (@_lacks(step->pool, 1u)) {
                step->counters[@_BROKEN]++;
                return (struct @_bytes){.block = 0};
            }
            step->kept = @_take_block(step->pool);
            @_copy(@_block(step->pool, step->kept)->bytes, step->in, step->in_len);
        }
        b.block = step->kept;
    } else if (@_UNLIKELY(b.block > 0xffffu)) {
        b = @_keep_made@aside(step, @_COPY(b));
    }
    return b;
}

/*@rope
@_PLAIN struct @_bytes @_slice_rope(struct @_step *step, struct @_bytes b, uint32_t at, uint32_t n);
@*/
/* Bytes `at .. at + n`, clamped; a reference of its own. */
@_PLAIN struct @_bytes @_slice(struct @_step *step, struct @_bytes b, uint64_t at, uint64_t n) {
    uint32_t from = at < b.len ? (uint32_t)at : b.len;
    uint32_t len = n < b.len - from ? (uint32_t)n : b.len - from;
    if (len == 0) { return (struct @_bytes){.block = 0}; }
    /*@rope if (b.block & @_ROPE) { return @_slice_rope(step, b, from, len); } @*/
    b.offset += from;
    b.len = len;
    if (@_SHORT(b) || b.block & @_LONG) {
        uint32_t number = b.block & 0xffffu;
        for (; b.offset >= @_BLOCK; b.offset -= @_BLOCK) { number = @_block(step->pool, number)->next; }
        b.block = @_span(number, b.offset, b.len);
        @_share(step->pool, b);
    }
    return b;
}
/*@aside slice@*/

@_PLAIN struct @_bytes @_long_rest(struct @_step *step, struct @_bytes b, uint64_t n) {
    struct @_bytes rest = @_slice(step, b, n, UINT32_MAX);
    @_drop(step->pool, b);
    return rest;
}
/*@aside long_rest@*/

/* The bytes after the first `n`, which are released. */
@_INLINE struct @_bytes @_rest(struct @_step *step, struct @_bytes b, uint64_t n) {
    if (@_UNLIKELY((b.block != @_MADE && b.block != @_IN) || n >= b.len)) { return @_long_rest@aside(step, b, n); }
    b.offset += (uint32_t)n;
    b.len -= (uint32_t)n;
    return b;
}

/* Bytes made in this step begin at `from` in out->bytes. */
@_PLAIN struct @_bytes @_made(const struct @_step *step, uint32_t from) {
    uint32_t len = step->bytes - from;
    return (struct @_bytes){.block = len ? @_MADE : 0, .offset = len ? from : 0, .len = len};
}
/*@aside made@*/
/*@rope

/* ---- ropes: bytes in pieces ---- */

@_PLAIN uint32_t @_take_node(struct @_step *step, struct @_bytes b) {
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

@_PLAIN void @_share_rope(struct @_pool *pool, struct @_bytes b) {
    @_node(pool, b.block & ~@_ROPE)->references++;
}

@_PLAIN void @_drop_rope(struct @_pool *pool, struct @_bytes b) {
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
@_PLAIN void @_append_piece(struct @_step *step, struct @_twine *twine, struct @_bytes b) {
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
@_PLAIN void @_append(struct @_step *step, struct @_twine *twine, struct @_bytes b) {
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

@_PLAIN struct @_bytes @_slice_rope(struct @_step *step, struct @_bytes b, uint32_t at, uint32_t n) {
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

/* Copied into one run of blocks, so that no piece outlives the step. */
@_PLAIN struct @_bytes @_keep_rope(struct @_step *step, struct @_bytes b) {
    uint32_t first = 0, last = 0;
    if (@_lacks(step->pool, b.len / @_BLOCK + (b.len % @_BLOCK != 0))) {
        step->counters[@_BROKEN]++;
        @_drop(step->pool, b);
        return (struct @_bytes){.block = 0};
    }
    for (uint32_t at = 0; at < b.len; at += @_BLOCK) {
        uint32_t number = @_take_block(step->pool), len = b.len - at < @_BLOCK ? b.len - at : @_BLOCK;
        for (uint32_t done = 0, n = 0; done < len; done += n) {
            const uint8_t *from = @_run(step, b, at + done, &n);
            if (n > len - done) { n = len - done; }
            memcpy(@_block(step->pool, number)->bytes + done, from, n);
        }
        if (first == 0) {
            first = number;
        } else {
            @_block(step->pool, last)->next = (uint16_t)number;
        }
        last = number;
    }
    @_drop(step->pool, b);
    return (struct @_bytes){.block = @_span(first, 0, b.len), .len = b.len};
}
@*/
/*@aside append@*/
