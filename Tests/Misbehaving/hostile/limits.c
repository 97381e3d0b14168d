/* SPDX-License-Identifier: Apache-2.0
 * Attacks that use up processes, descriptors, space and the host's attention. Each has a bound of its own. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_FILES = 20000,
    MOST_DEPTH = 300,
    MOST_DESCRIPTORS = 16384,
    MOST_SPACE = 64 << 20, /* bytes */
    DENIED_CALLS = 100000,
    CHUNK = 1 << 16,
};

/* Starts a process in a session of its own that is not a child, and sleeps. */
static int start_sleeper(void) {
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        setsid();
        pid_t sleeper = fork();
        if (sleeper == 0)
            for (;;) sleep(3600);
        _exit(sleeper < 0 ? errno : 0);
    }
    int status;
    if (waitpid(child, &status, 0) < 0) return errno;
    return WEXITSTATUS(status);
}

/* The error of a limit of at most `most` processes. */
static int fork_bomb(const struct target *target) {
    for (long count = 0; count < target->most; count++) {
        int error = start_sleeper();
        if (error) return error;
    }
    return 0;
}

/* The error of a limit of at most `most` descriptors. */
static int open_files(const struct target *target) {
    long most = target->most && target->most < MOST_DESCRIPTORS ? target->most : MOST_DESCRIPTORS;
    for (long count = 0; count < most; count++)
        if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) return errno;
    return 0;
}

/* Writes until it fails. Removes the file. */
static int fill(const char *path, long most) {
    static char zeros[CHUNK];
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    unlink(path);
    for (long written = 0; written < most;) {
        ssize_t count = write(file, zeros, sizeof zeros);
        if (count < 0) return errno;
        written += count;
    }
    return 0;
}

static int fill_in(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/fill-%d", directory, getpid());
    return fill(path, MOST_SPACE);
}

static int fill_temporary(const struct target *target) {
    (void)target;
    return fill_in("/tmp");
}

static int fill_var_temporary(const struct target *target) {
    (void)target;
    return fill_in("/var/tmp");
}

static int fill_shared_memory(const struct target *target) {
    (void)target;
    return fill_in("/dev/shm");
}

static int large_file(const struct target *target) {
    signal(SIGXFSZ, SIG_IGN);
    return fill_in(target->directory);
}

static int large_file_signal(const struct target *target) {
    signal(SIGXFSZ, SIG_DFL);
    return fill_in(target->directory);
}

/* 1 TiB without contents. */
static int sparse_file(const struct target *target) {
    char path[4096];
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof path, "%s/sparse-%d", target->directory, getpid());
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    unlink(path);
    return failure(ftruncate(file, 1L << 40));
}

/* The files stay: the host removes them. */
static int many_files(const struct target *target) {
    (void)target;
    char path[64];
    if (mkdir("/tmp/many", 0700) < 0) return errno;
    for (int count = 0; count < MOST_FILES; count++) {
        snprintf(path, sizeof path, "/tmp/many/%d", count);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) return errno;
        close(file);
    }
    return 0;
}

static int deep_directories(const struct target *target) {
    (void)target;
    if (chdir("/tmp") < 0) return errno;
    for (int count = 0; count < MOST_DEPTH; count++)
        if (mkdir("deep", 0700) < 0 || chdir("deep") < 0) return errno;
    return 0;
}

/* "refused" if each call was. Without a filter its descriptors are invalid. */
static int denied_calls(const struct target *target) {
    (void)target;
    int refused = 0;
    for (int count = 0; count < DENIED_CALLS; count++) {
        long result = syscall(SYS_pidfd_getfd, -1, -1, 0);
        refused += result < 0 && (errno == EPERM || errno == ENOSYS);
    }
    return refused == DENIED_CALLS ? answer("refused") : answer("%d refused", refused);
}

const struct attack limit_attacks[] = {
    {"fork_bomb", fork_bomb, IN_CHILD},
    {"open_files", open_files, IN_CHILD},
    {"fill_temporary", fill_temporary, IN_CHILD},
    {"fill_var_temporary", fill_var_temporary, IN_CHILD},
    {"fill_shared_memory", fill_shared_memory, IN_CHILD},
    {"large_file", large_file, IN_CHILD},
    {"large_file_signal", large_file_signal, IN_CHILD},
    {"sparse_file", sparse_file, IN_CHILD},
    {"many_files", many_files, IN_CHILD | IN_NAMESPACE},
    {"deep_directories", deep_directories, IN_CHILD | IN_NAMESPACE},
    {"denied_calls", denied_calls, IN_CHILD},
    {NULL, NULL, 0},
};
