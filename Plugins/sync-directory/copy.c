/* SPDX-License-Identifier: Apache-2.0
 * copy.c - one attempt of sync-directory.copy, around its two walks. */
#include "copy.h"

#include "arguments.h"
#include "hash.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { POSITION_VERSION = 1 };
static const char partial_prefix[] = ".bgrun-partial-";

bool should_stop(copy_job *j) {
    return j->host->is_expired(j->task) || j->host->should_defer(j->task);
}

bool is_excluded(const copy_job *j, const char *name, const char *path) {
    for (char **glob = j->excluded; glob && *glob; glob++)
        if (fnmatch(*glob, strchr(*glob, '/') ? path : name, FNM_PATHNAME) == 0) return true;
    return false;
}

bool is_current(const struct stat *source, const struct stat *target) {
    return S_ISREG(target->st_mode) && source->st_size == target->st_size &&
           nanoseconds(source->st_mtim) == nanoseconds(target->st_mtim);
}

bool is_partial(const copy_job *j, const char *path, const struct stat *source) {
    return strcmp(j->position.path, path) == 0 && j->position.size == source->st_size &&
           j->position.mtime == nanoseconds(source->st_mtim);
}

/* Hashed, because a name may already have the 255 bytes that a file system allows. */
void partial_name(char *text, size_t size, const char *name) {
    snprintf(text, size, "%s%016llx", partial_prefix, (unsigned long long)hash_text(name));
}

bool is_partial_name(const char *name) {
    return strncmp(name, partial_prefix, sizeof partial_prefix - 1) == 0;
}

outcome entry_failed(copy_job *j, const char *path, const char *what) {
    int error = errno;
    char text[PATH_MAX + 256];
    snprintf(text, sizeof text, "%s: %s: %s", path, what, strerror(error));
    j->host->log(j->host, j->task, BGRUN_LOG_ERROR, text);
    if (j->problems++ == 0) snprintf(j->message, sizeof j->message, "%s", text);
    bool hopeless = error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO;
    if (hopeless) snprintf(j->message, sizeof j->message, "%s", text);
    return hopeless ? FAILED : DONE;
}

void show(copy_job *j, const char *path) {
    int64_t done = j->position.done;
    if (done < j->total && done - j->shown_at < j->total / 500) return;
    j->shown_at = done;
    j->host->set_title(j->task, NULL, path);
    j->host->set_progress(j->task, done, j->total);
}

outcome save(copy_job *j) {
    j->saved_at = j->position.done;
    if (!j->checkpoint) return DONE;
    uint64_t size = offsetof(position, path) + strlen(j->position.path) + 1;
    int32_t result = j->checkpoint->put(j->task, POSITION_VERSION, &j->position, size);
    if (result == BGRUN_OK) return DONE;
    snprintf(j->message, sizeof j->message, "the checkpoint could not be stored (%d)", result);
    return FAILED;
}

static void restore(copy_job *j, const char *parameters) {
    position found;
    uint64_t size = 0;
    uint32_t version = 0;
    j->position.fingerprint = hash_text(parameters);
    if (!j->checkpoint ||
        j->checkpoint->get(j->task, &found, sizeof found, &size, &version) != BGRUN_OK ||
        version != POSITION_VERSION || size <= offsetof(position, path) || size > sizeof found ||
        ((char *)&found)[size - 1] != 0 || found.fingerprint != j->position.fingerprint)
        return;
    j->position = found;
    j->saved_at = found.done;
}

static bool read_parameters(copy_job *j, const bgrun_launch *launch) {
    static const char *const known[] = {"from",  "to",      "delete",
                                        "fsync", "exclude", "checkpoint_every",
                                        "rate",  NULL};
    arguments a = arguments_open(launch->parameters_json, known);
    j->from = resolve_path(launch->manifest_directory, arguments_required(&a, "from"));
    j->to = resolve_path(launch->manifest_directory, arguments_required(&a, "to"));
    j->delete = arguments_flag(&a, "delete", false);
    j->sync = arguments_flag(&a, "fsync", false);
    j->checkpoint_every = arguments_bytes(&a, "checkpoint_every", 64 << 20);
    if (j->checkpoint_every < 1) arguments_refuse(&a, "checkpoint_every: must be over 0");
    j->rate = arguments_bytes(&a, "rate", INT64_MAX);
    if (j->rate < 1) arguments_refuse(&a, "rate: must be over 0");
    json_t *globs = arguments_list(&a, "exclude");
    j->excluded = calloc(json_array_size(globs) + 1, sizeof *j->excluded);
    for (size_t i = 0; i < json_array_size(globs); i++) {
        const char *glob = json_string_value(json_array_get(globs, i));
        if (!glob) arguments_refuse(&a, "exclude: each must be a text; put it in quotes");
        j->excluded[i] = strdup(glob ? glob : "");
    }
    snprintf(j->message, sizeof j->message, "%s", a.problem);
    bool good = !a.problem[0];
    arguments_close(&a);
    return good;
}

