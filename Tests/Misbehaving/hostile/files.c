/* SPDX-License-Identifier: Apache-2.0
 * Attacks on files: the store, the manifest, the plugin, the user's home directory, the system. An attack that works
 * restores the file. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

struct path {
    char text[4096];
};

static struct path joined(const char *first, const char *second) {
    struct path path;
    int length = snprintf(path.text, sizeof path.text, "%s%s", first, second);
    if (length >= (int)sizeof path.text) abort();
    return path;
}

static int create(const char *path) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    close(file);
    return 0;
}

/* Sets the mode that it has; any mode if that is unknown. */
static int set_mode(const char *path) {
    struct stat status = {.st_mode = 0600};
    (void)!stat(path, &status);
    return failure(chmod(path, status.st_mode & 07777));
}

static int move_away(const char *path) {
    struct path other = joined(path, ".moved");
    if (rename(path, other.text) < 0) return errno;
    return failure(rename(other.text, path));
}

/* Keeps the file under another name. */
static int delete(const char *path) {
    struct path other = joined(path, ".kept");
    bool is_kept = link(path, other.text) == 0;
    int error = failure(unlink(path));
    if (is_kept && error == 0) error = failure(rename(other.text, path));
    if (is_kept && error != 0) unlink(other.text);
    return error;
}

/* Moves a new file over it. */
static int replace(const char *path) {
    struct path other = joined(path, ".new"), old = joined(path, ".old");
    int error = create(other.text);
    if (error) return error;
    bool is_kept = link(path, old.text) == 0;
    error = failure(rename(other.text, path));
    if (is_kept && error == 0) error = failure(rename(old.text, path));
    unlink(other.text);
    unlink(old.text);
    return error;
}

static int store_read(const struct target *target) { return try_open(target->store, O_RDONLY); }
static int store_write(const struct target *target) { return try_open(target->store, O_RDWR); }
static int store_rename(const struct target *target) { return move_away(target->store); }
static int store_chmod(const struct target *target) { return set_mode(target->store); }

/* To its size. */
static int store_truncate(const struct target *target) {
    struct stat status = {0};
    (void)!stat(target->store, &status);
    return failure(truncate(target->store, status.st_size));
}

static int store_utime(const struct target *target) {
    return failure(utimensat(AT_FDCWD, target->store, NULL, 0));
}

static int store_xattr(const struct target *target) {
    if (setxattr(target->store, "user.hostile", "1", 1, 0) < 0) return errno;
    return failure(removexattr(target->store, "user.hostile"));
}

static int store_stat(const struct target *target) {
    struct stat status;
    return failure(stat(target->store, &status));
}

static int store_link(const struct target *target) {
    struct path other = joined(target->directory, "/store-link");
    if (link(target->store, other.text) < 0) return errno;
    return failure(unlink(other.text));
}

static int state_chmod(const struct target *target) { return set_mode(target->state); }

static int state_create(const struct target *target) {
    struct path new = joined(target->state, "/hostile");
    int error = create(new.text);
    return error ? error : failure(unlink(new.text));
}

static int state_rename(const struct target *target) { return move_away(target->state); }

static int manifest_write(const struct target *target) {
    return try_open(target->manifest, O_WRONLY);
}
static int manifest_chmod(const struct target *target) { return set_mode(target->manifest); }
static int manifest_unlink(const struct target *target) { return delete(target->manifest); }
static int manifest_rename(const struct target *target) { return move_away(target->manifest); }
static int manifest_replace(const struct target *target) { return replace(target->manifest); }

static int manifest_directory_rename(const struct target *target) {
    return move_away(target->directory);
}

static int plugin_write(const struct target *target) { return try_open(target->plugin, O_WRONLY); }
static int plugin_chmod(const struct target *target) { return set_mode(target->plugin); }
static int plugin_unlink(const struct target *target) { return delete(target->plugin); }
static int plugin_replace(const struct target *target) { return replace(target->plugin); }

/* A later commit of the user would run it. */
static int hook_write(const struct target *target) {
    struct path git = joined(target->directory, "/.git");
    struct path hooks = joined(git.text, "/hooks");
    struct path hook = joined(hooks.text, "/pre-commit");
    if (mkdir(git.text, 0755) < 0 && errno != EEXIST) return errno;
    if (mkdir(hooks.text, 0755) < 0 && errno != EEXIST) return errno;
    int error = create(hook.text);
    unlink(hook.text);
    rmdir(hooks.text);
    rmdir(git.text);
    return error;
}

