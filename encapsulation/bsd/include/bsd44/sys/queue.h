/* Lists and tail queues as macros. */
#ifndef BSD_SYS_QUEUE_H
#define BSD_SYS_QUEUE_H
#pragma GCC system_header

#define LIST_HEAD(name, type) \
    struct name { \
        struct type *lh_first; \
    }
#define LIST_ENTRY(type) \
    struct { \
        struct type *le_next, **le_prev; \
    }
#define LIST_HEAD_INITIALIZER(head) \
    { NULL }
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_NEXT(element, field) ((element)->field.le_next)
#define LIST_EMPTY(head) ((head)->lh_first == 0)
#define LIST_FOREACH(variable, head, field) \
    for ((variable) = (head)->lh_first; (variable); (variable) = (variable)->field.le_next)
#define LIST_INSERT_BEFORE(other, element, field) \
    do { \
        (element)->field.le_prev = (other)->field.le_prev; \
        (element)->field.le_next = (other); \
        *(other)->field.le_prev = (element); \
        (other)->field.le_prev = &(element)->field.le_next; \
    } while (0)
#define LIST_INIT(head) ((head)->lh_first = 0)
#define LIST_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.le_next = (head)->lh_first) != 0) \
            (head)->lh_first->field.le_prev = &(element)->field.le_next; \
        (head)->lh_first = (element); \
        (element)->field.le_prev = &(head)->lh_first; \
    } while (0)
#define LIST_INSERT_AFTER(other, element, field) \
    do { \
        if (((element)->field.le_next = (other)->field.le_next) != 0) \
            (other)->field.le_next->field.le_prev = &(element)->field.le_next; \
        (other)->field.le_next = (element); \
        (element)->field.le_prev = &(other)->field.le_next; \
    } while (0)
#define LIST_REMOVE(element, field) \
    do { \
        if ((element)->field.le_next) \
            (element)->field.le_next->field.le_prev = (element)->field.le_prev; \
        *(element)->field.le_prev = (element)->field.le_next; \
    } while (0)

#define TAILQ_HEAD(name, type) \
    struct name { \
        struct type *tqh_first, **tqh_last; \
    }
#define TAILQ_ENTRY(type) \
    struct { \
        struct type *tqe_next, **tqe_prev; \
    }
#define TAILQ_HEAD_INITIALIZER(head) \
    { NULL, &(head).tqh_first }
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(element, field) ((element)->field.tqe_next)
#define TAILQ_LAST(head, headname) (*(((struct headname *)((head)->tqh_last))->tqh_last))
#define TAILQ_PREV(element, headname, field) (*(((struct headname *)((element)->field.tqe_prev))->tqh_last))
#define TAILQ_EMPTY(head) ((head)->tqh_first == 0)
#define TAILQ_FOREACH(variable, head, field) \
    for ((variable) = (head)->tqh_first; (variable); (variable) = (variable)->field.tqe_next)
#define TAILQ_INSERT_AFTER(head, other, element, field) \
    do { \
        if (((element)->field.tqe_next = (other)->field.tqe_next) != 0) \
            (element)->field.tqe_next->field.tqe_prev = &(element)->field.tqe_next; \
        else \
            (head)->tqh_last = &(element)->field.tqe_next; \
        (other)->field.tqe_next = (element); \
        (element)->field.tqe_prev = &(other)->field.tqe_next; \
    } while (0)
#define TAILQ_INSERT_BEFORE(other, element, field) \
    do { \
        (element)->field.tqe_prev = (other)->field.tqe_prev; \
        (element)->field.tqe_next = (other); \
        *(other)->field.tqe_prev = (element); \
        (other)->field.tqe_prev = &(element)->field.tqe_next; \
    } while (0)
