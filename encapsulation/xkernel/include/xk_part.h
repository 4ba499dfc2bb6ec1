/* Participants: for each end a stack of addresses, the highest protocol's on top. */
#ifndef XK_PART_H
#define XK_PART_H

#define PART_MAX_STACK 10
#define PART_MAX_BYTES 16

typedef struct {
    struct {
        void *ptr;
        int len;
        long own[PART_MAX_BYTES / sizeof(long)]; /* of 3.3: what was pushed */
    } arr[PART_MAX_STACK];
    int top;
} PartStack;

typedef struct {
    PartStack stack;
    int len; /* of the vector */
} Part;
typedef Part Part_s;

#define REMOTE_PART 0
#define LOCAL_PART 1
#define ANY_HOST ((void *)-1)
#define ANY_PORT (-1)

void partInit(Part *, int count);
void partStackPush(PartStack *, void *data, int len);
void partStackPushCopy(PartStack *, void *data, int len);
void *partStackPop(PartStack *);
int partStackTopByteLen(Part);
xkern_return_t partExternalize(Part *, void *buf, int *len);
void partInternalize(Part *, void *buf);

#ifdef XK_VERSION_33
#define partPush(p, data, len) partStackPushCopy(&(p).stack, (data), (len))
#else
#define partPush(p, data, len) partStackPush(&(p).stack, (data), (len))
#endif
#define partPop(p) partStackPop(&(p).stack)
#define partLen(p) ((p)->len)
#define partLength(p) ((p)->len)
#define partExtLen(buf) (*(int *)(void *)(buf))

#endif
