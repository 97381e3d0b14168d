/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "init.h"

/* By mount: a copy of the tree that a SHOW shows, or -1. */
static int copies[BGRUN_PLAN_MOST_MOUNTS];

static int copy_tree(const char *path) {
    int place = open_unlinked(path);
    if (place < 0) return -1;
    int copy = open_tree(place, "", AT_EMPTY_PATH | AT_RECURSIVE | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    int error = errno;
    close(place);
    errno = error;
    return copy;
}

static int set_flags(int tree, uint64_t set) {
    struct mount_attr attributes = {.attr_set = set};
    return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes, sizeof attributes);
}

/* Creates the directories of `path` that are missing on a tmpfs of ours, and its last part. */
static int make_place(const char *path, int is_file) {
    char part[4096];
    size_t length = strlen(path);
    if (length >= sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        struct stat status;
        if (lstat(part, &status) == 0) continue;
        int is_last = path[i] == 0;
        if (is_last && is_file) {
            int file = open(part, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
            if (file < 0) return -1;
            close(file);
        } else if (mkdir(part, 0755) < 0) {
            return -1;
        }
    }
    return 0;
}

static int place_tree(int tree, const char *path) {
    int target = open_unlinked(path);
    if (target < 0) return -1;
    int moved = move_mount(
        tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
    int error = errno;
    close(target);
    errno = error;
    return moved;
}

static int show(const struct bgrun_plan_mount *item, int copy) {
    const char *path = plan_text(item->path);
    uint64_t flags = MOUNT_ATTR_NOSUID;
    if (!(item->flags & BGRUN_MOUNT_WRITABLE)) flags |= MOUNT_ATTR_RDONLY;
    if (set_flags(copy, flags) < 0) return -1;
    if (make_place(path, item->flags & BGRUN_MOUNT_FILE) < 0) return -1;
    return place_tree(copy, path);
}

/* /dev/null reads as an empty file. */
static int show_nothing(const char *path) {
    int copy = copy_tree("/dev/null");
    if (copy < 0) return -1;
    int result = set_flags(copy, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID);
    if (result == 0) result = place_tree(copy, path);
    int error = errno;
    close(copy);
    errno = error;
    return result;
}

/* A read-only one is sealed once its mount points exist. */
static int cover(const struct bgrun_plan_mount *item) {
    const char *path = plan_text(item->path);
    const char *mode = item->flags & BGRUN_MOUNT_WRITABLE ? "1777" : "0755";
    unsigned long long size = item->size ? item->size : 1u << 20;
    char options[96];
    if (make_place(path, 0) < 0) return -1;
    /* Files without contents cost the kernel's memory, too. */
    snprintf(
        options, sizeof options, "mode=%s,size=%llu,nr_inodes=%llu", mode, size, size / 4096 + 64);
    return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

static int seal(const struct bgrun_plan_mount *item) {
    if (item->kind != BGRUN_MOUNT_COVER || (item->flags & BGRUN_MOUNT_WRITABLE)) return 0;
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY};
    return mount_setattr(AT_FDCWD, plan_text(item->path), 0, &attributes, sizeof attributes);
}

/* Its directories are on a cover, or exist: then so does the link. */
static int make_link(const struct bgrun_plan_mount *item) {
    const char *path = plan_text(item->path);
    char parent[4096];
    struct stat status;
    const char *slash = strrchr(path, '/');
    size_t length = (size_t)(slash - path);
    if (length >= sizeof parent) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(parent, path, length);
    parent[length] = 0;
    if (lstat(path, &status) == 0) return 0;
    if (length > 0 && make_place(parent, 0) < 0) return -1;
    return symlink(plan_text(item->target), path);
}

static int perform(const struct bgrun_plan_mount *item, int copy) {
    const char *path = plan_text(item->path);
    switch (item->kind) {
    case BGRUN_MOUNT_COVER: return cover(item);
    case BGRUN_MOUNT_SHOW: return show(item, copy);
    case BGRUN_MOUNT_EMPTY: return show_nothing(path);
    case BGRUN_MOUNT_LINK: return make_link(item);
    case BGRUN_MOUNT_PTS:
        if (make_place(path, 0) < 0) return -1;
        return mount("devpts", path, "devpts", MS_NOSUID | MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620");
    default:
        /* Root may write settings of the kernel there even without capabilities. */
        return mount("proc", path, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY, NULL);
    }
}

static int may_be_missing(const struct bgrun_plan_mount *item) {
    return (item->flags & BGRUN_MOUNT_OPTIONAL) && errno == ENOENT;
}

void mount_view(void) {
    const struct bgrun_plan_mount *items = plan_array(plan->mounts);
    uint32_t count = plan->mounts.count;
    mode_t mask = umask(0);
    /* New mounts of the machine arrive here, none of ours leaves: also none on the copies, which are peers else. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0) fail(BGRUN_STEP_ROOT, 0);
    /* The copies come first: covers hide what they show. */
    for (uint32_t i = 0; i < count; i++) {
        copies[i] = items[i].kind == BGRUN_MOUNT_SHOW ? copy_tree(plan_text(items[i].path)) : -1;
        if (items[i].kind == BGRUN_MOUNT_SHOW && copies[i] < 0 && !may_be_missing(&items[i]))
            fail(BGRUN_STEP_COPY, i);
    }
    /* Not nodev: that would close the devices. */
    struct mount_attr attributes = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID};
    if (mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof attributes) < 0)
        fail(BGRUN_STEP_ROOT, 1);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].kind == BGRUN_MOUNT_SHOW && copies[i] < 0) continue;
        if (perform(&items[i], copies[i]) < 0 && !may_be_missing(&items[i]))
            fail(BGRUN_STEP_MOUNT, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (copies[i] >= 0) close(copies[i]);
        if (seal(&items[i]) < 0) fail(BGRUN_STEP_MOUNT, i);
    }
    umask(mask);
}
