/* Basic types, memory, and what protocols use of the platform. */
#ifndef XK_TYPES_H
#define XK_TYPES_H

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

#include <arpa/inet.h>

#ifndef __bool_true_false_are_defined
typedef int bool;
#endif
#ifndef TRUE
#define TRUE 1
#define FALSE 0
#endif
#define VOID void

typedef enum xkret { XK_FAILURE = -1, XK_SUCCESS = 0 } xkern_return_t;
typedef xkern_return_t XkReturn;

/* The result of xPush: a handle, or one of these. */
typedef int xmsg_handle_t;
typedef xmsg_handle_t XkHandle;
#define XMSG_NULL_HANDLE 0
#define XMSG_ERR_HANDLE (-1)
#define XMSG_ERR_WOULDBLOCK (-2)

/* Addresses of hosts. */
typedef struct {
    u_char a, b, c, d;
} IPhost;
typedef struct {
    u_short high, mid, low;
} ETHhost, ethAd_t;
#define IP_EACH(x, a_, b_, c_, d_) \
    ((x).a = (u_char)(a_), (x).b = (u_char)(b_), (x).c = (u_char)(c_), (x).d = (u_char)(d_))
#define IP_AND(x, y, z) IP_EACH(x, (y).a & (z).a, (y).b & (z).b, (y).c & (z).c, (y).d & (z).d)
#define IP_OR(x, y, z) IP_EACH(x, (y).a | (z).a, (y).b | (z).b, (y).c | (z).c, (y).d | (z).d)
#define IP_COMP(x, y) IP_EACH(x, ~(y).a, ~(y).b, ~(y).c, ~(y).d)
#define IP_EQUAL(one, other) (memcmp(&(one), &(other), sizeof(IPhost)) == 0)
#define ETH_ADS_EQUAL(one, other) (memcmp(&(one), &(other), sizeof(ETHhost)) == 0)
char *ipHostStr(IPhost *);
char *ethHostStr(ETHhost *);

/* Memory. Without memory the instance ends. */
char *xMalloc(unsigned size);
void xFree(char *);
#define X_NEW(type) ((type *)(void *)xMalloc(sizeof(type)))

/* Ends the instance. */
void Kabort(const char *) __attribute__((noreturn));
void xk_assert(const char *, const char *file, int line) __attribute__((noreturn));
#ifdef XK_DEBUG
#define xAssert(condition) ((condition) ? (void)0 : xk_assert(#condition, __FILE__, __LINE__))
#else
#define xAssert(condition) ((void)0)
#endif
void xError(const char *);
extern char errBuf[200];

typedef struct {
    long sec, usec;
} XTime;
void xGetTime(XTime *);

/* The checksum of Internet protocols, in network order. */
u_short ocsum(u_short *words, int count);

/* A semaphore that would block ends the instance: there is one context. */
typedef struct {
    int count;
} Semaphore;
typedef Semaphore xkSemaphore;
void semInit(Semaphore *, int count);
void semWait(Semaphore *);
void semSignal(Semaphore *);
void Delay(int milliseconds); /* ends the instance */

/* Of the platform: joins what macros stand for. */
#ifndef PASTE
#define XK_PASTE(a, b) a##b
#define PASTE(a, b) XK_PASTE(a, b)
#endif

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

#endif
