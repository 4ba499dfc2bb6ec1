/* The uniform protocol interface. */
#ifndef XK_UPI_H
#define XK_UPI_H

typedef struct xobj *XObj;
typedef XObj Protl;
typedef XObj Sessn;

#define ERR_XOBJ ((XObj)-1)
#define ERR_SESSN ERR_XOBJ
#define ERR_PROTL ERR_XOBJ
#define ERR_XK_MSG XMSG_ERR_HANDLE
#define ERR_ENABLE ((Enable *)-1)
#define ERR_XMALLOC 0

typedef enum { Protocol, Session } XObjType;

typedef xkern_return_t (*Pfk)();
typedef void (*Pfv)();
typedef struct xobj *(*Pfo)();
typedef xmsg_handle_t (*Pfh)();
typedef int (*Pfi)();

#define STD_DOWN 8

struct xobj {
    XObjType type;
    char *name, *instName, *fullName;
    int rcnt;
    int id;
    int *traceVar;
    int idle;
    void *state;
    Bind binding;
    XObj myprotl, up, hlpType;
    int numdown, downlistsz;
    XObj down[STD_DOWN];
    XObj *downlist;

    XObj (*open)(XObj self, XObj hlpRcv, XObj hlpType, Part *);
    xkern_return_t (*close)(XObj self);
    xkern_return_t (*closedone)(XObj lls);
    xkern_return_t (*openenable)(XObj self, XObj hlpRcv, XObj hlpType, Part *);
    xkern_return_t (*opendisable)(XObj self, XObj hlpRcv, XObj hlpType, Part *);
    xkern_return_t (*opendisableall)(XObj self, XObj hlpRcv);
    xkern_return_t (*opendone)(XObj self, XObj lls, XObj llp, XObj hlpType);
    xkern_return_t (*demux)(XObj self, XObj lls, Msg *);
    xkern_return_t (*calldemux)(XObj self, XObj lls, Msg *, Msg *reply);
    xkern_return_t (*pop)(XObj self, XObj lls, Msg *, void *hdr);
    xkern_return_t (*callpop)(XObj self, XObj lls, Msg *, void *hdr, Msg *reply);
    xmsg_handle_t (*push)(XObj self, Msg *);
    xkern_return_t (*call)(XObj self, Msg *, Msg *reply);
    int (*control)(XObj self, int opcode, char *buf, int len);
    xkern_return_t (*duplicate)(XObj self);
    xkern_return_t (*shutdown)(XObj self);
    Part *(*getparticipants)(XObj self);

    struct xobj *xk_next, *xk_previous; /* of the environment */
};

typedef struct {
    union {
        XObj hlpRcv, hlp;
    };
    XObj hlpType;
    Bind binding;
    int rcnt;
} Enable;

XObj xOpen(XObj hlpRcv, XObj hlpType, XObj llp, Part *);
xkern_return_t xOpenEnable(XObj hlpRcv, XObj hlpType, XObj llp, Part *);
xkern_return_t xOpenDisable(XObj hlpRcv, XObj hlpType, XObj llp, Part *);
xkern_return_t xOpenDisableAll(XObj hlpRcv, XObj llp);
xkern_return_t xOpenDone(XObj hlp, XObj session, XObj llp);
xkern_return_t xCloseDone(XObj session);
xkern_return_t xClose(XObj session);
xkern_return_t xDuplicate(XObj session);
xmsg_handle_t xPush(XObj session, Msg *);
xkern_return_t xPop(XObj session, XObj lls, Msg *, void *hdr);
xkern_return_t xDemux(XObj session, Msg *);
xkern_return_t xCall(XObj session, Msg *, Msg *reply);
xkern_return_t xCallPop(XObj session, XObj lls, Msg *, void *hdr, Msg *reply);
xkern_return_t xCallDemux(XObj session, Msg *, Msg *reply);
int xControl(XObj, int opcode, char *buf, int len);
xkern_return_t xShutDown(XObj);
Part *xGetParticipants(XObj session); /* the caller frees it; or a null pointer */

XObj xCreateSessn(Pfv, XObj hlpRcv, XObj hlpType, XObj llp, int downc, XObj *downv);
XObj xCreateProtl(Pfv, char *name, char *instance, int *trace, int downc, XObj *downv);
xkern_return_t xDestroy(XObj);

