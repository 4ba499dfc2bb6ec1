/* The interface of a capsule: protocol code of another subsystem with its environment, linked to an instance-private
 * shared object. */
#ifndef NACRE_STREAMS_CAPSULE_H
#define NACRE_STREAMS_CAPSULE_H

#include <stdint.h>

#include "stream.h"

#define STR_CAPSULE_ABI 1

/* A device or module of a capsule. */
struct str_export {
    const char *name;            /* "" or, with several, what tells them apart */
    struct streamtab *streamtab; /* its procedures */
    int flags;                   /* of str_install */
};

/* What a capsule exports as `nacre_capsule`. An instance is one loaded copy: static data of the foreign code is
 * private to it. */
struct str_capsule {
    uint32_t abi; /* STR_CAPSULE_ABI */
    const char *name;
    const struct str_export *exports; /* ended by an entry whose name is NULL */
    /* Called once, with the host as current host. Options are strings NAME=VALUE, ended by NULL. Returns 0 or an
     * errno value. */
    int (*start)(struct str_host *host, const char *const *options);
    /* Called once, after the last stream was closed: releases all blocks and cancels all timeouts. */
    void (*stop)(struct str_host *host);
    /* The number of blocks that others hold and whose data is the instance's. It is not unloaded before that is 0. */
    size_t (*lent)(void);
};

/* A loaded instance. */
struct str_instance;

/* Loads a private copy of a capsule and installs what it exports in the host: as `name` (NULL: the capsule's own
 * name), or as `name.export`. With the option `isolate`, and always if the file's name ends in `.isolated.so`, the
 * instance runs in a process of its own (README.md); `isolate=MS` limits the processor time of an entry (1000 ms
 * without it). Returns 0 or an errno value: ENOENT without such a file, ENOEXEC if it is no capsule or of another
 * ABI, what `start` returns; `*why`, if given, is then a text that is valid until the next call with this host. */
int str_load(struct str_host *host, const char *path, const char *name, const char *const *options,
             struct str_instance **instance, const char **why);

/* Removes what it installed, stops and unloads the instance. EBUSY while a stream has it or others hold data of
 * it. What is not unloaded ends with the host. */
int str_unload(struct str_instance *instance);

#endif