static int home_read(const struct target *target) { return try_open(target->file, O_RDONLY); }

static int home_stat(const struct target *target) {
    struct stat status;
    return failure(stat(target->file, &status));
}

static int home_by_link(const struct target *target) {
    struct path name = joined(target->directory, "/home-link");
    if (symlink(target->file, name.text) < 0) return errno;
    int error = try_open(name.text, O_RDONLY);
    unlink(name.text);
    return error;
}

/* By the root directory of the worker. */
static int home_by_proc(const struct target *target) {
    struct path name = joined("/proc/self/root", target->file);
    return try_open(name.text, O_RDONLY);
}

static int system_write(const struct target *target) {
    (void)target;
    return try_open("/etc/passwd", O_WRONLY);
}

static int sysctl_write(const struct target *target) {
    (void)target;
    return try_open("/proc/sys/kernel/core_pattern", O_WRONLY);
}

static int sysrq_write(const struct target *target) {
    (void)target;
    return try_open("/proc/sysrq-trigger", O_WRONLY);
}

static int kernel_log(const struct target *target) {
    (void)target;
    return try_open("/dev/kmsg", O_RDONLY);
}

/* A device of a disk that does not exist. */
static int make_device(const struct target *target) {
    struct path name = joined(target->directory, "/disk");
    if (mknod(name.text, S_IFBLK | 0600, makedev(240, 0)) < 0) return errno;
    return failure(unlink(name.text));
}

/* Files of the worker's own cgroup, on a machine with cgroup v2 alone or beside v1. */
static int open_in_cgroup(const char *name) {
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char line[2048], own[2048] = "/";
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups && fgets(line, sizeof line, groups)) sscanf(line, "0::%2047s", own);
    if (groups) fclose(groups);
    int error = ENOENT;
    for (int index = 0; index < 2 && error == ENOENT; index++) {
        char path[8192];
        snprintf(path, sizeof path, "%s%s/%s", roots[index], own, name);
        error = try_open(path, O_WRONLY);
    }
    return error;
}

static int cgroup_move(const struct target *target) {
    (void)target;
    return open_in_cgroup("cgroup.procs");
}

static int cgroup_memory(const struct target *target) {
    (void)target;
    return open_in_cgroup("memory.max");
}

const struct attack file_attacks[] = {
    {"store_read", store_read, IN_CHILD},
    {"store_write", store_write, IN_CHILD},
    {"store_truncate", store_truncate, IN_CHILD},
    {"store_rename", store_rename, IN_CHILD},
    {"store_chmod", store_chmod, IN_CHILD},
    {"store_utime", store_utime, IN_CHILD},
    {"store_xattr", store_xattr, IN_CHILD},
    {"store_stat", store_stat, IN_CHILD},
    {"store_link", store_link, IN_CHILD},
    {"state_chmod", state_chmod, IN_CHILD},
    {"state_create", state_create, IN_CHILD},
    {"state_rename", state_rename, IN_CHILD},
    {"manifest_write", manifest_write, IN_CHILD},
    {"manifest_chmod", manifest_chmod, IN_CHILD},
    {"manifest_unlink", manifest_unlink, IN_CHILD},
    {"manifest_rename", manifest_rename, IN_CHILD},
    {"manifest_replace", manifest_replace, IN_CHILD},
    {"manifest_directory_rename", manifest_directory_rename, IN_CHILD},
    {"plugin_write", plugin_write, IN_CHILD},
    {"plugin_chmod", plugin_chmod, IN_CHILD},
    {"plugin_unlink", plugin_unlink, IN_CHILD},
    {"plugin_replace", plugin_replace, IN_CHILD},
    {"hook_write", hook_write, IN_CHILD},
    {"home_read", home_read, IN_CHILD},
    {"home_stat", home_stat, IN_CHILD},
    {"home_by_link", home_by_link, IN_CHILD},
    {"home_by_proc", home_by_proc, IN_CHILD},
    {"system_write", system_write, IN_CHILD},
    {"sysctl_write", sysctl_write, IN_CHILD},
    {"sysrq_write", sysrq_write, IN_CHILD},
    {"kernel_log", kernel_log, IN_CHILD},
    {"make_device", make_device, IN_CHILD},
    {"cgroup_move", cgroup_move, IN_CHILD},
    {"cgroup_memory", cgroup_memory, IN_CHILD},
    {NULL, NULL, 0},
};
