/* The queues of an isolated instance's devices and modules in the host. */
#define STR_PREFIXED
#include "outlet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct outlet {
    struct streamtab streamtab;
    struct qinit read, write, lower_read, lower_write;
    struct module_info reads, writes;
    struct isolate *isolate;
    uint32_t number;
    char name[LONGEST_EXPORT + 1];
};

static bool is_link(int command) {
    return command == I_LINK || command == I_UNLINK || command == I_PLINK || command == I_PUNLINK;
}

/* The head of an M_IOCTL; of other messages, and of one that is too short, zeros. */
static struct iocblk control_of(const mblk_t *message) {
    struct iocblk control = {0};
    if (message->b_datap->db_type == M_IOCTL && (size_t)(message->b_wptr - message->b_rptr) >= sizeof control)
        memcpy(&control, message->b_rptr, sizeof control);
    return control;
}

/* Messages about memory of the program's, or of other modules: they pass by a module, and do not reach a worker. */
static bool about_memory(const mblk_t *message) {
    struct iocblk control = control_of(message);
    switch (message->b_datap->db_type) {
    case M_COPYIN:
    case M_COPYOUT:
    case M_IOCDATA:
    case M_PASSFP:
        return true;
    case M_IOCTL:
        if ((size_t)(message->b_wptr - message->b_rptr) < sizeof control)
            return true;
        return control.ioc_count == TRANSPARENT || is_link(control.ioc_cmd);
    default:
        return false;
    }
}

/* The memory of the host that a worker can claim at the head of a stream has a limit. */
static void limit_options(mblk_t *message) {
    struct stroptions options;
    if ((size_t)(message->b_wptr - message->b_rptr) < sizeof options)
        return;
    memcpy(&options, message->b_rptr, sizeof options);
    if (options.so_hiwat > MOST_AT_HEAD)
        options.so_hiwat = MOST_AT_HEAD;
    memcpy(message->b_rptr, &options, sizeof options);
}

bool outlet_passes(mblk_t *message) {
    if (message->b_datap->db_type == M_SETOPTS)
        limit_options(message);
    return !about_memory(message);
}

static void serve(struct isolate *it) {
    if (it->exchange.out->length > 0 || it->exchange.pressed)
        isolate_speak(it);
}

static int serve_queue(queue_t *q) {
    struct post *post = q->q_ptr;
    struct isolate *it = post ? post->owner : NULL;
    if (!it || it->dead)
        return 0;
    post_serve(q);
    serve(it);
    return 0;
}

/* Ends the use of a queue pair by an instance. */
static void release_post(queue_t *read, struct post *post) {
    for (int i = 0; i < 2; i++)
        if (post->ends[i])
            end_remove(post->ends[i]);
    read->q_ptr = (read + 1)->q_ptr = NULL;
    host_release(read->q_host, post, sizeof *post);
}

static int open_queue(queue_t *q, dev_t *device, int oflag, int sflag, cred_t *cred) {
    struct outlet *outlet = (struct outlet *)(void *)((char *)q->q_qinfo - offsetof(struct outlet, read));
    struct isolate *it = outlet->isolate;
    (void)cred;
    if (it->dead)
        return EIO;
    if (q->q_ptr) /* again */
        return 0;
    struct post *post = host_allocate(q->q_host, sizeof *post);
    if (!post)
        return ENOMEM;
    *post = (struct post){.owner = it};
    post->ends[0] = end_add(&it->exchange, NO_END, q + 1, q);
    bool module = sflag == MODOPEN;
    if (module)
        post->ends[1] = end_add(&it->exchange, NO_END, q, q + 1);
    int error = !post->ends[0] || (module && !post->ends[1]) ? ENOMEM : 0;
    q->q_ptr = (q + 1)->q_ptr = post;
    if (!error) {
        struct record record = {.kind = RECORD_OPEN, .end = post->ends[0]->id, .a = outlet->number};
        record.b = (uint32_t)oflag;
        record.c = sflag == 0 ? getminor(*device) : NO_END;
        error = isolate_ask(it, record, module ? &post->ends[1]->id : NULL, module ? sizeof(uint32_t) : 0);
    }
    if (error) {
        release_post(q, post);
        return error;
    }
    str_qprocson(q);
    return 0;
}

/* Sends queued messages to the worker, before a request about their stream. */
static void pack(struct post *post) {
    for (int i = 0; i < 2; i++)
        if (post->ends[i])
            end_pack(post->ends[i]);
    serve(post->owner);
}

static int close_queue(queue_t *q, int flag, cred_t *cred) {
    struct post *post = q->q_ptr;
    struct isolate *it = post->owner;
    (void)flag, (void)cred;
    if (!it->dead) {
        pack(post);
        area_add(it->exchange.out, (struct record){.kind = RECORD_CLOSE, .end = post->ends[0]->id}, 0);
        isolate_speak(it);
        if (post->ends[1])
            end_drain(post->ends[1]);
    }
    str_qprocsoff(q);
    release_post(q, post);
    return 0;
}

