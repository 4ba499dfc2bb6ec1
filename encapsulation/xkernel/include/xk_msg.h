/* Messages. A Msg holds message blocks; operations never copy data, but headers and what the caller hands over. */
#ifndef XK_MSG_H
#define XK_MSG_H

struct msgb;

/* The fields are the environment's. */
typedef struct msg {
    struct msgb *blocks, *spent;
    long length;
    void *attr;
    int attrLen;
} Msg;

/* Stores a header of the host's form at a place that need not be aligned. */
typedef void (*MStoreFun)(void *hdr, char *to, long len, void *arg);
/* Loads one; returns its length in the message. */
typedef long (*MLoadFun)(void *hdr, char *from, long len, void *arg);
typedef int (*XCharFun)(char *, long len, void *arg);

int msgInit(void);
void msgConstructEmpty(Msg *);
void msgConstructBuffer(Msg *, char *buf, long len);
void msgConstructCopy(Msg *, Msg *other);
void msgConstructInplace(Msg *, char *buf, long len, void (*release)());
void msgDestroy(Msg *);
void msgAssign(Msg *, Msg *other);
long msgLen(Msg *);
void msgTruncate(Msg *, long len);
void msgChopOff(Msg *, Msg *head, long len);
void msgJoin(Msg *, Msg *first, Msg *second);
void msgAppend(Msg *, MStoreFun store, void *tail, long len, void *arg, long room);
int msgPopDiscard(Msg *, long len);
void msgCleanUp(Msg *);
void msg2buf(Msg *, char *buf);
void msgForEach(Msg *, XCharFun, void *arg);
xkern_return_t msgSetAttr(Msg *, int name, void *attr, int len);
void *msgGetAttr(Msg *, int name);
void msgShow(Msg *);
void msgStats(void);

#define msgLength(m) msgLen(m)
#define msgBreak(m, fragment, len) msgChopOff((m), (fragment), (len))
#define msgDiscard(m, len) msgPopDiscard((m), (len))
#define msgConstructInPlace msgConstructInplace

/* Operations of 3.3 on the room of a header, which must be taken within the call chain that has the message. */
char *xk_msgPush(Msg *, long len);
char *xk_msgPop(Msg *, long len);
char *xk_msgPeek(Msg *, long len);
char *xk_msgAppend(Msg *, long len, long room);
char *xk_msgConstructAllocate(Msg *, long len);
char *xk_msgConstructAppend(Msg *, long room);

#ifdef XK_VERSION_33
#define msgPush(m, len) xk_msgPush((m), (len))
#define msgPop(m, len) xk_msgPop((m), (len))
#define msgPeek(m, len) xk_msgPeek((m), (len))
#define msgAppend(m, len, room) xk_msgAppend((m), (len), (room))
#define msgConstructAllocate(m, len) xk_msgConstructAllocate((m), (len))
#define msgConstructAppend(m, room) xk_msgConstructAppend((m), (room))
#else
void msgConstructAllocate(Msg *, long len, char **buf);
void msgConstructAppend(Msg *, long room, char **buf);
void msgPush(Msg *, MStoreFun store, void *hdr, long len, void *arg);
int msgPop(Msg *, MLoadFun load, void *hdr, long len, void *arg);
int msgPeek(Msg *, MLoadFun load, void *hdr, long len, void *arg);
#endif

#endif
