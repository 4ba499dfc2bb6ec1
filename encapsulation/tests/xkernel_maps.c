/* Maps and participants of the x-kernel: one test for each routine. */
#include "tests/xkernel_tools.h"

static const struct xk_lower lowers[] = {{0}};
static const struct xk_protocol protocols[] = {{0}};
static const struct xk_device devices[] = {{0}};
const struct xk_graph xk_graph = {lowers, protocols, devices, NULL};

static int values[8];

static void test_mapBind_mapResolve(void) {
    Map map = mapCreate(8, sizeof(long));
    long key = 5, other = 6;
    int *value = NULL;
    Bind bind = mapBind(map, &key, &values[0]);
    assert(bind != ERR_BIND && bind);
    assert(mapResolve(map, &key, &value) == XK_SUCCESS && value == &values[0]);
    assert(mapResolve(map, &key, NULL) == XK_SUCCESS && mapResolve(map, &other, &value) == XK_FAILURE);
    assert(mapBind(map, &key, &values[0]) == bind); /* once more the same */
    assert(mapBind(map, &key, &values[1]) == ERR_BIND);
    assert(mapResolve(map, &key, &value) == XK_SUCCESS && value == &values[0]);
    mapClose(map);
}

static void test_mapUnbind(void) {
    Map map = mapCreate(8, sizeof(long));
    long key = 5;
    mapBind(map, &key, &values[0]);
    assert(mapUnbind(map, &key) == XK_SUCCESS && mapUnbind(map, &key) == XK_FAILURE);
    assert(mapResolve(map, &key, NULL) == XK_FAILURE);
    mapBind(map, &key, &values[1]);
    assert(mapRemoveKey(map, &key) == XK_SUCCESS);
    mapClose(map);
}

static void test_mapRemoveBinding(void) {
    Map map = mapCreate(8, sizeof(long));
    Bind binds[3];
    for (long key = 0; key < 3; key++)
        binds[key] = mapBind(map, &key, &values[key]);
    assert(mapRemoveBinding(map, binds[1]) == XK_SUCCESS && mapRemoveBinding(map, ERR_BIND) == XK_FAILURE);
    for (long key = 0; key < 3; key++)
        assert(mapResolve(map, &key, NULL) == (key == 1 ? XK_FAILURE : XK_SUCCESS));
    mapClose(map);
}

static void test_mapVarBind(void) {
    Map map = mapCreate(8, -1);
    int *value = NULL;
    assert(mapVarBind(map, "abc", 3, &values[0]) != ERR_BIND && mapVarBind(map, "ab", 2, &values[1]) != ERR_BIND);
    assert(mapVarResolve(map, "ab", 2, &value) == XK_SUCCESS && value == &values[1]);
    assert(mapVarResolve(map, "a", 1, &value) == XK_FAILURE);
    assert(mapVarUnbind(map, "abc", 3) == XK_SUCCESS && mapVarResolve(map, "abc", 3, NULL) == XK_FAILURE);
    mapClose(map);
}

static void test_maps_grow(void) {
    Map map = mapCreate(1, sizeof(int));
    static int many[5000];
    for (int i = 0; i < 5000; i++)
        assert(mapBind(map, &i, &many[i]) != ERR_BIND);
    for (int i = 0; i < 5000; i += 2)
        assert(mapUnbind(map, &i) == XK_SUCCESS);
    for (int i = 0; i < 5000; i++) {
        int *value = NULL;
        assert(mapResolve(map, &i, &value) == (i % 2 ? XK_SUCCESS : XK_FAILURE) && (i % 2 == 0 || value == &many[i]));
    }
    mapClose(map);
}

static Map walked;
static int visited, at_visit;
static long keys_seen[64];

static int visit(void *key, void *value, void *argument) {
    long number;
    memcpy(&number, key, sizeof number);
    assert(value == &values[number] && argument == values);
    keys_seen[visited++] = number;
    return at_visit;
}

static Map with_four(void) {
    walked = mapCreate(8, sizeof(long));
    for (long key = 0; key < 4; key++)
        mapBind(walked, &key, &values[key]);
    visited = 0;
    return walked;
}

