/* SPDX-License-Identifier: Apache-2.0
 * walk.c - the two walks of sync-directory.copy, in byte order of the names. */
#include "copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *join(const char *path, const char *name) {
    char *result = NULL;
    if (asprintf(&result, "%s%s%s", path, *path ? "/" : "", name) < 0) abort();
    return result;
}

static bool target_of(int to, const char *name, struct stat *target) {
    return to >= 0 && fstatat(to, name, target, AT_SYMLINK_NOFOLLOW) == 0;
}

static void plan_file(copy_job *j, int to, const char *name, const char *path,
                      const struct stat *source) {
    struct stat target;
    char partial[NAME_MAX + 1];
    if (target_of(to, name, &target) && is_current(source, &target)) return;
    j->total += source->st_size;
    partial_name(partial, sizeof partial, name);
    if (is_partial(j, path, source) && target_of(to, partial, &target) &&
        S_ISREG(target.st_mode) && target.st_size >= j->position.offset) {
        j->partial_confirmed = true;
        j->total -= j->position.offset;
    }
}

outcome plan_directory(copy_job *j, int from, int to, const char *path) {
    names sources;
    if (!names_read(&sources, from)) return DONE; /* copy_directory reports it */
    outcome result = DONE;
    for (size_t i = 0; result == DONE && i < sources.count; i++) {
        const char *name = sources.items[i];
        char *inner = join(path, name);
        struct stat source;
        if (should_stop(j)) {
            result = STOPPED;
        } else if (!is_excluded(j, name, inner) &&
                   fstatat(from, name, &source, AT_SYMLINK_NOFOLLOW) == 0) {
            if (S_ISREG(source.st_mode)) plan_file(j, to, name, inner, &source);
            int below = S_ISDIR(source.st_mode) ? open_below(from, name) : -1;
            if (below >= 0) {
                int target = to >= 0 ? open_below(to, name) : -1;
                result = plan_directory(j, below, target, inner);
                if (target >= 0) close(target);
                close(below);
            }
        }
        free(inner);
    }
    names_free(&sources);
    return result;
}

/* Removes an entry of another type at the destination. */
static bool clear_conflict(copy_job *j, int to, const char *name, mode_t kind) {
    struct stat target;
    if (!target_of(to, name, &target)) return true;
    bool directory = S_ISDIR(target.st_mode);
    /* rename replaces any entry except a directory, and never follows a link. */
    if (directory == S_ISDIR(kind)) return true;
    errno = directory ? EISDIR : ENOTDIR;
    if (!j->delete || !remove_tree(to, name)) return false;
    j->removed++;
    return true;
}

static outcome copy_link(copy_job *j, int from, int to, const char *name, const char *path,
                         const struct stat *source) {
    char text[PATH_MAX], there[PATH_MAX], partial[NAME_MAX + 1];
    ssize_t length = readlinkat(from, name, text, sizeof text - 1);
    if (length < 0) return entry_failed(j, path, "cannot be read");
    text[length] = 0;
    ssize_t other = readlinkat(to, name, there, sizeof there - 1);
    if (other == length && memcmp(text, there, (size_t)length) == 0) return DONE;
    partial_name(partial, sizeof partial, name);
    unlinkat(to, partial, 0);
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, source->st_mtim};
    if (symlinkat(text, to, partial) != 0 ||
        utimensat(to, partial, times, AT_SYMLINK_NOFOLLOW) != 0 ||
        renameat(to, partial, to, name) != 0)
        return entry_failed(j, path, "cannot be written");
    j->files++;
    return DONE;
}

static outcome copy_below(copy_job *j, int from, int to, const char *name, const char *path,
                          const struct stat *source) {
    int below = open_below(from, name);
    if (below < 0) return entry_failed(j, path, "cannot be opened");
    if (mkdirat(to, name, 0700) != 0 && errno != EEXIST) {
        close(below);
        return entry_failed(j, path, "cannot be made");
    }
    /* A directory that its owner may not write or search gets these rights during the walk. */
    struct stat target;
    if (target_of(to, name, &target) && (target.st_mode & 0700) != 0700)
        fchmodat(to, name, (target.st_mode & 0777) | 0700, AT_SYMLINK_NOFOLLOW);
    int there = open_below(to, name);
    outcome result;
    if (there < 0) {
        result = entry_failed(j, path, "cannot be opened at the destination");
    } else {
        result = copy_directory(j, below, there, path);
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, source->st_mtim};
        if (result == DONE &&
            (fchmod(there, source->st_mode & 0777) != 0 || futimens(there, times) != 0))
            result = entry_failed(j, path, "its mode or time cannot be set");
        close(there);
    }
    close(below);
    return result;
}

static outcome copy_entry(copy_job *j, int from, int to, const char *name, const char *path) {
    struct stat source, target;
    if (fstatat(from, name, &source, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? DONE : entry_failed(j, path, "cannot be read");
    if (!S_ISREG(source.st_mode) && !S_ISDIR(source.st_mode) && !S_ISLNK(source.st_mode)) {
        j->skipped++;
        return DONE;
    }
    if (!clear_conflict(j, to, name, source.st_mode))
        return entry_failed(j, path, "the destination holds something of another kind");
    if (S_ISDIR(source.st_mode)) return copy_below(j, from, to, name, path, &source);
    if (S_ISLNK(source.st_mode)) return copy_link(j, from, to, name, path, &source);
    if (!target_of(to, name, &target) || !is_current(&source, &target))
        return copy_file(j, from, to, name, path, &source);
    if ((source.st_mode & 0777) != (target.st_mode & 0777) &&
        fchmodat(to, name, source.st_mode & 0777, AT_SYMLINK_NOFOLLOW) != 0)
        return entry_failed(j, path, "its mode cannot be set");
    return DONE;
}

/* Removes entries that the source no longer has, and abandoned partial copies. */
static outcome remove_others(copy_job *j, const names *sources, int to, const char *path) {
    names targets;
    if (!names_read(&targets, to)) return entry_failed(j, path, "cannot be read");
    outcome result = DONE;
    for (size_t i = 0; result == DONE && i < targets.count; i++) {
        const char *name = targets.items[i];
        bool partial = is_partial_name(name);
        if (names_contain(sources, name) || !(j->delete || partial)) continue;
        char *inner = join(path, name);
        if (should_stop(j)) {
            result = STOPPED;
        } else if (!is_excluded(j, name, inner)) {
            if (!remove_tree(to, name))
                result = entry_failed(j, inner, "cannot be removed");
            else if (!partial)
                j->removed++;
        }
        free(inner);
    }
    names_free(&targets);
    return result;
}

outcome copy_directory(copy_job *j, int from, int to, const char *path) {
    names sources;
    /* Without the list nothing may be deleted: all entries would seem to be removed. */
    if (!names_read(&sources, from)) return entry_failed(j, path, "cannot be read");
    outcome result = DONE;
    for (size_t i = 0; result == DONE && i < sources.count; i++) {
        const char *name = sources.items[i];
        char *inner = join(path, name);
        if (should_stop(j))
            result = STOPPED;
        else if (!is_excluded(j, name, inner) && !is_partial_name(name))
            result = copy_entry(j, from, to, name, inner);
        free(inner);
    }
    if (result == DONE) result = remove_others(j, &sources, to, path);
    if (result == DONE && j->sync && fsync(to) != 0)
        result = entry_failed(j, path, "cannot be synced");
    names_free(&sources);
    return result;
}
