/* Threads: contexts of the instance that may wait for semaphores, each with a stack of its own. With the option
 * `threads=N`, messages from below, events and requests of users run on N of them at most; without it, on the stack of
 * their entry, where nothing may wait. One runs at a time, until it waits or ends. */
#define STR_PREFIXED
#include "inside.h"

#include <stdlib.h>
#include <ucontext.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define LEAVE(kept, bottom, size) __sanitizer_start_switch_fiber((kept), (bottom), (size))
#define ARRIVE(kept, bottom, size) __sanitizer_finish_switch_fiber((kept), (bottom), (size))
#else
#define LEAVE(kept, bottom, size) ((void)(kept), (void)(bottom), (void)(size))
#define ARRIVE(kept, bottom, size) ((void)(kept), (void)(bottom), (void)(size))
#endif

#define STACK (256U << 10)
#define MOST_THREADS 64

enum { FREE, READY, RUNNING, WAITING };

struct thread {
    struct thread *next;
    int state;
    void (*work)(void *);
    void *argument;
    Semaphore *waits_for;
    uint64_t turn; /* of those that wait, the first goes on first */
    timeout_id_t timer;
    ucontext_t context;
    void *entry, *kept;
    char stack[STACK];
};

static struct thread *threads, *running;
static int count, most;
static uint64_t turns;
/* Of the context that resumed the running thread. */
static ucontext_t resumer;
static const void *resumer_bottom;
static size_t resumer_size;

void xk_threads_begin(void) {
    const char *option = capsule_option("threads");
    most = option ? atoi(option) : 0;
    most = most < 0 ? 0 : most > MOST_THREADS ? MOST_THREADS : most;
}

static void leave(struct thread *thread) {
    thread->entry = capsule_switch_entry(NULL);
    LEAVE(&thread->kept, resumer_bottom, resumer_size);
    swapcontext(&thread->context, &resumer);
    ARRIVE(thread->kept, &resumer_bottom, &resumer_size);
    capsule_switch_entry(thread->entry);
}

/* A thread does one piece of work after the other. */
static void begin(void) {
    struct thread *thread = running;
    ARRIVE(NULL, &resumer_bottom, &resumer_size);
    for (;;) {
        capsule_switch_entry(NULL);
        (void)capsule_run(thread->work, thread->argument); /* a failure ends here, on this stack */
        thread->state = FREE;
        leave(thread);
    }
}

static void resume(struct thread *thread) {
    void *kept, *entry = capsule_switch_entry(NULL);
    running = thread;
    thread->state = RUNNING;
    LEAVE(&kept, thread->stack, STACK);
    swapcontext(&resumer, &thread->context);
    ARRIVE(kept, NULL, NULL);
    capsule_switch_entry(entry);
    running = NULL;
    capsule_returned(); /* it may have failed */
}

static void prepare(struct thread *thread) {
    memset(thread, 0, offsetof(struct thread, stack));
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK;
    makecontext(&thread->context, begin, 0);
}

static struct thread *obtain(void) {
    struct thread *thread = threads;
    while (thread && thread->state != FREE)
        thread = thread->next;
    if (thread || count == most || !(thread = capsule_malloc(sizeof *thread)))
        return thread;
    prepare(thread);
    thread->next = threads;
    threads = thread;
    count++;
    return thread;
}

bool xk_thread_run(void (*work)(void *), void *argument) {
    if (most == 0 || running) {
        work(argument);
        return true;
    }
    struct thread *thread = obtain();
    if (!thread)
        return false;
    thread->work = work;
    thread->argument = argument;
    resume(thread);
    return true;
}

static struct thread *first_of(int state, const Semaphore *semaphore) {
    struct thread *first = NULL;
    for (struct thread *each = threads; each; each = each->next)
        if (each->state == state && each->waits_for == semaphore && (!first || each->turn < first->turn))
            first = each;
    return first;
}

static void resume_it(void *argument) { resume(argument); }

void xk_threads_resume(void) {
    struct thread *thread;
    while (!capsule_entered() && !capsule_failed() && (thread = first_of(READY, NULL)))
        (void)capsule_run(resume_it, thread);
}

void xk_threads_end(void) {
    for (struct thread *each = threads; each; each = each->next)
        if (each->timer)
            str_untimeout(capsule_host(), each->timer);
    threads = NULL; /* their memory is the instance's */
}

static void wait_for(Semaphore *semaphore) {
    struct thread *thread = running;
    thread->state = WAITING;
    thread->waits_for = semaphore;
    thread->turn = ++turns;
    leave(thread);
}

static void make_ready(struct thread *thread) {
    thread->state = READY;
    thread->waits_for = NULL;
    thread->turn = ++turns;
}

void semInit(Semaphore *semaphore, int initial) { semaphore->count = initial; }

void semWait(Semaphore *semaphore) {
    if (semaphore->count > 0)
        semaphore->count--;
    else if (!running)
        Kabort("semWait: nobody could signal");
    else
        wait_for(semaphore);
}

/* What a thread waits for is handed to it. */
void semSignal(Semaphore *semaphore) {
    struct thread *thread = first_of(WAITING, semaphore);
    if (thread)
        make_ready(thread);
    else
        semaphore->count++;
}

static void due(void *argument) {
    struct thread *thread = argument;
    thread->timer = 0;
    make_ready(thread);
    xk_settle();
}

void Delay(int milliseconds) {
    static Semaphore never;
    struct thread *thread = running;
    if (!thread)
        Kabort("Delay: nothing happens meanwhile");
    uint64_t length = milliseconds > 0 ? (uint64_t)milliseconds * 1000000 : 0;
    thread->timer = str_timeout(capsule_host(), due, thread, capsule_now() + length);
    if (!thread->timer)
        Kabort("Delay: no memory");
    wait_for(&never);
}