static void test_mapForEach(void) {
    at_visit = MFE_CONTINUE;
    mapForEach(with_four(), visit, values);
    assert(visited == 4 && keys_seen[0] + keys_seen[1] + keys_seen[2] + keys_seen[3] == 6);
    at_visit = 0;
    mapForEach(walked, visit, values);
    assert(visited == 5);
    at_visit = MFE_REMOVE;
    mapForEach(walked, visit, values);
    assert(visited == 6 && mapResolve(walked, &keys_seen[5], NULL) == XK_FAILURE);
    at_visit = MFE_CONTINUE | MFE_REMOVE;
    mapForEach(walked, visit, values);
    assert(visited == 9);
    mapForEach(walked, visit, values);
    assert(visited == 9);
    mapClose(walked);
}

/* What a call may do meanwhile: remove itself, remove the next, bind more, walk again, close the map. */
static int remove_all_else(void *key, void *value, void *argument) {
    long number, others[] = {0, 1, 2, 3};
    memcpy(&number, key, sizeof number);
    (void)value, (void)argument;
    visited++;
    for (int i = 0; i < 4; i++)
        if (others[i] != number)
            mapUnbind(walked, &others[i]);
    return MFE_CONTINUE;
}

static int remove_itself(void *key, void *value, void *argument) {
    (void)value, (void)argument;
    visited++;
    assert(mapUnbind(walked, key) == XK_SUCCESS);
    return MFE_CONTINUE | MFE_REMOVE;
}

static int bind_another(void *key, void *value, void *argument) {
    static long more = 100;
    (void)key, (void)value, (void)argument;
    visited++;
    more++;
    mapBind(walked, &more, &more);
    return MFE_CONTINUE;
}

static int walk_again(void *key, void *value, void *argument) {
    (void)key, (void)value, (void)argument;
    mapForEach(walked, remove_itself, NULL);
    return MFE_CONTINUE;
}

static int close_it(void *key, void *value, void *argument) {
    (void)key, (void)value, (void)argument;
    visited++;
    mapClose(walked);
    return MFE_CONTINUE | MFE_REMOVE;
}

static void test_mapForEach_bears_changes(void) {
    mapForEach(with_four(), remove_all_else, NULL);
    assert(visited == 1);
    mapClose(walked);
    mapForEach(with_four(), remove_itself, NULL);
    assert(visited == 4);
    mapClose(walked);
    mapForEach(with_four(), bind_another, NULL);
    assert(visited == 4);
    mapClose(walked);
    mapForEach(with_four(), walk_again, NULL);
    assert(visited == 4);
    mapClose(walked);
    mapForEach(with_four(), close_it, NULL);
    assert(visited == 1);
}

static void test_long_keys(void) {
    static char key[200] = "long";
    walked = mapCreate(8, sizeof key);
    visited = 0;
    assert(mapBind(walked, key, values) != ERR_BIND);
    mapForEach(walked, remove_itself, NULL);
    assert(visited == 1 && mapResolve(walked, key, NULL) == XK_FAILURE);
    mapClose(walked);
}

static void test_partPush_partPop(void) {
    Part p[2];
    long port = 7;
    IPhost host = {10, 0, 0, 1};
    partInit(p, 2);
    assert(partLen(p) == 2 && partLength(&p[1]) == 2);
    assert(partStackTopByteLen(p[0]) == -1 && partPop(p[0]) == NULL);
    partPush(p[0], &host, sizeof host);
    partPush(p[0], &port, sizeof port);
    partPush(p[1], ANY_HOST, 0);
    port = 8; /* by reference */
    assert(partStackTopByteLen(p[0]) == sizeof port && *(long *)partPop(p[0]) == 8);
    assert(partPop(p[0]) == &host && partPop(p[0]) == NULL);
    assert(partStackTopByteLen(p[1]) == 0 && partPop(p[1]) == ANY_HOST);
}

static void test_partStackPushCopy(void) {
    Part p;
    long port = 7;
    static char large[64];
    partInit(&p, 1);
    partStackPushCopy(&p.stack, &port, sizeof port);
    partStackPushCopy(&p.stack, large, sizeof large);
    partStackPushCopy(&p.stack, ANY_HOST, 0);
    port = 8;
    assert(partPop(p) == ANY_HOST && partPop(p) == large && *(long *)partPop(p) == 7);
}

