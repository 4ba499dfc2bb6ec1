/* Loads instances of capsules: each is a private copy of a shared object, so that its static data belongs to it
 * alone. */
#define _GNU_SOURCE
#define STR_PREFIXED
#include "isolate.h"

#include "capsule.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_NAME 31
#define ISOLATED ".isolated.so"
#define UNCONFINED "the system does not confine processes (seccomp)"

struct str_instance {
    struct str_host *host;
    struct str_instance *next; /* of the host */
    const struct str_export *exports;
    const struct str_capsule *capsule; /* of one in this process */
    void *object;
    struct isolate *isolate; /* of one in a process of its own */
    int copy; /* open as long as the object is loaded: the name of a loaded object must be unique */
    char name[LONGEST_NAME + 1];
};

struct name {
    char text[2 * LONGEST_NAME + 2];
};

static int fail(struct str_host *host, int error, const char **why, const char *path, const char *what) {
    snprintf(host->reason, sizeof host->reason, "%s: %s", path, what);
    if (why)
        *why = host->reason;
    return error;
}

/* Returns a descriptor of a copy in memory, or -1. */
static int copied(const char *path) {
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return -1;
    struct stat about;
    int to = -1;
    if (fstat(from, &about) == 0 && S_ISREG(about.st_mode))
        to = memfd_create("nacre capsule", MFD_CLOEXEC);
    else
        errno = ENOENT;
    off_t left = to < 0 ? 0 : about.st_size;
    while (left > 0) {
        ssize_t sent = sendfile(to, from, NULL, (size_t)left);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            errno = sent < 0 ? errno : ENOEXEC;
            close(to);
            to = -1;
            break;
        }
        left -= sent;
    }
    int error = errno;
    close(from);
    errno = error;
    return to;
}

static void discard(struct str_instance *instance) {
    if (instance->object)
        dlclose(instance->object);
    close(instance->copy);
    free(instance);
}

/* The name under which an export is installed. */
static struct name installed(const struct str_instance *instance, const struct str_export *each) {
    struct name name;
    snprintf(name.text, sizeof name.text, *each->name ? "%s.%s" : "%s", instance->name, each->name);
    return name;
}

static void remove_until(struct str_instance *instance, const struct str_export *end) {
    for (const struct str_export *each = instance->exports; each != end; each++)
        str_uninstall(instance->host, installed(instance, each).text);
}

static void stop(struct str_instance *instance) {
    struct str_host *before = str_enter(instance->host);
    if (instance->isolate)
        isolate_stop(instance->isolate);
    else
        instance->capsule->stop(instance->host);
    str_enter(before);
}

/* Whether an instance is to run in a process of its own. */
static bool isolated(const char *path, const char *const *options) {
    size_t length = strlen(path), ending = sizeof ISOLATED - 1;
    if (length > ending && strcmp(path + length - ending, ISOLATED) == 0)
        return true;
    for (; *options; options++)
        if (strcmp(*options, "isolate") == 0 || strncmp(*options, "isolate=", 8) == 0)
            return true;
    return false;
}

/* Loads the object, starts the instance, and tells its own name. */
static int start(struct str_host *host, struct str_instance *it, const char *path, const char *const *options,
                 const char **name, const char **why) {
    char copy[64];
    snprintf(copy, sizeof copy, "/proc/self/fd/%d", it->copy);
    if (host->confine && !host->confine(true))
        return fail(host, EPERM, why, path, UNCONFINED);
    it->object = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (!it->object) {
        const char *words = dlerror();
        return fail(host, ENOEXEC, why, path, words ? words : "not a shared object");
    }
    it->capsule = dlsym(it->object, "nacre_capsule");
    if (!it->capsule || it->capsule->abi != STR_CAPSULE_ABI)
        return fail(host, ENOEXEC, why, path, it->capsule ? "a capsule of another ABI" : "not a capsule");
    if (host->confine && !host->confine(false))
        return fail(host, EPERM, why, path, UNCONFINED);
    struct str_host *before = str_enter(host);
    int error = it->capsule->start(host, options);
    str_enter(before);
    *name = it->capsule->name;
    it->exports = it->capsule->exports;
    return error ? fail(host, error, why, path, strerror(error)) : 0;
}

static int start_isolated(struct str_host *host, struct str_instance *it, const char *path,
                          const char *const *options, const char **name, const char **why) {
    char words[256] = "";
    int error = isolate_start(host, it->copy, path, options, &it->isolate, words, sizeof words);
    if (error)
        return fail(host, error, why, path, *words ? words : strerror(error));
    *name = isolate_name(it->isolate);
    it->exports = isolate_exports(it->isolate);
    return 0;
}

int str_load(struct str_host *host, const char *path, const char *name, const char *const *options,
             struct str_instance **instance, const char **why) {
    static const char *const none[] = {NULL};
    options = options ? options : none;
    struct str_instance *it = calloc(1, sizeof *it);
    if (!it)
        return fail(host, ENOMEM, why, path, "no memory");
    it->host = host;
    it->copy = copied(path);
    if (it->copy < 0) {
        int error = errno;
        free(it);
        return fail(host, error, why, path, strerror(error));
    }
    const char *own = NULL;
    int error = (isolated(path, options) ? start_isolated : start)(host, it, path, options, &own, why);
    if (error) {
        discard(it);
        return error;
    }
    own = name ? name : own;
    const struct str_export *each = it->exports;
    if (strlen(own) > LONGEST_NAME)
        error = ENAMETOOLONG;
    else
        strcpy(it->name, own);
    while (!error && each->name && !(error = str_install(host, installed(it, each).text, each->streamtab, each->flags)))
        each++;
    if (error) {
        remove_until(it, each);
        stop(it);
        discard(it);
        return fail(host, error, why, path, strerror(error));
    }
    it->next = host->instances;
    host->instances = it;
    *instance = it;
    return 0;
}

int str_unload(struct str_instance *instance) {
    if (!instance->isolate && instance->capsule->lent() > 0)
        return EBUSY;
    /* All or none: what is open keeps the others installed. */
    for (const struct str_export *each = instance->exports; each->name; each++) {
        int error = str_uninstall(instance->host, installed(instance, each).text);
        if (error) {
            for (const struct str_export *back = instance->exports; back != each; back++)
                str_install(instance->host, installed(instance, back).text, back->streamtab, back->flags);
            return error;
        }
    }
    struct str_instance **at = &instance->host->instances;
    while (*at != instance)
        at = &(*at)->next;
    *at = instance->next;
    stop(instance);
    discard(instance);
    return 0;
}

void instances_close(struct str_host *host) {
    while (host->instances) {
        struct str_instance *instance = host->instances;
        host->instances = instance->next;
        const struct str_export *end = instance->exports;
        while (end->name)
            end++;
        remove_until(instance, end);
        stop(instance);
        /* Others hold data whose release is a routine of the object: it stays. */
        if (!instance->isolate && instance->capsule->lent() > 0)
            instance->object = NULL;
        discard(instance);
    }
}

const struct str_capsule *instance_capsule(const struct str_instance *instance) { return instance->capsule; }
