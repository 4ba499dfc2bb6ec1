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

#endif
