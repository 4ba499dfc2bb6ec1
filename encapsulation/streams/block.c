/* Message blocks and data blocks: allocation, references, release.
 *
 * A chunk holds a message block, a data block and the data. A message block that `dupb` makes is separate. A chunk
 * is free when neither its message block nor its data block is in use; free chunks of each size are kept. */
#define STR_PREFIXED
#include "inside.h"

#include <limits.h>

struct chunk {
    struct msgb block;
    struct datab data;
};

_Static_assert(sizeof(struct chunk) % 16 == 0, "data is aligned");
_Static_assert(offsetof(struct chunk, block) == 0, "a chunk has the address of its message block");

#define SEPARATE 1 /* b_spare: made by dupb */
#define BLOCK_USED 1 /* db_spare: the chunk's message block is in use */

#if defined(__SANITIZE_ADDRESS__)
#define DEFAULT_CACHE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DEFAULT_CACHE 0
#endif
#endif
#ifndef DEFAULT_CACHE
#define DEFAULT_CACHE 1024
#endif

static inline unsigned size_class(size_t size) {
    return size <= 64 ? 1 : size <= 65536 ? 59U - (unsigned)__builtin_clzl(size - 1) : SIZE_LARGE;
}

static inline struct datab *own_data(mblk_t *block) {
    return (struct datab *)((uintptr_t)block + offsetof(struct chunk, data));
}

static inline struct chunk *chunk_of(struct datab *data) {
    return (struct chunk *)((uintptr_t)data - offsetof(struct chunk, data));
}

static inline void fresh(mblk_t *block, unsigned char *start) {
    block->b_next = block->b_prev = block->b_cont = NULL;
    block->b_rptr = block->b_wptr = start;
    block->b_band = block->b_spare = 0;
    block->b_flag = 0;
}

/* The size of a chunk in bytes, with headers. */
static inline size_t chunk_size(const struct datab *data) {
    const struct str_pool *pool = data->db_pool;
    return data->db_size == SIZE_LARGE ? pool->size + (size_t)(data->db_lim - data->db_base) : pool->size;
}

void pools_open(struct str_host *host) {
    int cache = host->environment.cache;
    unsigned limit = cache < 0 ? 0 : cache == 0 ? DEFAULT_CACHE : (unsigned)cache;
    for (unsigned i = 0; i < SIZES; i++) {
        size_t data = i == SIZE_NONE || i == SIZE_LARGE ? 0 : (size_t)64 << (i - 1);
        struct str_pool *pool = &host->pools[i];
        pool->host = host;
        pool->size = sizeof(struct chunk) + data;
        /* Of large ones fewer are kept: at most 4 MiB a size. */
        size_t most = (size_t)4194304 / pool->size;
        pool->limit = i == SIZE_LARGE ? 0 : most < limit ? (unsigned)most : limit;
    }
    host->blocks = (struct str_pool){.host = host, .size = sizeof(struct msgb), .limit = limit};
}

static void give_up(struct str_host *host, void *memory, size_t size) {
    host->bytes -= size;
    host->held--;
    host_release(host, memory, size);
}

static void pool_empty(struct str_pool *pool) {
    while (pool->free) {
        mblk_t *block = pool->free;
        pool->free = block->b_next;
        give_up(pool->host, block, pool->size);
    }
    pool->count = 0;
}

static void pools_empty(struct str_host *host) {
    for (unsigned i = 0; i < SIZES; i++)
        pool_empty(&host->pools[i]);
    pool_empty(&host->blocks);
}

void pools_close(struct str_host *host) {
    for (unsigned i = 0; i < SIZES; i++)
        host->pools[i].limit = 0;
    host->blocks.limit = 0;
    pools_empty(host);
}

/* Memory of the program's. What is kept counts against the limit, and is given up first. */
static void *obtain(struct str_host *host, size_t size) {
    void *memory = size <= host->memory - host->bytes ? host_allocate(host, size) : NULL;
    if (!memory) {
        pools_empty(host);
        memory = size <= host->memory - host->bytes ? host_allocate(host, size) : NULL;
    }
    if (memory) {
        host->bytes += size;
        host->held++;
    }
    return memory;
}

static __attribute__((noinline)) mblk_t *allocate_chunk(struct str_pool *pool, unsigned class, size_t size) {
    size_t whole = class == SIZE_LARGE ? pool->size + size : pool->size;
    struct chunk *chunk = size <= (size_t)INT_MAX ? obtain(pool->host, whole) : NULL;
    if (!chunk)
        return NULL;
    unsigned char *start = (unsigned char *)(chunk + 1);
    fresh(&chunk->block, start);
    chunk->block.b_datap = &chunk->data;
    chunk->data = (struct datab){.db_base = start,
                                 .db_lim = (unsigned char *)chunk + whole,
                                 .db_ref = 1,
                                 .db_size = (unsigned char)class,
                                 .db_spare = BLOCK_USED,
                                 .db_pool = pool};
    return &chunk->block;
}

