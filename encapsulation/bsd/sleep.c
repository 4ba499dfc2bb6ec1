/* Processes: contexts of an instance that may sleep, each with a stack of its own. Commands of users run so. Elsewhere
 * nothing may wait: a sleep brings the timeouts forward that would run meanwhile. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>
#include <ucontext.h>

#include <sys/param.h>

#include <sys/systm.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define LEAVE(kept, bottom, size) __sanitizer_start_switch_fiber((kept), (bottom), (size))
#define ARRIVE(kept, bottom, size) __sanitizer_finish_switch_fiber((kept), (bottom), (size))
#else
#define LEAVE(kept, bottom, size) ((void)(kept), (void)(bottom), (void)(size))
#define ARRIVE(kept, bottom, size) ((void)(kept), (void)(bottom), (void)(size))
#endif

#define NS 1000000000U
#define STACK (256U << 10)
#define MOST_PROCESSES 16
#define LONGEST_SLEEP (60ULL * NS)

struct process {
    struct process *next;
    void (*work)(void *), (*done)(void *);
    void *argument;
    void *channel; /* that it sleeps on; null: it is ready, or runs */
    timeout_id_t timer;
    int result; /* of its sleep */
    bool catches, is_finished;
    ucontext_t context;
    void *entry; /* while it does not run */
    void *kept;  /* of sanitizers */
    char stack[STACK];
};

static struct process *processes, *running;
static int count;
/* Of the context that resumed the running process. */
static ucontext_t resumer;
static const void *resumer_bottom;
static size_t resumer_size;

static void leave(struct process *process) {
    process->entry = capsule_switch_entry(NULL);
    LEAVE(process->is_finished ? NULL : &process->kept, resumer_bottom, resumer_size);
    swapcontext(&process->context, &resumer);
    ARRIVE(process->kept, &resumer_bottom, &resumer_size);
    capsule_switch_entry(process->entry);
}

static void begin(void) {
    struct process *process = running;
    ARRIVE(NULL, &resumer_bottom, &resumer_size);
    capsule_switch_entry(NULL);
    (void)capsule_run(process->work, process->argument); /* a failure ends here, on this stack */
    process->is_finished = true;
    leave(process);
}

static void forget(struct process *process) {
    struct process **at = &processes;
    while (*at != process)
        at = &(*at)->next;
    *at = process->next;
    count--;
    if (process->timer)
        str_untimeout(capsule_host(), process->timer);
    capsule_free(process);
}

/* Runs a process until it sleeps or is finished. */
static void resume(struct process *process) {
    struct process *before = running;
    ucontext_t resumer_before = resumer;
    const void *bottom = resumer_bottom;
    size_t size = resumer_size;
    void *kept, *entry = capsule_switch_entry(NULL);
    running = process;
    process->channel = NULL;
    LEAVE(&kept, process->stack, STACK);
    swapcontext(&resumer, &process->context);
    ARRIVE(kept, NULL, NULL);
    capsule_switch_entry(entry);
    running = before;
    resumer = resumer_before;
    resumer_bottom = bottom;
    resumer_size = size;
    capsule_returned();
    if (process->is_finished) {
        void (*done)(void *) = process->done;
        void *argument = process->argument;
        forget(process);
        done(argument);
    }
}

bool bsd_process_start(void (*work)(void *), void (*done)(void *), void *argument) {
    struct process *process = count < MOST_PROCESSES ? capsule_malloc(sizeof *process) : NULL;
    if (!process)
        return false;
    memset(process, 0, offsetof(struct process, stack));
    process->work = work;
    process->done = done;
    process->argument = argument;
    getcontext(&process->context);
    process->context.uc_stack.ss_sp = process->stack;
    process->context.uc_stack.ss_size = STACK;
    makecontext(&process->context, begin, 0);
    process->next = processes;
    processes = process;
    count++;
    resume(process);
    return true;
}

static struct process *ready(void) {
    struct process *process = processes;
    while (process && (process->channel || process == running))
        process = process->next;
    return process;
}

bool bsd_processes_ready(void) { return ready() != NULL; }

void bsd_run_processes(void) {
    struct process *process;
    while (!running && (process = ready()))
        resume(process);
}

static void wake(struct process *process, int result) {
    if (process->timer)
        str_untimeout(capsule_host(), process->timer);
    process->timer = 0;
    process->channel = NULL;
    process->result = result;
}

void bsd_process_end(void *argument) {
    struct process *process = processes;
    while (process && process->argument != argument)
        process = process->next;
    if (!process)
        return;
    if (process->channel && process->catches) {
        wake(process, EINTR);
        resume(process);
        for (process = processes; process && process->argument != argument;)
            process = process->next;
    }
    if (process)
        forget(process); /* what waits for it waits in vain */
}

void bsd_processes_end(void) {
    while (processes)
        forget(processes);
}

static void resume_ready(void *argument) {
    (void)argument;
    bsd_clock();
    bsd_run_processes();
}

static void due(void *argument) {
    struct process *process = argument;
    process->timer = 0;
    wake(process, EWOULDBLOCK);
    (void)capsule_run(resume_ready, NULL);
    bsd_settle();
}

/* Sleep outside of processes. */
static void *awaited;
static bool is_woken(void) { return !awaited; }

static int sleep_in_place(void *channel, uint64_t limit) {
    void *before = awaited;
    awaited = channel;
    bsd_bring_forward(limit, is_woken);
    bool woken = is_woken();
    awaited = before;
    return woken ? 0 : EWOULDBLOCK;
}

int tsleep(void *channel, int priority, const char *message, int ticks) {
    struct process *process = running;
    (void)message;
    uint64_t length = ticks > 0 ? (uint64_t)ticks * (NS / 100) : LONGEST_SLEEP;
    if (!process)
        return sleep_in_place(channel, capsule_now() + length);
    process->channel = channel;
    process->catches = priority & PCATCH;
    process->result = 0;
    if (ticks > 0 && !(process->timer = str_timeout(capsule_host(), due, process, capsule_now() + length)))
        panic("tsleep: out of memory");
    leave(process);
    return process->result;
}

int sleep(void *channel, int priority) { return tsleep(channel, priority, "sleep", 0); }

void wakeup(void *channel) {
    if (awaited == channel)
        awaited = NULL;
    for (struct process *each = processes; each; each = each->next)
        if (each->channel == channel)
            wake(each, 0);
}
