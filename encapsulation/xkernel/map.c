/* Maps: hash tables that grow. All bindings of a map are in a list, too, so that mapForEach has an order that does not
 * depend on keys, and bears any change of the map meanwhile. */
#include "inside.h"

#include <stdint.h>

#define LEAST 16
#define LONGEST_KEY 4096
#define SMALL_KEY 128

struct xk_binding {
    struct xk_binding *chain; /* of the same hash */
    struct xk_binding *next, *previous;
    void *value;
    uint32_t hash;
    int length;
    max_align_t key[]; /* keys are structures, and mapForEach hands them out */
};

/* A mapForEach that runs: the binding that comes next. */
struct walk {
    struct xk_binding *next;
    struct walk *outer;
};

struct xk_map {
    struct xk_binding **table, *first;
    unsigned size, count; /* size is a power of two */
    int length;           /* of keys; < 0: any */
    uint32_t seed;
    struct walk *walks;
    bool is_closed; /* during a walk: the last one releases it */
};

Map mapCreate(int size, int length) {
    struct xk_map *map = (struct xk_map *)(void *)xMalloc(sizeof *map);
    *map = (struct xk_map){.size = LEAST, .length = length, .seed = capsule_random()};
    while ((int)map->size < size && map->size < 65536)
        map->size *= 2;
    if (length == 0 || length > LONGEST_KEY)
        Kabort("mapCreate: the length of keys");
    map->table = (struct xk_binding **)(void *)xMalloc(map->size * (unsigned)sizeof *map->table);
    memset(map->table, 0, map->size * sizeof *map->table);
    return map;
}

static void release(Map map) {
    xFree((char *)map->table);
    xFree((char *)map);
}

static void remove_binding(Map map, struct xk_binding *it) {
    struct xk_binding **link = &map->table[it->hash & (map->size - 1)];
    while (*link && *link != it)
        link = &(*link)->chain;
    if (!*link)
        Kabort("a binding that its map does not have");
    *link = it->chain;
    if (it->previous)
        it->previous->next = it->next;
    else
        map->first = it->next;
    if (it->next)
        it->next->previous = it->previous;
    for (struct walk *walk = map->walks; walk; walk = walk->outer)
        if (walk->next == it)
            walk->next = it->next;
    map->count--;
    xFree((char *)it);
}

void mapClose(Map map) {
    while (map->first)
        remove_binding(map, map->first);
    map->is_closed = true;
    if (!map->walks)
        release(map);
}

/* Peers choose keys: the seed keeps them from choosing chains. */
static uint32_t hash_of(const Map map, const unsigned char *key, int length) {
    uint32_t hash = map->seed ^ 2166136261U;
    for (int i = 0; i < length; i++)
        hash = (hash ^ key[i]) * 16777619U;
    hash ^= hash >> 15;
    hash *= 2246822519U;
    return hash ^ hash >> 13;
}

static struct xk_binding *find(const Map map, const void *key, int length, uint32_t hash) {
    struct xk_binding *it = map->table[hash & (map->size - 1)];
    while (it && (it->hash != hash || it->length != length || memcmp(it->key, key, (size_t)length) != 0))
        it = it->chain;
    return it;
}

static void grow(Map map) {
    unsigned size = 2 * map->size;
    struct xk_binding **table = (struct xk_binding **)(void *)xMalloc(size * (unsigned)sizeof *table);
    memset(table, 0, size * sizeof *table);
    for (struct xk_binding *it = map->first; it; it = it->next) {
        it->chain = table[it->hash & (size - 1)];
        table[it->hash & (size - 1)] = it;
    }
    xFree((char *)map->table);
    map->table = table;
    map->size = size;
}

static void check(const Map map, int length) {
    if (length <= 0 || length > LONGEST_KEY || (map->length > 0 && length != map->length))
        Kabort("the length of a key");
}

Bind mapVarBind(Map map, void *key, int length, void *value) {
    check(map, length);
    uint32_t hash = hash_of(map, key, length);
    struct xk_binding *it = find(map, key, length, hash);
    if (it)
        return it->value == value ? it : ERR_BIND;
    if (map->count >= map->size)
        grow(map);
    it = (struct xk_binding *)(void *)xMalloc((unsigned)sizeof *it + (unsigned)length);
    struct xk_binding **head = &map->table[hash & (map->size - 1)];
    it->chain = *head;
    it->next = map->first;
    it->previous = NULL;
    it->value = value;
    it->hash = hash;
    it->length = length;
    memcpy(it->key, key, (size_t)length);
    if (map->first)
        map->first->previous = it;
    map->first = *head = it;
    map->count++;
    return it;
}

Bind mapBind(Map map, void *key, void *value) { return mapVarBind(map, key, map->length, value); }

xkern_return_t mapVarResolve(Map map, void *key, int length, void *value) {
    check(map, length);
    struct xk_binding *it = find(map, key, length, hash_of(map, key, length));
    if (it && value)
        memcpy(value, &it->value, sizeof it->value);
    return it ? XK_SUCCESS : XK_FAILURE;
}

xkern_return_t mapResolve(Map map, void *key, void *value) { return mapVarResolve(map, key, map->length, value); }

xkern_return_t mapVarUnbind(Map map, void *key, int length) {
    check(map, length);
    struct xk_binding *it = find(map, key, length, hash_of(map, key, length));
    if (!it)
        return XK_FAILURE;
    remove_binding(map, it);
    return XK_SUCCESS;
}

int mapKeySize(Map map) { return map->length; }

xkern_return_t mapUnbind(Map map, void *key) { return mapVarUnbind(map, key, map->length); }

xkern_return_t mapRemoveBinding(Map map, Bind binding) {
    if (!binding || binding == ERR_BIND)
        return XK_FAILURE;
    remove_binding(map, binding);
    return XK_SUCCESS;
}

void mapForEach(Map map, MapForEachFun call, void *argument) {
    max_align_t small[SMALL_KEY / sizeof(max_align_t)];
    struct walk walk = {map->first, map->walks};
    int result = MFE_CONTINUE;
    map->walks = &walk;
    while (walk.next && result & MFE_CONTINUE) {
        struct xk_binding *it = walk.next;
        int length = it->length;
        /* The call may remove the binding. */
        void *key = length > SMALL_KEY ? (void *)xMalloc((unsigned)length) : small;
        memcpy(key, it->key, (size_t)length);
        uint32_t hash = it->hash;
        walk.next = it->next;
        result = call(key, it->value, argument);
        if (result & MFE_REMOVE && !map->is_closed) {
            struct xk_binding *same = find(map, key, length, hash);
            if (same)
                remove_binding(map, same);
        }
        if (key != small)
            xFree(key);
    }
    map->walks = walk.outer;
    if (map->is_closed && !map->walks)
        release(map);
}