/* A chunk of a size that is kept. */
static inline mblk_t *take_chunk(struct str_host *host, unsigned class, size_t size) {
    struct str_pool *pool = &host->pools[class];
    mblk_t *block = pool->free;
    if (!block)
        return allocate_chunk(pool, class, size);
    struct datab *data = own_data(block);
    pool->free = block->b_next;
    pool->count--;
    fresh(block, data->db_base);
    /* These are stored at once. */
    data->db_ref = 1;
    data->db_type = M_DATA;
    data->db_size = (unsigned char)class;
    data->db_spare = BLOCK_USED;
    return block;
}

static inline mblk_t *take(struct str_host *host, size_t size) {
    return take_chunk(host, size_class(size), size);
}

mblk_t *str_allocb(size_t size, unsigned priority) {
    (void)priority;
    struct str_host *host = current_host;
    if (!host)
        return NULL;
    return size <= 64 ? take_chunk(host, 1, size) : take(host, size);
}

/* A message block and its data block are always of one host. */
mblk_t *block_like(const mblk_t *block, size_t size) { return take(block->b_datap->db_pool->host, size); }

mblk_t *str_esballoc(unsigned char *base, size_t size, int priority, frtn_t *release) {
    (void)priority;
    struct str_host *host = current_host;
    mblk_t *block = host && base && release ? take_chunk(host, SIZE_NONE, 0) : NULL;
    if (!block)
        return NULL;
    struct datab *data = block->b_datap;
    block->b_rptr = block->b_wptr = data->db_base = base;
    data->db_lim = base + size;
    data->db_frtnp = release;
    return block;
}

/* Both parts of a chunk are free. */
static inline void drop_chunk(struct chunk *chunk) {
    struct str_pool *pool = chunk->data.db_pool;
    if (pool->count < pool->limit) {
        chunk->block.b_datap = &chunk->data;
        chunk->block.b_next = pool->free;
        pool->free = &chunk->block;
        pool->count++;
    } else {
        give_up(pool->host, chunk, chunk_size(&chunk->data));
    }
}

/* The last reference has gone. */
static inline void drop_data(struct datab *data) {
    struct free_rtn *release = data->db_frtnp;
    if (release) {
        data->db_frtnp = NULL;
        release->free_func(release->free_arg);
    }
    if (!(data->db_spare & BLOCK_USED)) {
        data->db_pool->host->headless--;
        drop_chunk(chunk_of(data));
    }
}

static inline void drop_block(struct str_pool *separate, mblk_t *block) {
    if (block->b_spare & SEPARATE) {
        if (separate->count < separate->limit) {
            block->b_next = separate->free;
            separate->free = block;
            separate->count++;
        } else {
            give_up(separate->host, block, sizeof *block);
        }
        return;
    }
    struct datab *data = own_data(block);
    data->db_spare &= (unsigned short)~BLOCK_USED;
    if (data->db_ref == 0)
        drop_chunk(chunk_of(data));
    else
        separate->host->headless++;
}

static __attribute__((noinline)) void free_slowly(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_host *host = data->db_pool->host;
    /* The data first: its routine may look at other blocks, and the message block keeps the chunk meanwhile. */
    if (--data->db_ref == 0)
        drop_data(data);
    drop_block(&host->blocks, block);
    if (host->closed)
        host_finish(host);
}

void str_freeb(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_pool *pool = data->db_pool;
    if (data != own_data(block) || data->db_ref != 1 || data->db_frtnp || pool->count >= pool->limit) {
        free_slowly(block);
        return;
    }
    block->b_next = pool->free;
    pool->free = block;
    pool->count++;
}

mblk_t *str_dupb(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_pool *pool = &data->db_pool->host->blocks;
    if (data->db_ref == UINT_MAX)
        return NULL;
    mblk_t *copy = pool->free;
    if (copy) {
        pool->free = copy->b_next;
        pool->count--;
    } else if (!(copy = obtain(pool->host, sizeof *copy))) {
        return NULL;
    }
    *copy = (mblk_t){.b_rptr = block->b_rptr,
                     .b_wptr = block->b_wptr,
                     .b_datap = data,
                     .b_band = block->b_band,
                     .b_spare = SEPARATE,
                     .b_flag = block->b_flag};
    data->db_ref++;
    return copy;
}

size_t str_live_blocks(struct str_host *host) {
    size_t free = host->blocks.count + host->headless;
    for (unsigned i = 0; i < SIZES; i++)
        free += host->pools[i].count;
    return host->held - free;
}

size_t str_live_bytes(struct str_host *host) {
    size_t free = host->blocks.count * host->blocks.size;
    for (unsigned i = 0; i < SIZES; i++)
        free += host->pools[i].count * host->pools[i].size;
    return host->bytes - free;
}
