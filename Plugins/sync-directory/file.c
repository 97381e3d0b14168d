/* SPDX-License-Identifier: Apache-2.0
 * file.c - copies one file beside its destination and renames it, so that the destination is
 * always either the old file or the new one. */
#include "copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

/* Copies at most `limit` bytes, which is at most CHUNK; 0 at the end of the file, -1 and errno on
 * failure. */
static ssize_t copy_chunk(int in, int out, size_t limit) {
    static char buffer[CHUNK];
    ssize_t count = copy_file_range(in, NULL, out, NULL, limit, 0);
    if (count >= 0 || (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP))
        return count;
    count = read(in, buffer, limit);
    for (ssize_t written = 0; written < count;) {
        ssize_t part = write(out, buffer + written, (size_t)(count - written));
        if (part < 0) return -1;
        written += part;
    }
    return count;
}

/* Opens the partial copy at the offset to continue from. */
static int open_partial(copy_job *j, int in, int to, const char *partial, const char *path,
                        const struct stat *source) {
    if (is_partial(j, path, source)) {
        int out = openat(to, partial, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
        off_t offset = (off_t)j->position.offset;
        if (out >= 0 && ftruncate(out, offset) == 0 && lseek(out, offset, SEEK_SET) == offset &&
            lseek(in, offset, SEEK_SET) == offset)
            return out;
        if (out >= 0) close(out);
    }
    if (unlinkat(to, partial, 0) != 0 && errno != ENOENT) return -1;
    int out = openat(to, partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    j->position.offset = 0;
    j->position.size = source->st_size;
    j->position.mtime = nanoseconds(source->st_mtim);
    snprintf(j->position.path, sizeof j->position.path, "%s", path);
    return out;
}

/* Waits until the rate permits the bytes copied so far. */
static void keep_rate(const copy_job *j) {
    if (j->rate == INT64_MAX) return;
    double seconds = (double)(j->position.done - j->resumed_at) / (double)j->rate;
    int64_t due = j->resumed_nanoseconds + (int64_t)(seconds * 1e9);
    struct timespec time = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static outcome copy_data(copy_job *j, int in, int out, const char *path) {
    /* The bytes of a twentieth of a second, the maximum delay after a request to stop. */
    int64_t part = j->rate / 20 + 1;
    size_t limit = part < CHUNK ? (size_t)part : CHUNK;
    for (;;) {
        bool stop = should_stop(j);
        if (stop || j->position.done - j->saved_at >= j->checkpoint_every) {
            /* The position must not include bytes that a power cut could still lose. */
            if (fdatasync(out) != 0) return entry_failed(j, path, "cannot be written");
            if (stop) return STOPPED;
            if (save(j) != DONE) return FAILED;
        }
        ssize_t count = copy_chunk(in, out, limit);
        if (count < 0) {
            outcome result = entry_failed(j, path, "cannot be copied");
            return result == DONE ? FAILED : result;
        }
        if (count == 0) return DONE;
        j->position.done += count;
        j->position.offset += count;
        show(j, path);
        keep_rate(j);
    }
}

static outcome finish(copy_job *j, int in, int out, int to, const char *partial, const char *name,
                      const char *path, const struct stat *source) {
    struct stat now;
    if (fstat(in, &now) != 0 || now.st_size != source->st_size ||
        nanoseconds(now.st_mtim) != nanoseconds(source->st_mtim)) {
        unlinkat(to, partial, 0);
        errno = EBUSY;
        return entry_failed(j, path, "changed while it was copied, left for the next attempt");
    }
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, source->st_mtim};
    if (fchmod(out, source->st_mode & 0777) != 0 || futimens(out, times) != 0 ||
        (j->sync && fsync(out) != 0) || renameat(to, partial, to, name) != 0)
        return entry_failed(j, path, "cannot be written");
    j->files++;
    return DONE;
}

outcome copy_file(copy_job *j, int from, int to, const char *name, const char *path,
                  const struct stat *source) {
    char partial[NAME_MAX + 1];
    struct stat opened;
    int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (in < 0) return errno == ENOENT ? DONE : entry_failed(j, path, "cannot be opened");
    if (fstat(in, &opened) != 0 || !S_ISREG(opened.st_mode)) {
        close(in);
        errno = EBUSY;
        return entry_failed(j, path, "changed into something else");
    }
    partial_name(partial, sizeof partial, name);
    int out = open_partial(j, in, to, partial, path, source);
    if (out < 0) {
        close(in);
        return entry_failed(j, path, "cannot be written");
    }
    int64_t problems = j->problems;
    outcome result = copy_data(j, in, out, path);
    if (result == DONE) result = finish(j, in, out, to, partial, name, path, source);
    /* An error of this file only: removes its partial copy and continues with the others. */
    if (j->problems > problems) unlinkat(to, partial, 0);
    if (result != STOPPED) j->position.path[0] = 0;
    close(in);
    close(out);
    return result;
}
