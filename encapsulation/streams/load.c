/* Loads instances of capsules: each is a private copy of a shared object, so that its static data belongs to it alone. */
#define _GNU_SOURCE
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

struct str_instance {
    struct str_host *host;
    const struct str_capsule *capsule;
    void *object;
    int copy; /* open as long as the object is loaded: the name of a loaded object must be unique */
    char name[LONGEST_NAME + 1];
};

struct name {
    char text[2 * LONGEST_NAME + 2];
};

static _Thread_local char reason[512];

static int fail(int error, const char **why, const char *path, const char *what) {
    snprintf(reason, sizeof reason, "%s: %s", path, what);
    if (why)
        *why = reason;
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
    for (const struct str_export *each = instance->capsule->exports; each != end; each++)
        str_uninstall(instance->host, installed(instance, each).text);
}

static void stop(struct str_instance *instance) {
    struct str_host *before = str_enter(instance->host);
    instance->capsule->stop(instance->host);
    str_enter(before);
}

int str_load(struct str_host *host, const char *path, const char *name, const char *const *options,
             struct str_instance **instance, const char **why) {
    static const char *const none[] = {NULL};
    struct str_instance *it = calloc(1, sizeof *it);
    if (!it)
        return fail(ENOMEM, why, path, "no memory");
    it->host = host;
    it->copy = copied(path);
    if (it->copy < 0) {
        int error = errno;
        free(it);
        return fail(error, why, path, strerror(error));
    }
    char copy[64];
    snprintf(copy, sizeof copy, "/proc/self/fd/%d", it->copy);
    it->object = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
    if (!it->object) {
        const char *words = dlerror();
        int error = fail(ENOEXEC, why, path, words ? words : "not a shared object");
        discard(it);
        return error;
    }
    it->capsule = dlsym(it->object, "nacre_capsule");
    if (!it->capsule || it->capsule->abi != STR_CAPSULE_ABI) {
        int error = fail(ENOEXEC, why, path, it->capsule ? "a capsule of another ABI" : "not a capsule");
        discard(it);
        return error;
    }
    const char *own = name ? name : it->capsule->name;
    if (strlen(own) > LONGEST_NAME) {
        discard(it);
        return fail(EINVAL, why, path, "its name is too long");
    }
    strcpy(it->name, own);
    struct str_host *before = str_enter(host);
    int error = it->capsule->start(host, options ? options : none);
    str_enter(before);
    if (!error) {
        const struct str_export *each = it->capsule->exports;
        while (each->name && !(error = str_install(host, installed(it, each).text, each->streamtab, each->flags)))
            each++;
        if (error) {
            remove_until(it, each);
            stop(it);
        }
    }
    if (error) {
        fail(error, why, path, strerror(error));
        discard(it);
        return error;
    }
    *instance = it;
    return 0;
}

int str_unload(struct str_instance *instance) {
    if (instance->capsule->lent() > 0)
        return EBUSY;
    /* All or none: what is open keeps the others installed. */
    for (const struct str_export *each = instance->capsule->exports; each->name; each++) {
        int error = str_uninstall(instance->host, installed(instance, each).text);
        if (error) {
            for (const struct str_export *back = instance->capsule->exports; back != each; back++)
                str_install(instance->host, installed(instance, back).text, back->streamtab, back->flags);
            return error;
        }
    }
    stop(instance);
    discard(instance);
    return 0;
}
