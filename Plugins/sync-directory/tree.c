/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bool names_read(names *n, int directory) {
    *n = (names){0};
    /* A separate descriptor: reading moves the position of a shared one. */
    int own = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    if (!stream) return false;
    size_t capacity = 0;
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (n->count == capacity) {
            capacity = capacity ? capacity * 2 : 64;
            n->items = reallocarray(n->items, capacity, sizeof *n->items);
            if (!n->items) abort();
        }
        n->items[n->count++] = strdup(entry->d_name);
    }
    int error = errno;
    closedir(stream);
    if (error != 0) names_free(n);
    errno = error;
    if (error == 0 && n->count > 0) qsort(n->items, n->count, sizeof *n->items, compare);
    return error == 0;
}

void names_free(names *n) {
    for (size_t i = 0; i < n->count; i++) free(n->items[i]);
    free(n->items);
    *n = (names){0};
}

bool names_contain(const names *n, const char *name) {
    return n->count > 0 && bsearch(&name, n->items, n->count, sizeof *n->items, compare);
}

int open_below(int directory, const char *name) {
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int open_parent(int root, const char *path, const char **last) {
    int directory = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *slash;
    while (directory >= 0 && (slash = strchr(path, '/'))) {
        char *name = strndup(path, (size_t)(slash - path));
        int next = open_below(directory, name);
        free(name);
        int error = errno;
        close(directory);
        errno = error;
        directory = next;
        path = slash + 1;
    }
    *last = path;
    return directory;
}

int open_or_make(const char *path) {
    char *copy = strdup(path);
    for (char *slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            free(copy);
            return -1;
        }
        *slash = '/';
    }
    free(copy);
    if (mkdir(path, 0777) != 0 && errno != EEXIST) return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int lies_within(int inner, int outer) {
    struct stat wanted, here, above;
    if (fstat(outer, &wanted) != 0 || fstat(inner, &here) != 0) return -1;
    int at = openat(inner, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (;;) {
        if (at < 0) return -1;
        bool same = here.st_dev == wanted.st_dev && here.st_ino == wanted.st_ino;
        int up = openat(at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(at);
        if (same || up < 0 || fstat(up, &above) != 0 ||
            (above.st_dev == here.st_dev && above.st_ino == here.st_ino)) {
            bool known = same || up >= 0;
            if (up >= 0) close(up);
            return same ? 1 : known ? 0 : -1;
        }
        here = above;
        at = up;
    }
}

bool remove_tree(int directory, const char *name) {
    if (unlinkat(directory, name, 0) == 0 || errno == ENOENT) return true;
    if (errno != EISDIR && errno != EPERM) return false;
    int inner = open_below(directory, name);
    names inside;
    if (inner < 0) return false;
    bool good = names_read(&inside, inner);
    for (size_t i = 0; good && i < inside.count; i++) good = remove_tree(inner, inside.items[i]);
    int error = errno;
    names_free(&inside);
    close(inner);
    errno = error;
    return good && unlinkat(directory, name, AT_REMOVEDIR) == 0;
}

int64_t nanoseconds(struct timespec time) {
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
