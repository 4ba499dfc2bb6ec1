/* The interface of a capsule: protocol code of another subsystem with its environment, linked to an instance-private shared object. */
#ifndef NACRE_STREAMS_CAPSULE_H
#define NACRE_STREAMS_CAPSULE_H

#include <stdint.h>

#include "stream.h"

#define STR_CAPSULE_ABI 1

/* What a capsule exports as `nacre_capsule`. An instance is one loaded copy: static data of the foreign code is private to it. */
struct str_capsule {
    uint32_t abi;                /* STR_CAPSULE_ABI */
    const char *name;            /* of the driver or module that it installs */
    int flags;                   /* of str_install: a device or a module */
    struct streamtab *streamtab; /* its procedures */
    /* Called once, with the host as current host. Options are strings NAME=VALUE, ended by NULL. Returns 0 or an errno value. */
    int (*start)(struct str_host *host, const char *const *options);
    /* Called once, after the last stream was closed: releases all blocks and cancels all timeouts. */
    void (*stop)(struct str_host *host);
};

/* A loaded instance. */
struct str_instance;

/* Loads a private copy of a capsule and installs its driver or module in the host under `name` (NULL: the capsule's own name).
 * Returns 0 or an errno value: ENOENT without such a file, ENOEXEC if it is no capsule or of another ABI, what `start` returns;
 * `*why`, if given, is then a text that is valid until the next call in this thread. */
int str_load(struct str_host *host, const char *path, const char *name, const char *const *options,
             struct str_instance **instance, const char **why);

/* Removes the driver or module, stops and unloads the instance. EBUSY while a stream has it. */
int str_unload(struct str_instance *instance);

#endif
