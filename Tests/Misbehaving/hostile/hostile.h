/* SPDX-License-Identifier: Apache-2.0
 * hostile.h - attacks of a handler on its host, its user and its machine. Each is a function in the table of its
 * subject. The handler `attack` performs the one that its parameters name, and completes with the result: "done" if
 * the attack worked, the name of an errno, or a short text of the attack.
 *
 * Attacks are harmless on a test machine without confinement: they affect only what the parameters name, and
 * calls that would change the machine have invalid arguments. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bgrun_plugin.h"

/* The targets, from the parameters; a text is "" and a number 0 if it is missing. */
struct target {
    pid_t victim;         /* another process of the same user */
    const char *store;    /* the host's bgrun.sqlite */
    const char *state;    /* the host's state directory */
    const char *manifest; /* its manifest */
    const char *plugin;   /* the file of this plugin */
    const char *control;  /* the host's control.sock */
    const char *file;     /* a file in the user's home directory */
    const char *path;     /* a UNIX socket on which a process of the user listens */
    const char *abstract; /* the name of an abstract UNIX socket of the same kind, without the NUL byte */
    const char *shm;      /* a shared memory object of the user, without the slash */
    uint16_t port;        /* a TCP port of 127.0.0.1 on which a process of the user listens */
    long most;            /* the maximum that a limit should permit */
    const char *directory; /* of the manifest */
    const bgrun_host *host;
    bgrun_task *task;
};

/* Returns 0 (the answer is "done"), an errno, or what answer() returns. */
typedef int (*attack_function)(const struct target *target);

/* Where an attack runs. */
enum {
    IN_CHILD = 0,          /* in a child of the worker, which does not change the worker */
    IN_WORKER = 1 << 0,    /* in the worker itself */
    IN_NAMESPACE = 1 << 1, /* only where the worker is PID 2 of a PID namespace; elsewhere "skipped" */
};

struct attack {
    const char *name;
    attack_function run;
    int flags;
};

/* The attacks of each subject; the last one has no name. */
extern const struct attack process_attacks[], host_attacks[], file_attacks[], network_attacks[],
    kernel_attacks[], privilege_attacks[], limit_attacks[], leaving_attacks[],
    request_attacks[];

/* Sets the answer; returns the value that an attack then returns. */
__attribute__((format(printf, 1, 2))) int answer(const char *format, ...);

/* 0, or errno if `result` is negative. */
int failure(long result);

/* Opens and closes a file: 0 or errno. */
int try_open(const char *path, int flags);

#endif