static int link_lower(struct isolate *it, uint32_t upper, queue_t *lower, int command) {
    struct post *post = host_allocate(lower->q_host, sizeof *post);
    if (!post)
        return ENOMEM;
    *post = (struct post){.ends = {end_add(&it->exchange, NO_END, lower - 1, lower)}, .owner = it};
    int error = post->ends[0] ? 0 : ENOMEM;
    if (!error) {
        (lower - 1)->q_ptr = lower->q_ptr = post;
        struct record record = {.kind = RECORD_LINK, .end = upper, .a = post->ends[0]->id, .b = (uint32_t)command};
        error = isolate_ask(it, record, NULL, 0);
    }
    if (error)
        release_post(lower - 1, post);
    return error;
}

/* The driver is notified: its refusal would be of no use when a stream closes. */
static int unlink_lower(struct isolate *it, uint32_t upper, queue_t *lower, int command) {
    struct post *post = lower->q_ptr;
    if (!post)
        return EINVAL;
    if (!it->dead) {
        pack(post);
        struct record record = {.kind = RECORD_UNLINK, .end = upper, .a = post->ends[0]->id, .b = (uint32_t)command};
        isolate_ask(it, record, NULL, 0);
        end_drain(post->ends[0]);
    }
    release_post(lower - 1, post);
    return 0;
}

static void control_links(queue_t *q, mblk_t *message, int command) {
    struct post *post = q->q_ptr;
    struct isolate *it = post->owner;
    struct linkblk block;
    int error = EINVAL;
    if (message->b_cont && (size_t)(message->b_cont->b_wptr - message->b_cont->b_rptr) >= sizeof block) {
        memcpy(&block, message->b_cont->b_rptr, sizeof block);
        if (command == I_LINK || command == I_PLINK)
            error = it->dead ? EIO : link_lower(it, post->ends[0]->id, block.l_qbot, command);
        else
            error = unlink_lower(it, post->ends[0]->id, block.l_qbot, command);
    }
    if (error)
        str_miocnak(q, message, 0, error);
    else
        str_miocack(q, message, 0, 0);
}

/* From above. */
static int write_put(queue_t *q, mblk_t *message) {
    struct post *post = q->q_ptr;
    struct isolate *it = post->owner;
    bool module = post->ends[1], memory = about_memory(message);
    if (memory && module)
        return str_putnext(q, message);
    int command = control_of(message).ioc_cmd;
    if (is_link(command)) {
        control_links(q, message, command);
        return 0;
    }
    if (!it->dead && !memory)
        return post_put(q, message);
    if (message->b_datap->db_type == M_IOCTL)
        str_miocnak(q, message, 0, it->dead ? EIO : EINVAL);
    else
        str_freemsg(message);
    return 0;
}

/* From below: of a module, or of a lower stream. */
static int read_put(queue_t *q, mblk_t *message) {
    struct post *post = q->q_ptr;
    if (post && about_memory(message) && post->ends[1])
        return str_putnext(q, message);
    if (post && !((struct isolate *)post->owner)->dead && !about_memory(message))
        return post_put(q, message);
    str_freemsg(message);
    return 0;
}

bool outlet_make(struct isolate *it, uint32_t number, const struct exported *export) {
    struct outlet *outlet = calloc(1, sizeof *outlet);
    if (!outlet)
        return false;
    outlet->isolate = it;
    outlet->number = number;
    memcpy(outlet->name, export->name, sizeof outlet->name);
    struct module_info *infos[] = {&outlet->reads, &outlet->writes};
    for (int i = 0; i < 2; i++)
        *infos[i] = (struct module_info){.mi_idnum = (unsigned short)export->number,
                                         .mi_idname = outlet->name,
                                         .mi_minpsz = export->smallest[i],
                                         .mi_maxpsz = export->largest[i],
                                         .mi_hiwat = END_HIWAT,
                                         .mi_lowat = END_LOWAT};
    outlet->read = (struct qinit){read_put, serve_queue, open_queue, close_queue, NULL, &outlet->reads, NULL};
    outlet->write = (struct qinit){.qi_putp = write_put, .qi_srvp = serve_queue, .qi_minfo = &outlet->writes};
    outlet->lower_read = (struct qinit){.qi_putp = read_put, .qi_srvp = serve_queue, .qi_minfo = &outlet->reads};
    outlet->lower_write = (struct qinit){.qi_srvp = serve_queue, .qi_minfo = &outlet->writes};
    outlet->streamtab = (struct streamtab){&outlet->read, &outlet->write, NULL, NULL};
    if (export->multiplexor) {
        outlet->streamtab.st_muxrinit = &outlet->lower_read;
        outlet->streamtab.st_muxwinit = &outlet->lower_write;
    }
    it->outlets[number] = outlet;
    it->exports[number] = (struct str_export){outlet->name, &outlet->streamtab, export->flags};
    return true;
}

void outlets_free(struct isolate *it) {
    for (uint32_t i = 0; i < it->count; i++)
        free(it->outlets[i]);
}