XObj xGetProtlByName(char *name);
XObj xGetDown(XObj, int i);
xkern_return_t xSetDown(XObj, int i, XObj);
int xIsValidXObj(XObj);
void xPrintXObj(XObj);
#define xMyProtl(s) ((s)->myprotl)
#define xGetUp(s) ((s)->up)
#define xSetUp(s, hlp) ((s)->up = (hlp))
#define xHlpType(s) ((s)->hlpType)
#define xSetHlpType(s, hlp) ((s)->hlpType = (hlp))
#define xIsXObj(o) ((o) && (o) != ERR_XOBJ)
#define xIsProtocol(o) (xIsXObj(o) && (o)->type == Protocol)
#define xIsSession(o) (xIsXObj(o) && (o)->type == Session)

/* Names of 3.3. */
#define xGetProtlDown xGetDown
#define xGetSessnDown xGetDown
#define xControlProtl xControl
#define xControlSessn xControl
#define xDestroySessn xDestroy
#define xDestroyProtl xDestroy
#define xDuplicateSessn xDuplicate
#define xIsProtl xIsProtocol
#define xIsSessn xIsSession

/* Operations with which a protocol keeps the protocols that it is enabled for, in a map by its own keys. */
typedef void (*DisableAllFunc)(void *key, Enable *);
xkern_return_t defaultOpenEnable(Map, XObj hlpRcv, XObj hlpType, void *key);
xkern_return_t defaultOpenDisable(Map, XObj hlpRcv, XObj hlpType, void *key);
xkern_return_t defaultVarOpenEnable(Map, XObj hlpRcv, XObj hlpType, void *key, int len);
xkern_return_t defaultVarOpenDisable(Map, XObj hlpRcv, XObj hlpType, void *key, int len);
xkern_return_t defaultOpenDisableAll(Map, XObj hlpRcv, DisableAllFunc);

/* The same for a protocol that passes enabling on to those below it, a list that ends with a null pointer. */
xkern_return_t defaultVirtualOpenEnable(XObj self, Map, XObj hlpRcv, XObj hlpType, XObj *llp, Part *);
xkern_return_t defaultVirtualOpenDisable(XObj self, Map, XObj hlpRcv, XObj hlpType, XObj *llp, Part *);

/* A protocol without operations. */
extern XObj xNullProtl;

/* Closes sessions of a map that have stayed idle for an interval in microseconds. */
void initSessionCollector(Map, int interval, Pfv destructor, char *name);

/* The Internet checksum of bytes and a message; zero if it is in there and right. */
u_short inCkSum(Msg *, u_short *buf, int len);

/* The number of a protocol among those above another, or -1: from the description. */
long relProtNum(XObj hlp, XObj llp);
long protTblGetId(char *name); /* the number of a protocol object of that name, or -1 */

/* Control operations that every protocol may know. Those of a protocol are numbered from PROTOCOL_CTL * MAXOPS. */
#define MAXOPS 100
enum {
    GETMYHOST = 0,
    GETMYHOSTCOUNT,
    GETPEERHOST,
    GETPEERHOSTCOUNT,
    GETBCASTHOST,
    GETMAXPACKET,
    GETOPTPACKET,
    GETMYPROTO,
    GETPEERPROTO,
    RESOLVE,
    RRESOLVE,
    FREERESOURCES,
    GETPARTICIPANTS,
    SETNONBLOCKINGIO
};
#define ARP_CTL 1
#define BLAST_CTL 2
#define ETH_CTL 3
#define IP_CTL 4
#define SCR_CTL 5
#define VCHAN_CTL 6
#define PSYNC_CTL 7
#define SS_CTL 8
#define SUNRPC_CTL 9
#define NFS_CTL 10
#define TCP_CTL 11
#define UDP_CTL 12
#define ICMP_CTL 13
#define VNET_CTL 14
#define BIDCTL_CTL 15
#define CHAN_CTL 16
#define VDROP_CTL 17
#define KM_CTL 18
#define VTAP_CTL 19
#define JOIN_CTL 20
#define CRYPT_CTL 21
#define BIND_CTL 22
#define SIMETH_CTL 23
#define HASH_CTL 24
#define SIM_CTL 25
#define TMP0_CTL 100
#define TMP1_CTL 101
#define TMP2_CTL 102
#define TMP3_CTL 103
#define TMP4_CTL 104
#define checkLen(given, least) \
    do { \
        if ((given) < (int)(least)) \
            return -1; \
    } while (0)

#endif
