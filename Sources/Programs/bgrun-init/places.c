/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

static int fail_with(int error, int descriptor) {
    close(descriptor);
    errno = error;
    return -1;
}

/* As with RESOLVE_NO_SYMLINKS: no part of the path is followed if it is a link. */
static int open_parts(const char *path) {
    int place = open("/", O_PATH | O_CLOEXEC);
    while (place >= 0) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length == 0) return place;
        char part[256];
        if (length >= sizeof part) return fail_with(ENAMETOOLONG, place);
        memcpy(part, path, length);
        part[length] = 0;
        path += length;
        int next = openat(place, part, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0) return fail_with(errno, place);
        close(place);
        place = next;
        struct stat status;
        if (fstat(place, &status) < 0) return fail_with(errno, place);
        if (S_ISLNK(status.st_mode)) return fail_with(ELOOP, place);
    }
    return -1;
}

int open_unlinked(const char *path) {
    struct open_how how = {
        .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    int place = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    /* systemd's RestrictSUIDSGID=, which DynamicUser= implies, forbids the call: no filter can see its mode. */
    if (place < 0 && errno == ENOSYS) return open_parts(path);
    return place;
}
