/* SPDX-License-Identifier: Apache-2.0
 * Attacks on another process of the same user. */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { NO_PIDFD = -1, OF_PROCESS = 1, BEST_EFFORT = 2 << 13 };

static int kill_victim(const struct target *target) {
    return failure(kill(target->victim, SIGKILL));
}

static int kill_group(const struct target *target) {
    return failure(kill(-target->victim, SIGKILL));
}

static int tgkill_victim(const struct target *target) {
    return failure(syscall(SYS_tgkill, target->victim, target->victim, SIGKILL));
}

static int sigqueue_victim(const struct target *target) {
    return failure(sigqueue(target->victim, SIGKILL, (union sigval){.sival_int = 0}));
}

/* In a namespace: it would kill every process of the user. */
static int kill_all(const struct target *target) {
    (void)target;
    return failure(kill(-1, SIGKILL));
}

static int ptrace_victim(const struct target *target) {
    return failure(ptrace(PTRACE_SEIZE, target->victim, 0, 0));
}

/* The start of memory that the process can write; any address if that is unknown. */
static uintptr_t writable_address(pid_t pid) {
    char path[64], line[512];
    uintptr_t found = 0x1000;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long start;
        if (sscanf(line, "%lx-%*x rw", &start) == 1 && strstr(line, " rw")) {
            found = start;
            break;
        }
    }
    if (maps) fclose(maps);
    return found;
}

/* Writes a byte that it has read. */
static int process_vm_write(const struct target *target) {
    char byte = 0;
    struct iovec own = {&byte, 1};
    struct iovec other = {(void *)writable_address(target->victim), 1};
    if (process_vm_readv(target->victim, &own, 1, &other, 1, 0) < 0) return errno;
    return failure(process_vm_writev(target->victim, &own, 1, &other, 1, 0));
}

static int open_in_proc(pid_t pid, const char *name, int flags) {
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    return try_open(path, flags);
}

static int proc_mem(const struct target *target) {
    return open_in_proc(target->victim, "mem", O_RDWR);
}

static int proc_environ(const struct target *target) {
    return open_in_proc(target->victim, "environ", O_RDONLY);
}

static int proc_root(const struct target *target) {
    return open_in_proc(target->victim, "root/", O_PATH | O_DIRECTORY);
}

static int proc_oom(const struct target *target) {
    return open_in_proc(target->victim, "oom_score_adj", O_WRONLY);
}

static int proc_descriptors(const struct target *target) {
    return open_in_proc(target->victim, "fd", O_RDONLY | O_DIRECTORY);
}

static int pidfd_open_victim(const struct target *target) {
    return failure(syscall(SYS_pidfd_open, target->victim, 0));
}

/* Without a descriptor of the victim it tries an invalid one. */
static int pidfd_getfd_victim(const struct target *target) {
    long process = syscall(SYS_pidfd_open, target->victim, 0);
    return failure(syscall(SYS_pidfd_getfd, process < 0 ? NO_PIDFD : process, 0, 0));
}

static int pidfd_kill(const struct target *target) {
    long process = syscall(SYS_pidfd_open, target->victim, 0);
    if (process < 0) return errno;
    return failure(syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0));
}

/* Sets the limit that it has. */
static int prlimit_victim(const struct target *target) {
    struct rlimit limit = {64, 64};
    if (prlimit(target->victim, RLIMIT_NOFILE, NULL, &limit) < 0) return errno;
    return failure(prlimit(target->victim, RLIMIT_NOFILE, &limit, NULL));
}

static int setpriority_victim(const struct target *target) {
    return failure(setpriority(PRIO_PROCESS, (id_t)target->victim, 19));
}

static int setaffinity_victim(const struct target *target) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0) return errno;
    return failure(sched_setaffinity(target->victim, sizeof set, &set));
}

static int setscheduler_victim(const struct target *target) {
    struct sched_param none = {0};
    return failure(sched_setscheduler(target->victim, SCHED_BATCH, &none));
}

static int ioprio_victim(const struct target *target) {
    return failure(syscall(SYS_ioprio_set, OF_PROCESS, target->victim, BEST_EFFORT | 7));
}

const struct attack process_attacks[] = {
    {"kill", kill_victim, IN_CHILD},
    {"kill_all", kill_all, IN_WORKER | IN_NAMESPACE},
    {"kill_group", kill_group, IN_CHILD},
    {"tgkill", tgkill_victim, IN_CHILD},
    {"sigqueue", sigqueue_victim, IN_CHILD},
    {"ptrace", ptrace_victim, IN_CHILD},
    {"process_vm", process_vm_write, IN_CHILD},
    {"proc_mem", proc_mem, IN_CHILD},
    {"proc_environ", proc_environ, IN_CHILD},
    {"proc_root", proc_root, IN_CHILD},
    {"proc_oom", proc_oom, IN_CHILD},
    {"proc_descriptors", proc_descriptors, IN_CHILD},
    {"pidfd_open", pidfd_open_victim, IN_CHILD},
    {"pidfd_getfd", pidfd_getfd_victim, IN_CHILD},
    {"pidfd_kill", pidfd_kill, IN_CHILD},
    {"prlimit", prlimit_victim, IN_CHILD},
    {"setpriority", setpriority_victim, IN_CHILD},
    {"setaffinity", setaffinity_victim, IN_CHILD},
    {"setscheduler", setscheduler_victim, IN_CHILD},
    {"ioprio", ioprio_victim, IN_CHILD},
    {NULL, NULL, 0},
};
