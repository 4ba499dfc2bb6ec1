/* Maps from keys of bytes to pointers. */
#ifndef XK_MAP_H
#define XK_MAP_H

typedef struct xk_map *Map;
typedef struct xk_binding *Bind;
typedef int (*MapForEachFun)(void *key, void *value, void *arg);

#define ERR_BIND ((Bind)-1)
#define MFE_CONTINUE 1
#define MFE_REMOVE 2

Map mapCreate(int size, int keySize); /* keySize < 0: keys of any length, by mapVar... */
void mapClose(Map);
Bind mapBind(Map, void *key, void *value);
xkern_return_t mapResolve(Map, void *key, void *value);
xkern_return_t mapUnbind(Map, void *key);
xkern_return_t mapRemoveBinding(Map, Bind);
Bind mapVarBind(Map, void *key, int len, void *value);
xkern_return_t mapVarResolve(Map, void *key, int len, void *value);
xkern_return_t mapVarUnbind(Map, void *key, int len);
void mapForEach(Map, MapForEachFun, void *arg);
int mapKeySize(Map);
#define mapRemoveKey mapUnbind

#endif