#define TAILQ_INIT(head) ((head)->tqh_first = 0, (head)->tqh_last = &(head)->tqh_first)
#define TAILQ_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.tqe_next = (head)->tqh_first) != 0) \
            (head)->tqh_first->field.tqe_prev = &(element)->field.tqe_next; \
        else \
            (head)->tqh_last = &(element)->field.tqe_next; \
        (head)->tqh_first = (element); \
        (element)->field.tqe_prev = &(head)->tqh_first; \
    } while (0)
#define TAILQ_INSERT_TAIL(head, element, field) \
    do { \
        (element)->field.tqe_next = 0; \
        (element)->field.tqe_prev = (head)->tqh_last; \
        *(head)->tqh_last = (element); \
        (head)->tqh_last = &(element)->field.tqe_next; \
    } while (0)
#define TAILQ_REMOVE(head, element, field) \
    do { \
        if ((element)->field.tqe_next) \
            (element)->field.tqe_next->field.tqe_prev = (element)->field.tqe_prev; \
        else \
            (head)->tqh_last = (element)->field.tqe_prev; \
        *(element)->field.tqe_prev = (element)->field.tqe_next; \
    } while (0)

/* Simple queues and circular queues. */
#define SIMPLEQ_HEAD(name, type) \
    struct name { \
        struct type *sqh_first, **sqh_last; \
    }
#define SIMPLEQ_ENTRY(type) \
    struct { \
        struct type *sqe_next; \
    }
#define SIMPLEQ_INIT(head) ((head)->sqh_first = 0, (head)->sqh_last = &(head)->sqh_first)
#define SIMPLEQ_INSERT_HEAD(head, element, field) \
    do { \
        if (((element)->field.sqe_next = (head)->sqh_first) == 0) \
            (head)->sqh_last = &(element)->field.sqe_next; \
        (head)->sqh_first = (element); \
    } while (0)
#define SIMPLEQ_INSERT_TAIL(head, element, field) \
    do { \
        (element)->field.sqe_next = 0; \
        *(head)->sqh_last = (element); \
        (head)->sqh_last = &(element)->field.sqe_next; \
    } while (0)
#define SIMPLEQ_REMOVE_HEAD(head, element, field) \
    do { \
        if (((head)->sqh_first = (element)->field.sqe_next) == 0) \
            (head)->sqh_last = &(head)->sqh_first; \
    } while (0)

#define CIRCLEQ_HEAD(name, type) \
    struct name { \
        struct type *cqh_first, *cqh_last; \
    }
#define CIRCLEQ_ENTRY(type) \
    struct { \
        struct type *cqe_next, *cqe_prev; \
    }
#define CIRCLEQ_INIT(head) ((head)->cqh_first = (void *)(head), (head)->cqh_last = (void *)(head))
#define CIRCLEQ_INSERT_HEAD(head, element, field) \
    do { \
        (element)->field.cqe_next = (head)->cqh_first; \
        (element)->field.cqe_prev = (void *)(head); \
        if ((head)->cqh_last == (void *)(head)) \
            (head)->cqh_last = (element); \
        else \
            (head)->cqh_first->field.cqe_prev = (element); \
        (head)->cqh_first = (element); \
    } while (0)
#define CIRCLEQ_INSERT_TAIL(head, element, field) \
    do { \
        (element)->field.cqe_next = (void *)(head); \
        (element)->field.cqe_prev = (head)->cqh_last; \
        if ((head)->cqh_first == (void *)(head)) \
            (head)->cqh_first = (element); \
        else \
            (head)->cqh_last->field.cqe_next = (element); \
        (head)->cqh_last = (element); \
    } while (0)
#define CIRCLEQ_REMOVE(head, element, field) \
    do { \
        if ((element)->field.cqe_next == (void *)(head)) \
            (head)->cqh_last = (element)->field.cqe_prev; \
        else \
            (element)->field.cqe_next->field.cqe_prev = (element)->field.cqe_prev; \
        if ((element)->field.cqe_prev == (void *)(head)) \
            (head)->cqh_first = (element)->field.cqe_next; \
        else \
            (element)->field.cqe_prev->field.cqe_next = (element)->field.cqe_next; \
    } while (0)

#endif
