/* Message blocks and data blocks: allocation, references, release.
 *
 * A chunk holds a message block, a data block and the data. A message block that `dupb` makes is separate. A chunk
 * is free when neither its message block nor its data block is in use; free chunks of each size are kept. */
#define STR_PREFIXED
#include "inside.h"

#include <limits.h>
#include <string.h>

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
    return 59U - (unsigned)__builtin_clzl((size - (size != 0)) | 63);
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
static inline size_t chunk_size(const struct str_host *host, const struct datab *data) {
    return data->db_size == SIZE_LARGE ? sizeof(struct chunk) + (size_t)(data->db_lim - data->db_base)
                                       : host->pools[data->db_size].size;
}

void pools_open(struct str_host *host) {
    int cache = host->environment.cache;
    unsigned limit = cache < 0 ? 0 : cache == 0 ? DEFAULT_CACHE : (unsigned)cache;
    for (unsigned i = 0; i < SIZES; i++) {
        size_t data = i == SIZE_NONE || i == SIZE_LARGE ? 0 : (size_t)64 << (i - 1);
        host->pools[i].size = sizeof(struct chunk) + data;
        /* Of large ones fewer are kept: at most 4 MiB a size. */
        size_t most = (size_t)4194304 / host->pools[i].size;
        host->pools[i].limit = i == SIZE_LARGE ? 0 : most < limit ? (unsigned)most : limit;
    }
    host->blocks.size = sizeof(struct msgb);
    host->blocks.limit = limit;
}

static void pool_empty(struct str_host *host, struct pool *pool) {
    while (pool->free) {
        mblk_t *block = pool->free;
        pool->free = block->b_next;
        host_release(host, block, pool->size);
    }
    pool->count = 0;
}

static void pools_empty(struct str_host *host) {
    for (unsigned i = 0; i < SIZES; i++)
        pool_empty(host, &host->pools[i]);
    pool_empty(host, &host->blocks);
}

void pools_close(struct str_host *host) {
    for (unsigned i = 0; i < SIZES; i++)
        host->pools[i].limit = 0;
    host->blocks.limit = 0;
    pools_empty(host);
}

/* Memory of the program's, or of what is kept. */
static void *obtain(struct str_host *host, size_t size) {
    void *memory = host_allocate(host, size);
    if (!memory) {
        pools_empty(host);
        memory = host_allocate(host, size);
    }
    return memory;
}

static __attribute__((noinline)) mblk_t *allocate_chunk(struct str_host *host, unsigned class, size_t size) {
    size_t whole = class == SIZE_LARGE ? sizeof(struct chunk) + size : host->pools[class].size;
    if (size > (size_t)INT_MAX || whole > host->memory - host->bytes)
        return NULL;
    struct chunk *chunk = obtain(host, whole);
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
                                 .db_host = host};
    host->bytes += whole;
    host->live++;
    return &chunk->block;
}

/* A chunk of a size that is kept. */
static inline mblk_t *take_chunk(struct str_host *host, unsigned class, size_t size) {
    struct pool *pool = &host->pools[class];
    mblk_t *block = pool->free;
    if (!block || pool->size > host->memory - host->bytes)
        return allocate_chunk(host, class, size);
    struct datab *data = own_data(block);
    pool->free = block->b_next;
    pool->count--;
    host->bytes += pool->size;
    host->live++;
    fresh(block, data->db_base);
    data->db_type = M_DATA;
    data->db_ref = 1;
    data->db_spare = BLOCK_USED;
    return block;
}

static inline mblk_t *take(struct str_host *host, size_t size) {
    unsigned class = size_class(size);
    return take_chunk(host, class < SIZE_LARGE ? class : SIZE_LARGE, size);
}

mblk_t *str_allocb(size_t size, unsigned priority) {
    (void)priority;
    struct str_host *host = current_host;
    return host ? take(host, size) : NULL;
}

/* A message block and its data block are always of one host. */
mblk_t *block_like(const mblk_t *block, size_t size) { return take(block->b_datap->db_host, size); }

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
static void drop_chunk(struct str_host *host, struct chunk *chunk) {
    struct pool *pool = &host->pools[chunk->data.db_size];
    size_t size = chunk_size(host, &chunk->data);
    host->bytes -= size;
    if (pool->count < pool->limit) {
        chunk->block.b_datap = &chunk->data;
        chunk->block.b_next = pool->free;
        pool->free = &chunk->block;
        pool->count++;
    } else {
        host_release(host, chunk, size);
    }
}

static void drop_data(struct datab *data) {
    struct str_host *host = data->db_host;
    struct free_rtn *release = data->db_frtnp;
    if (--data->db_ref > 0)
        return;
    if (release) {
        data->db_frtnp = NULL;
        release->free_func(release->free_arg);
    }
    if (!(data->db_spare & BLOCK_USED))
        drop_chunk(host, chunk_of(data));
}

/* The general release; `host` is the block's owner. Its data is no more counted as its. */
static void drop_block(struct str_host *host, mblk_t *block) {
    if (block->b_spare & SEPARATE) {
        host->bytes -= sizeof *block;
        if (host->blocks.count < host->blocks.limit) {
            block->b_next = host->blocks.free;
            host->blocks.free = block;
            host->blocks.count++;
        } else {
            host_release(host, block, sizeof *block);
        }
        return;
    }
    struct datab *data = own_data(block);
    data->db_spare &= (unsigned short)~BLOCK_USED;
    if (data->db_ref == 0)
        drop_chunk(host, chunk_of(data));
}

static __attribute__((noinline)) void free_slowly(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_host *host = data->db_host;
    /* The data first: its routine may look at other blocks, and the message block keeps the chunk meanwhile. */
    drop_data(data);
    drop_block(host, block);
    if (--host->live == 0 && host->closed)
        host_finish(host);
}

void str_freeb(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_host *host = data->db_host;
    struct pool *pool = &host->pools[data->db_size];
    if (data != own_data(block) || data->db_ref != 1 || data->db_frtnp || pool->count >= pool->limit) {
        free_slowly(block);
        return;
    }
    data->db_ref = 0;
    data->db_spare = 0;
    block->b_next = pool->free;
    pool->free = block;
    pool->count++;
    host->bytes -= pool->size;
    host->live--;
}

mblk_t *str_dupb(mblk_t *block) {
    struct datab *data = block->b_datap;
    struct str_host *host = data->db_host;
    if (data->db_ref == UINT_MAX || sizeof *block > host->memory - host->bytes)
        return NULL;
    mblk_t *copy = host->blocks.free;
    if (copy) {
        host->blocks.free = copy->b_next;
        host->blocks.count--;
    } else if (!(copy = obtain(host, sizeof *copy))) {
        return NULL;
    }
    *copy = (mblk_t){.b_rptr = block->b_rptr,
                     .b_wptr = block->b_wptr,
                     .b_datap = data,
                     .b_band = block->b_band,
                     .b_spare = SEPARATE,
                     .b_flag = block->b_flag};
    data->db_ref++;
    host->bytes += sizeof *copy;
    host->live++;
    return copy;
}

size_t str_live_blocks(struct str_host *host) { return host->live; }

size_t str_live_bytes(struct str_host *host) { return host->bytes; }
