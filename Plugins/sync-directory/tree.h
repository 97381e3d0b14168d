/* SPDX-License-Identifier: Apache-2.0
 * tree.h - directories by descriptor: no function here follows a symbolic link below its root. */
#ifndef SYNC_DIRECTORY_TREE_H
#define SYNC_DIRECTORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

typedef struct names {
    char **items; /* in byte order, without . and .. */
    size_t count;
} names;

/* The entries of a directory; false and errno if it cannot be read. Free them if true. */
bool names_read(names *n, int directory);
void names_free(names *n);
bool names_contain(const names *n, const char *name);

/* Opens a directory below another one, but not a symbolic link; -1 and errno on failure. */
int open_below(int directory, const char *name);
/* The path's parent below `root`, opened part by part, and its last part; -1 and errno. */
int open_parent(int root, const char *path, const char **last);
/* Opens a directory and creates the missing parts of its path, which may contain symbolic
 * links. -1 and errno on failure. */
int open_or_make(const char *path);
/* 1 if `inner` is `outer` or lies below it, 0 if not; -1 and errno on failure. */
int lies_within(int inner, int outer);
/* Removes an entry with everything in it; false and errno on failure. */
bool remove_tree(int directory, const char *name);

int64_t nanoseconds(struct timespec time);

#endif