static outcome refuse(copy_job *j, const char *format, const char *what) {
    snprintf(j->message, sizeof j->message, format, what);
    return FAILED;
}

/* Refuses roots for which a copy would lose data or never end. */
static outcome check_roots(copy_job *j, int from, int to) {
    if (lies_within(to, from) != 0)
        return refuse(j, "to: %s lies inside of from; it would be copied into itself", j->to);
    if (lies_within(from, to) != 0)
        return refuse(j, "from: %s lies inside of to; it would be written over", j->from);
    names sources, targets;
    if (!names_read(&sources, from)) return refuse(j, "from: %s cannot be read", j->from);
    bool empty = sources.count == 0;
    names_free(&sources);
    if (!j->delete || !empty) return DONE;
    if (!names_read(&targets, to)) return refuse(j, "to: %s cannot be read", j->to);
    bool loss = targets.count > 0;
    names_free(&targets);
    return loss ? refuse(j, "from: %s is empty; is it mounted? delete: true would remove "
                            "everything", j->from)
                : DONE;
}

static outcome run(copy_job *j, const bgrun_launch *launch) {
    int from = open(j->from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0) {
        entry_failed(j, j->from, "from cannot be opened");
        return FAILED;
    }
    int to = open_or_make(j->to);
    outcome result = FAILED;
    if (to < 0) {
        entry_failed(j, j->to, "to cannot be opened or made");
    } else if ((result = check_roots(j, from, to)) == DONE) {
        restore(j, launch->parameters_json);
        j->host->set_title(j->task, "Comparing", "");
        result = plan_directory(j, from, to, "");
        if (!j->partial_confirmed) {
            j->position.done -= j->position.path[0] ? j->position.offset : 0;
            j->position.path[0] = 0;
        }
        j->total += j->position.done;
        j->host->set_title(j->task, "Copying", "");
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        j->shown_at = j->resumed_at = j->position.done;
        j->resumed_nanoseconds = nanoseconds(now);
        j->host->set_progress(j->task, j->position.done, j->total);
        if (result == DONE) result = copy_directory(j, from, to, "");
    }
    close(from);
    if (to >= 0) close(to);
    return result;
}

static void describe(copy_job *j, outcome result) {
    char first[PATH_MAX];
    if (result == STOPPED) {
        snprintf(j->message, sizeof j->message, "stopped after %lld of %lld bytes%s",
                 (long long)j->position.done, (long long)j->total,
                 j->checkpoint ? "; the next attempt continues there" : "");
        if (j->position.done > j->saved_at || j->position.path[0]) save(j);
    } else if (result == DONE && j->problems > 0) {
        /* The walk is complete: the next attempt's progress starts from zero. */
        if (j->checkpoint) j->checkpoint->put(j->task, POSITION_VERSION, NULL, 0);
        snprintf(first, sizeof first, "%.*s", (int)sizeof first - 1, j->message);
        snprintf(j->message, sizeof j->message, "%lld entries failed, the first: %s",
                 (long long)j->problems, first);
    } else if (result == DONE) {
        snprintf(j->message, sizeof j->message,
                 "%lld copied (%lld bytes), %lld removed, %lld special files left out",
                 (long long)j->files, (long long)j->position.done, (long long)j->removed,
                 (long long)j->skipped);
    }
}

void sync_copy(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch) {
    copy_job *j = calloc(1, sizeof *j);
    *j = (copy_job){.host = host,
                    .task = task,
                    .checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT)};
    outcome result = read_parameters(j, launch) ? run(j, launch) : FAILED;
    describe(j, result);
    bool success = result == DONE && j->problems == 0;
    char message[sizeof j->message];
    memcpy(message, j->message, sizeof message);
    for (char **glob = j->excluded; glob && *glob; glob++) free(*glob);
    free(j->excluded);
    free(j->from);
    free(j->to);
    free(j);
    host->complete(task, success, message);
}
