/* SPDX-License-Identifier: Apache-2.0 */
#include "prune.h"

#include "arguments.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct candidate {
    char *path; /* relative to the root */
    int64_t mtime, size;
} candidate;

typedef struct prune_job {
    const bgrun_host *host;
    bgrun_task *task;
    char *directory, *match;
    int64_t older_than, keep; /* older_than -1: any age */
    bool recursive, dry_run;
    candidate *found;
    size_t count;
    int64_t files, bytes, problems;
    char message[PATH_MAX + 256];
} prune_job;

static bool read_parameters(prune_job *j, const bgrun_launch *launch) {
    static const char *const known[] = {"directory", "match",     "older_than", "keep",
                                        "recursive", "dry_run", NULL};
    arguments a = arguments_open(launch->parameters_json, known);
    j->directory = resolve_path(launch->manifest_directory, arguments_required(&a, "directory"));
    j->match = strdup(arguments_text(&a, "match", "*"));
    j->older_than = arguments_seconds(&a, "older_than", -1);
    j->keep = arguments_integer(&a, "keep", 0, INT32_MAX, 0);
    j->recursive = arguments_flag(&a, "recursive", false);
    j->dry_run = arguments_flag(&a, "dry_run", false);
    if (!arguments_has(&a, "older_than") && !arguments_has(&a, "keep"))
        arguments_refuse(&a, "say which files: older_than, keep, or both");
    snprintf(j->message, sizeof j->message, "%s", a.problem);
    bool good = !a.problem[0];
    arguments_close(&a);
    return good;
}

static void entry_failed(prune_job *j, const char *path) {
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text, "%s: %s", path, strerror(errno));
    j->host->log(j->host, j->task, BGRUN_LOG_ERROR, text);
    if (j->problems++ == 0) snprintf(j->message, sizeof j->message, "%s", text);
}

static void add(prune_job *j, const char *path, const struct stat *file) {
    j->found = reallocarray(j->found, j->count + 1, sizeof *j->found);
    if (!j->found) abort();
    j->found[j->count++] = (candidate){strdup(path), nanoseconds(file->st_mtim), file->st_size};
}

static void find(prune_job *j, int directory, const char *path) {
    names inside;
    if (!names_read(&inside, directory)) {
        entry_failed(j, *path ? path : j->directory);
        return;
    }
    for (size_t i = 0; i < inside.count && !j->host->is_expired(j->task); i++) {
        const char *name = inside.items[i];
        char *inner = NULL;
        struct stat file;
        if (asprintf(&inner, "%s%s%s", path, *path ? "/" : "", name) < 0) abort();
        if (fstatat(directory, name, &file, AT_SYMLINK_NOFOLLOW) == 0) {
            if (S_ISREG(file.st_mode) && fnmatch(j->match, name, FNM_PERIOD) == 0)
                add(j, inner, &file);
            if (S_ISDIR(file.st_mode) && j->recursive) {
                int below = open_below(directory, name);
                if (below >= 0) find(j, below, inner);
                else entry_failed(j, inner);
                if (below >= 0) close(below);
            }
        }
        free(inner);
    }
    names_free(&inside);
}

static int newest_first(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    if (x->mtime != y->mtime) return x->mtime < y->mtime ? 1 : -1;
    return strcmp(x->path, y->path);
}

static void remove_one(prune_job *j, int root, const candidate *one) {
    char text[PATH_MAX + 64];
    struct stat file;
    const char *name;
    int parent = open_parent(root, one->path, &name);
    bool there = parent >= 0 && fstatat(parent, name, &file, AT_SYMLINK_NOFOLLOW) == 0;
    /* If it was written to since it was found, it is no longer old. */
    bool same = there && S_ISREG(file.st_mode) && nanoseconds(file.st_mtim) == one->mtime;
    if (same && !j->dry_run && unlinkat(parent, name, 0) != 0) {
        entry_failed(j, one->path);
    } else if (same) {
        snprintf(text, sizeof text, "%s %s", j->dry_run ? "would remove" : "removed", one->path);
        j->host->log(j->host, j->task, j->dry_run ? BGRUN_LOG_INFO : BGRUN_LOG_DEBUG, text);
        j->files++;
        j->bytes += one->size;
    } else if (!there && errno != ENOENT) {
        entry_failed(j, one->path);
    }
    if (parent >= 0) close(parent);
}

/* True if everything was done, false if the time was revoked. */
static bool remove_old(prune_job *j, int root) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t cutoff =
        j->older_than < 0 ? INT64_MAX : nanoseconds(now) - j->older_than * 1000000000;
    if (j->count > 0) qsort(j->found, j->count, sizeof *j->found, newest_first);
    size_t first = (size_t)j->keep < j->count ? (size_t)j->keep : j->count;
    while (first < j->count && j->found[first].mtime >= cutoff) first++;
    int64_t total = (int64_t)(j->count - first), done = 0;
    j->host->set_title(j->task, j->dry_run ? "Pruning (dry run)" : "Pruning", j->directory);
    j->host->set_progress(j->task, 0, total);
    for (size_t i = j->count; i > first; i--) {
        if (j->host->is_expired(j->task) || j->host->should_defer(j->task)) return false;
        remove_one(j, root, &j->found[i - 1]);
        done++;
        if (done == total || done % (total / 500 + 1) == 0)
            j->host->set_progress(j->task, done, total);
    }
    return true;
}

static bool run(prune_job *j) {
    int root = open(j->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0) {
        entry_failed(j, j->directory);
        return false;
    }
    find(j, root, "");
    /* With an incomplete list, a file could seem to be one of the newest. */
    bool whole = !j->host->is_expired(j->task) && remove_old(j, root);
    close(root);
    if (j->problems == 0)
        snprintf(j->message, sizeof j->message, "%s%lld files%s, %lld bytes",
                 whole ? "" : "stopped after ", (long long)j->files,
                 j->dry_run ? " would be removed" : " removed", (long long)j->bytes);
    return whole && j->problems == 0;
}

void sync_prune(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch) {
    prune_job *j = calloc(1, sizeof *j);
    j->host = host;
    j->task = task;
    bool success = read_parameters(j, launch) && run(j);
    char message[sizeof j->message];
    memcpy(message, j->message, sizeof message);
    for (size_t i = 0; i < j->count; i++) free(j->found[i].path);
    free(j->found);
    free(j->directory);
    free(j->match);
    free(j);
    host->complete(task, success, message);
}