static void test_partExternalize_partInternalize(void) {
    Part p[2], back[2];
    long port = 7, buffer[32];
    IPhost host = {10, 0, 0, 1};
    int length = sizeof buffer, least;
    partInit(p, 2);
    partPush(p[0], &host, sizeof host);
    partPush(p[0], &port, sizeof port);
    partPush(p[1], ANY_HOST, 0);
    assert(partExternalize(p, buffer, &length) == XK_SUCCESS && partExtLen(buffer) == 2);
    least = length;
    partInternalize(back, buffer);
    assert(partLen(back) == 2 && *(long *)partPop(back[0]) == 7 && IP_EQUAL(*(IPhost *)partPop(back[0]), host));
    assert(partPop(back[1]) == ANY_HOST);
    static char large[20] = "longer than its copy";
    partInit(p, 1); /* an element that points into the buffer it goes to */
    partPush(p[0], large, sizeof large);
    length = sizeof buffer;
    assert(partExternalize(p, buffer, &length) == XK_SUCCESS);
    partInternalize(back, buffer);
    partPush(back[0], &port, sizeof port);
    partPush(back[0], large, sizeof large);
    length = sizeof buffer;
    assert(partExternalize(back, buffer, &length) == XK_SUCCESS);
    partInternalize(back, buffer);
    assert(memcmp(partPop(back[0]), large, 20) == 0 && *(long *)partPop(back[0]) == 7);
    assert(memcmp(partPop(back[0]), large, 20) == 0);
    partInit(p, 2);
    partPush(p[0], &host, sizeof host);
    partPush(p[0], &port, sizeof port);
    partPush(p[1], ANY_HOST, 0);
    for (length = 0; length < least; length++) {
        int most = length;
        assert(partExternalize(p, buffer, &most) == XK_FAILURE);
    }
    /* A damaged form yields fewer participants or elements. */
    for (int at = 0; at < least; at++)
        for (int bit = 0; bit < 8; bit++) {
            long copy[132] = {0};
            length = least;
            assert(partExternalize(p, copy, &length) == XK_SUCCESS);
            ((char *)copy)[at] ^= (char)(1 << bit);
            partInternalize(back, copy);
            assert(back[0].stack.top <= PART_MAX_STACK);
        }
}

static const struct xk_field fields[] = {{4, XK_BYTES}, {2, XK_LONG}, {0, 0}};

static void test_addresses_as_participants(void) {
    const unsigned char address[6] = {10, 0, 0, 1, 0x12, 0x34}, any[6] = {0};
    unsigned char back[ENDPOINT_ADDRESS];
    struct xk_values to;
    Part p;
    assert(xk_address_length(fields) == 6);
    partInit(&p, 1);
    assert(xk_push_address(&p, fields, address, 6, &to) && !xk_push_address(&p, fields, address, 5, &to));
    assert(xk_pop_address(&p, fields, back) == 6 && memcmp(back, address, 6) == 0);
    partInit(&p, 1);
    assert(xk_push_address(&p, fields, address, 6, &to));
    assert(*(long *)partPop(p) == 0x1234 && partStackTopByteLen(p) == 4);
    partInit(&p, 1);
    assert(xk_push_address(&p, fields, any, 6, &to));
    assert(*(long *)partPop(p) == ANY_PORT && partPop(p) == ANY_HOST);
    assert(xk_pop_address(&p, fields, back) == 0); /* an empty stack */
    partInit(&p, 1);
    assert(xk_push_address(&p, fields, any, 6, &to));
    assert(xk_pop_address(&p, fields, back) == 6 && memcmp(back, any, 6) == 0);
    partInit(&p, 1);
    partPush(p, (void *)(uintptr_t)address, 3); /* a host of the wrong size */
    partPush(p, &to.numbers[1], sizeof(long));
    assert(xk_pop_address(&p, fields, back) == 0);
}

static void push_eleven(void *argument) {
    Part p;
    partInit(&p, 1);
    for (int i = 0; i <= PART_MAX_STACK; i++)
        partPush(p, argument, 0);
}

/* Last: the instance ends. */
static void test_a_full_stack_ends_the_instance(void) {
    assert(!capsule_run(push_eleven, NULL) && strstr(logged, "participant is full"));
}

int main(void) {
    begin();
    RUN(mapBind_mapResolve);
    RUN(mapUnbind);
    RUN(mapRemoveBinding);
    RUN(mapVarBind);
    RUN(maps_grow);
    RUN(mapForEach);
    RUN(mapForEach_bears_changes);
    RUN(long_keys);
    RUN(partPush_partPop);
    RUN(partStackPushCopy);
    RUN(partExternalize_partInternalize);
    RUN(addresses_as_participants);
    RUN(a_full_stack_ends_the_instance);
    finish();
    return 0;
}
