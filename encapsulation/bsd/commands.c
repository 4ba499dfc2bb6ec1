/* Commands of users (M_IOCTL): each runs as a process, because it may sleep. */
#define STR_PREFIXED
#include "bsd/inside.h"

#include <string.h>

#include <sys/param.h>

#include <sys/ioctl.h>

#define MOST_DATA 256 /* bytes of a command */

/* A command that is under way: it may sleep. */
struct command {
    struct command *next;
    queue_t *write; /* null: the stream is closed */
    mblk_t *message;
    unsigned long number;
    size_t length;
    int error;
    long data[MOST_DATA / sizeof(long)]; /* aligned for the structures of commands */
};
static struct command *commands;

/* Puts the data of the answer into the message. */
static int answer(struct command *command) {
    mblk_t *data = str_allocb(command->length, BPRI_MED);
    if (!data)
        return ENOBUFS;
    memcpy(data->b_wptr, command->data, command->length);
    data->b_wptr += command->length;
    str_freemsg(command->message->b_cont);
    command->message->b_cont = data;
    return 0;
}

static void end_command(struct command *command) {
    bool has_answer = !command->error && command->number & IOC_OUT;
    if (has_answer && command->write)
        command->error = answer(command);
    if (!command->write)
        str_freemsg(command->message);
    else if (command->error)
        str_miocnak(command->write, command->message, 0, command->error);
    else
        str_miocack(command->write, command->message, has_answer ? (int)command->length : 0, 0);
    struct command **at = &commands;
    while (*at != command)
        at = &(*at)->next;
    *at = command->next;
    capsule_free(command);
}

static void work_of(void *argument) {
    struct command *command = argument;
    command->error = bsd_control(endpoint_of(command->write), command->number, (char *)command->data);
}

static void done_of(void *argument) { end_command(argument); }

static void start_command(void *argument) {
    struct command *command = argument;
    if (!bsd_process_start(work_of, done_of, command)) {
        command->error = ENOBUFS;
        end_command(command);
    }
}

/* Commands of BSD: their number says how many bytes go in and out. */
void bsd_command(queue_t *write, mblk_t *message) {
    struct iocblk *header = (struct iocblk *)(void *)message->b_rptr;
    size_t length = IOCPARM_LEN((unsigned)header->ioc_cmd);
    size_t got = message->b_cont ? str_msgdsize(message->b_cont) : 0;
    struct command *command = NULL;
    bool is_valid = length <= MOST_DATA && header->ioc_count == got && got == length;
    if (!is_valid || !(command = capsule_calloc(1, sizeof *command))) {
        str_miocnak(write, message, 0, is_valid ? ENOBUFS : EINVAL);
        return;
    }
    *command = (struct command){.next = commands, .write = write, .message = message, .length = length, .error = EIO};
    command->number = (unsigned)header->ioc_cmd;
    commands = command;
    unsigned char *to = (unsigned char *)command->data;
    for (mblk_t *each = message->b_cont; each; to += each->b_wptr - each->b_rptr, each = each->b_cont)
        memcpy(to, each->b_rptr, (size_t)(each->b_wptr - each->b_rptr));
    (void)capsule_run(start_command, command);
    bsd_settle();
}

static struct command *command_of(const queue_t *write) {
    struct command *command = commands;
    while (command && command->write != write)
        command = command->next;
    return command;
}

/* The stream of commands that sleep is closed: they are interrupted, or given up. */
static void interrupt_commands(void *write) {
    struct command *command;
    while ((command = command_of(write))) {
        command->write = NULL;
        bsd_process_end(command);
        for (struct command *each = commands; each; each = each->next)
            if (each == command) {
                end_command(each);
                break;
            }
    }
}

/* The instance has failed: none of them goes on. */
void bsd_commands_fail(void) {
    bsd_processes_end();
    while (commands) {
        commands->error = EIO;
        end_command(commands);
    }
}

void bsd_commands_end(queue_t *write) {
    struct command *command;
    if (capsule_run(interrupt_commands, write))
        return;
    while ((command = command_of(write))) {
        command->write = NULL;
        end_command(command);
    }
}
