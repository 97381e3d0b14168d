/* SPDX-License-Identifier: Apache-2.0
 * copy.h - the handler sync-directory.copy: two walks over the same trees, first to plan, then
 * to copy. */
#ifndef SYNC_DIRECTORY_COPY_H
#define SYNC_DIRECTORY_COPY_H

#include "bgrun_plugin.h"
#include "tree.h"

#include <limits.h>

typedef enum outcome { DONE, STOPPED, FAILED } outcome;

/* The checkpoint: bytes copied so far, and a file whose first `offset` bytes are in its partial
 * copy. */
typedef struct position {
    uint64_t fingerprint; /* of the parameters: a checkpoint of others is not used */
    int64_t done;
    int64_t offset, size, mtime;
    char path[PATH_MAX]; /* relative; empty: none */
} position;

typedef struct copy_job {
    const bgrun_host *host;
    bgrun_task *task;
    const bgrun_checkpoint_ext *checkpoint; /* NULL: the host has none */
    char *from, *to;
    char **excluded; /* globs, NULL at the end */
    bool delete, sync;
    int64_t checkpoint_every;
    int64_t rate; /* bytes a second; INT64_MAX: as fast as it goes */

    position position;
    bool partial_confirmed;
    int64_t total, saved_at, shown_at;
    int64_t resumed_at, resumed_nanoseconds; /* position and CLOCK_MONOTONIC of this attempt */
    int64_t files, removed, skipped, problems;
    char message[PATH_MAX + 256];
} copy_job;

/* Runs one attempt and completes it. */
void sync_copy(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch);

/* The walks; `to` is -1 in a plan for a directory that does not exist yet. */
outcome plan_directory(copy_job *j, int from, int to, const char *path);
outcome copy_directory(copy_job *j, int from, int to, const char *path);
outcome copy_file(copy_job *j, int from, int to, const char *name, const char *path,
                  const struct stat *source);

/* Shared by them. */
bool should_stop(copy_job *j);
bool is_excluded(const copy_job *j, const char *name, const char *path);
/* True if the destination needs no copy of this regular file. */
bool is_current(const struct stat *source, const struct stat *target);
bool is_partial(const copy_job *j, const char *path, const struct stat *source);
/* The name of a file's partial copy, beside it. */
void partial_name(char *text, size_t size, const char *name);
bool is_partial_name(const char *name);
/* Records that an entry could not be handled, from errno. FAILED if other entries would fail
 * too (no space, a broken device), else DONE: the others continue. */
outcome entry_failed(copy_job *j, const char *path, const char *what);
void show(copy_job *j, const char *path);
/* Stores the position. */
outcome save(copy_job *j);

#endif
