/* The graphs with imported protocols. IMPORT is 1, 2, 3 or 4; the capsule is linked with the program, or loaded from
 * the file CAPSULE. */
#include <errno.h>
#include <string.h>

#include "graph.h"
#include "stacks/appletalk/streams/appletalk.h"
#include "streams/capsule.h"

#if IMPORT == 1 || IMPORT == 4
#define DDP "at.ddp"
#define ATP "at.atp"
#else
#define DDP "at"
#define ATP "at"
#endif

/* ATP is the module of STREAMS: on a socket of DDP, or in the place of BSD's ATP above DDP. */
#define NATIVE_ATP (IMPORT == 2 || IMPORT == 4)

/* SIOCSIFADDR of 4.4BSD with its structure. */
#define SET_ADDRESS ((int)(0x80000000u | sizeof(struct interface_request) << 16 | 'i' << 8 | 12))

struct interface_request {
    char name[16];
    unsigned char address[AT_NAME_LENGTH];
};

/* What a graph has of its own. */
struct imported {
    struct str_instance *instance;
    struct ddp_node *ddp; /* Import3 */
};

#ifdef CAPSULE
static int load(struct str_host *host, struct imported *own)
{
    return str_load(host, CAPSULE, "at", NULL, &own->instance, NULL);
}

static void unload(struct graph_node *node, struct imported *own)
{
    (void)node;
    str_unload(own->instance);
}
#else
extern const struct str_capsule nacre_capsule;

static void name_of(const struct str_export *export, char name[32])
{
    strcpy(name, "at");
    if (export->name[0] != 0) {
        strcat(name, ".");
        strncat(name, export->name, 20);
    }
}

static int load(struct str_host *host, struct imported *own)
{
    static const char *const options[] = {NULL};
    int error = nacre_capsule.start(host, options);
    (void)own;
    for (const struct str_export *export = nacre_capsule.exports; error == 0 && export->name != NULL; export ++) {
        char name[32];
        name_of(export, name);
        error = str_install(host, name, export->streamtab, export->flags);
    }
    return error;
}

static void unload(struct graph_node *node, struct imported *own)
{
    (void)own;
    for (const struct str_export *export = nacre_capsule.exports; export->name != NULL; export ++) {
        char name[32];
        name_of(export, name);
        str_uninstall(node->host, name);
    }
    nacre_capsule.stop(node->host);
}
#endif

static struct imported imported[2];

static int begin(struct graph_node *node)
{
    struct imported *own = imported[0].ddp == NULL && imported[0].instance == NULL ? &imported[0] : &imported[1];
    struct str_host *before = str_enter(node->host);
    int error = load(node->host, own);
    str_enter(before);
    node->own = own;
    return error;
}

/* The interface has its address from its first user, as by ifconfig. */
static int build_ddp(struct graph_node *node)
{
    struct interface_request request = {.name = "at0"};
    int index, error = str_open(node->host, DDP, &node->control);
    at_name_write(request.address, &node->address, 0);
    if (error == 0)
        error = str_link(node->control, node->link, 0, &index);
    if (error == 0)
        error = graph_control(node, node->control, SET_ADDRESS, &request, sizeof request);
    return error;
}

#if IMPORT == 3
static int build(struct graph_node *node)
{
    struct imported *own;
    struct str_stream *ddp;
    struct ddp_address address = {0, node->address.net, node->address.node, AT_ANY_NODE};
    int index, error = begin(node);
    own = node->own;
    (void)build_ddp;
    if (error == 0)
        error = ddp_install(node->host, "ddp", &own->ddp);
    if (error == 0)
        error = str_open(node->host, "ddp", &node->control);
    if (error == 0)
        error = str_link(node->control, node->link, 0, &address.index);
    if (error == 0)
        error = graph_control(node, node->control, DDP_SET_ADDRESS, &address, sizeof address);
    if (error == 0)
        error = str_open(node->host, "ddp", &ddp);
    if (error == 0 && graph_bind(node, ddp, DDP_EVERY_SOCKET, AT_TYPE_ATP) == 0)
        error = EADDRINUSE;
    if (error == 0)
        error = str_open(node->host, ATP, &node->lower);
    if (error == 0)
        error = str_link(node->lower, ddp, 0, &index);
    if (error == 0)
        str_close(ddp); /* it is closed when it is unlinked */
    return error;
}

static int open_ddp(struct graph_node *node, struct str_stream **stream)
{
    return str_open(node->host, "ddp", stream);
}
#else
static int build(struct graph_node *node)
{
    int error = begin(node);
    if (error == 0 && NATIVE_ATP)
        error = str_install(node->host, "atp", &atp_streamtab, STR_MODULE);
    return error == 0 ? build_ddp(node) : error;
}

static int open_ddp(struct graph_node *node, struct str_stream **stream)
{
    return str_open(node->host, DDP, stream);
}
#endif

static int open_atp(struct graph_node *node, struct str_stream **stream)
{
    int error = str_open(node->host, ATP, stream);
    if (error == 0 && NATIVE_ATP) {
        error = str_push(*stream, "atp");
        if (error != 0)
            str_close(*stream);
    }
    return error;
}

static void take_down(struct graph_node *node)
{
    struct imported *own = node->own;
    unload(node, own);
    if (IMPORT == 3 && own->ddp != NULL)
        ddp_remove(own->ddp);
    if (NATIVE_ATP)
        str_uninstall(node->host, "atp");
    *own = (struct imported){NULL, NULL};
}

#if IMPORT == 1
const struct graph graph_import1 = {"Import1", build, open_atp, open_ddp, take_down};
#elif IMPORT == 2
const struct graph graph_import2 = {"Import2", build, open_atp, open_ddp, take_down};
#elif IMPORT == 4
const struct graph graph_import4 = {"Import4", build, open_atp, open_ddp, take_down};
#else
const struct graph graph_import3 = {"Import3", build, open_atp, open_ddp, take_down};
#endif
