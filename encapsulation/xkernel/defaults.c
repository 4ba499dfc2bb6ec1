/* Operations that protocols share: enabling, collecting idle sessions, numbers; and the creation of the graph. */
#include "inside.h"

#include <stdlib.h>

XObj xNullProtl;

xkern_return_t defaultVarOpenEnable(Map map, XObj receiver, XObj type, void *key, int length) {
    Enable *enable = NULL;
    if (mapVarResolve(map, key, length, &enable) == XK_SUCCESS) {
        if (enable->hlpRcv != receiver || enable->hlpType != type)
            return XK_FAILURE;
        enable->rcnt++;
        return XK_SUCCESS;
    }
    enable = X_NEW(Enable);
    *enable = (Enable){.hlpRcv = receiver, .hlpType = type, .rcnt = 1};
    enable->binding = mapVarBind(map, key, length, enable);
    return XK_SUCCESS;
}

xkern_return_t defaultVarOpenDisable(Map map, XObj receiver, XObj type, void *key, int length) {
    Enable *enable = NULL;
    if (mapVarResolve(map, key, length, &enable) == XK_FAILURE || enable->hlpRcv != receiver ||
        enable->hlpType != type)
        return XK_FAILURE;
    if (--enable->rcnt <= 0) {
        mapRemoveBinding(map, enable->binding);
        xFree((char *)enable);
    }
    return XK_SUCCESS;
}

/* For maps whose keys have one length, which the map knows. */
xkern_return_t defaultOpenEnable(Map map, XObj receiver, XObj type, void *key) {
    return defaultVarOpenEnable(map, receiver, type, key, mapKeySize(map));
}

xkern_return_t defaultOpenDisable(Map map, XObj receiver, XObj type, void *key) {
    return defaultVarOpenDisable(map, receiver, type, key, mapKeySize(map));
}

struct disabling {
    XObj receiver;
    DisableAllFunc call;
};

static int disable(void *key, void *value, void *argument) {
    struct disabling *it = argument;
    Enable *enable = value;
    if (enable->hlpRcv != it->receiver)
        return MFE_CONTINUE;
    if (it->call)
        it->call(key, enable);
    xFree((char *)enable);
    return MFE_CONTINUE | MFE_REMOVE;
}

xkern_return_t defaultOpenDisableAll(Map map, XObj receiver, DisableAllFunc call) {
    struct disabling it = {receiver, call};
    mapForEach(map, disable, &it);
    return XK_SUCCESS;
}

/* The number of participants' stacks changes below: each protocol gets what there was. */
static xkern_return_t enable_below(XObj self, XObj type, XObj *llp, Part *p, bool enables) {
    xkern_return_t result = XK_SUCCESS;
    for (int i = 0; llp[i] && result == XK_SUCCESS; i++) {
        Part copy[2];
        int count = p && p->len >= 1 && p->len <= 2 ? p->len : 0;
        for (int j = 0; j < count; j++)
            copy[j] = p[j];
        result = enables ? xOpenEnable(self, type, llp[i], count ? copy : p)
                         : xOpenDisable(self, type, llp[i], count ? copy : p);
        if (result == XK_FAILURE && enables)
            while (i-- > 0) {
                for (int j = 0; j < count; j++)
                    copy[j] = p[j];
                xOpenDisable(self, type, llp[i], count ? copy : p);
            }
    }
    return result;
}

/* The map is by the type of the protocol above. */
xkern_return_t defaultVirtualOpenEnable(XObj self, Map map, XObj receiver, XObj type, XObj *llp, Part *p) {
    Enable *enable = NULL;
    if (mapResolve(map, &type, &enable) == XK_SUCCESS)
        return defaultOpenEnable(map, receiver, type, &type);
    if (enable_below(self, type, llp, p, true) == XK_FAILURE)
        return XK_FAILURE;
    return defaultOpenEnable(map, receiver, type, &type);
}

xkern_return_t defaultVirtualOpenDisable(XObj self, Map map, XObj receiver, XObj type, XObj *llp, Part *p) {
    if (defaultOpenDisable(map, receiver, type, &type) == XK_FAILURE)
        return XK_FAILURE;
    return mapResolve(map, &type, NULL) == XK_SUCCESS ? XK_SUCCESS : enable_below(self, type, llp, p, false);
}

struct collector {
    Map map;
    int interval;
    void (*destroy)(XObj);
};

/* A session that is idle at two calls in a row goes. */
static int collect(void *key, void *value, void *argument) {
    struct collector *it = argument;
    XObj session = value;
    (void)key;
    if (session->rcnt > 0)
        session->idle = FALSE;
    else if (!session->idle)
        session->idle = TRUE;
    else
        it->destroy(session);
    return MFE_CONTINUE;
}

static void collect_all(Event event, void *argument) {
    struct collector *it = argument;
    mapForEach(it->map, collect, it);
    evDetach(event);
    evSchedule(collect_all, it, it->interval);
}

void initSessionCollector(Map map, int interval, Pfv destroy, char *name) {
    struct collector *it = X_NEW(struct collector);
    (void)name;
    *it = (struct collector){map, interval, (void (*)(XObj))destroy};
    evSchedule(collect_all, it, interval);
}

long relProtNum(XObj hlp, XObj llp) {
    const struct xk_device *device = xk_device_of_user(hlp);
    if (device)
        return device->number;
    for (const struct xk_number *each = xk_graph.numbers; each && each->upper; each++)
        if (strcmp(each->upper, hlp->name) == 0 && strcmp(each->lower, llp->name) == 0)
            return each->number;
    return -1;
}

long protTblGetId(char *name) {
    XObj protocol = xGetProtlByName(name);
    return protocol == ERR_XOBJ ? -1 : protocol->id;
}

XObj xk_object(const char *name) { return xGetProtlByName((char *)(uintptr_t)name); }

void xk_start(void) {
    static bool started;
    if (started)
        return;
    started = true;
    xk_rom_read();
    xNullProtl = xCreateProtl(NULL, "null", "", NULL, 0, NULL);
    xk_lowers_create();
    const char *level = capsule_option("trace"); /* of all protocols that have a variable */
    for (const struct xk_protocol *each = xk_graph.protocols; each->name; each++) {
        XObj down[XK_DOWN];
        int count = 0;
        for (; count < XK_DOWN && each->down[count]; count++) {
            down[count] = xk_object(each->down[count]);
            if (down[count] == ERR_XOBJ)
                Kabort("the graph: a protocol comes after those below it");
        }
        if (each->trace && level)
            *each->trace = atoi(level);
        xCreateProtl((Pfv)each->init, (char *)(uintptr_t)each->name, "", each->trace, count, down);
    }
}
