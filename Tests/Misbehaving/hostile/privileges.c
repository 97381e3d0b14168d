/* SPDX-License-Identifier: Apache-2.0
 * Attacks that try to get more rights. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum { SET_USER_ID = 04755 };

/* A new file beside the manifest. */
struct scratch {
    char path[4096];
    int file; /* or -1 */
};

static struct scratch make_scratch(const struct target *target) {
    struct scratch scratch;
    snprintf(scratch.path, sizeof scratch.path, "%s/scratch-%d", target->directory, getpid());
    scratch.file = open(scratch.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    return scratch;
}

static int remove_scratch(struct scratch *scratch, int error) {
    unlink(scratch->path);
    close(scratch->file);
    return error;
}

static int set_id(const struct target *target) {
    struct scratch scratch = make_scratch(target);
    if (scratch.file < 0) return errno;
    return remove_scratch(&scratch, failure(chmod(scratch.path, SET_USER_ID)));
}

static int set_id_by_file(const struct target *target) {
    struct scratch scratch = make_scratch(target);
    if (scratch.file < 0) return errno;
    return remove_scratch(&scratch, failure(fchmod(scratch.file, SET_USER_ID)));
}

static int set_id_by_new_call(const struct target *target) {
    struct scratch scratch = make_scratch(target);
    if (scratch.file < 0) return errno;
    long result = syscall(SYS_fchmodat2, AT_FDCWD, scratch.path, SET_USER_ID, 0);
    return remove_scratch(&scratch, failure(result));
}

/* By the mode of a new file. */
static int set_id_by_open(const struct target *target) {
    struct scratch scratch = make_scratch(target);
    if (scratch.file < 0) return errno;
    close(scratch.file);
    unlink(scratch.path);
    umask(0);
    scratch.file = open(scratch.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, SET_USER_ID);
    if (scratch.file < 0) return errno;
    return remove_scratch(&scratch, 0);
}

static int file_capability(const struct target *target) {
    struct scratch scratch = make_scratch(target);
    if (scratch.file < 0) return errno;
    struct vfs_cap_data data = {.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE};
    data.data[0].permitted = 1U << CAP_SYS_ADMIN % 32;
    long result = setxattr(scratch.path, "security.capability", &data, sizeof data, 0);
    return remove_scratch(&scratch, failure(result));
}

/* The effective user of a process that has ended, or -1. */
static long effective_user(pid_t pid) {
    char path[64], line[256];
    long user = -1;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *status = fopen(path, "re");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "Uid: %*d %ld", &user);
    if (status) fclose(status);
    return user;
}

/* "done" if a set-id program of root's ran with root's rights, "none" if it had those of its caller. */
static int run_set_id(const struct target *target) {
    (void)target;
    pid_t child = fork();
    if (child < 0) return errno;
    if (child == 0) {
        int null = open("/dev/null", O_RDWR);
        for (int number = 0; number < 3; number++) dup2(null, number);
        execl("/usr/bin/su", "su", "--version", (char *)NULL);
        _exit(127);
    }
    siginfo_t information;
    if (waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) < 0) return errno;
    long user = effective_user(child);
    waitpid(child, NULL, 0);
    if (information.si_code == CLD_EXITED && information.si_status == 127) return answer("missing");
    return user >= 0 && user != (long)geteuid() ? 0 : answer("none");
}

static int no_new_privileges(const struct target *target) {
    (void)target;
    return answer("%d", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

static int core_dump(const struct target *target) {
    (void)target;
    struct rlimit limit;
    if (getrlimit(RLIMIT_CORE, &limit) < 0) return errno;
    return answer("%s", limit.rlim_max <= 1 ? "0" : "permitted");
}

/* Those capabilities, of a process or of the programs that it executes, that reach beyond files of a user. */
static int capabilities(const struct target *target) {
    (void)target;
    static const struct {
        const char *name;
        int number;
    } all[] = {
        {"sys_admin", CAP_SYS_ADMIN},       {"sys_ptrace", CAP_SYS_PTRACE},
        {"sys_module", CAP_SYS_MODULE},     {"sys_rawio", CAP_SYS_RAWIO},
        {"sys_chroot", CAP_SYS_CHROOT},     {"sys_boot", CAP_SYS_BOOT},
        {"sys_nice", CAP_SYS_NICE},         {"sys_resource", CAP_SYS_RESOURCE},
        {"sys_time", CAP_SYS_TIME},         {"net_admin", CAP_NET_ADMIN},
        {"net_raw", CAP_NET_RAW},           {"mknod", CAP_MKNOD},
        {"setfcap", CAP_SETFCAP},           {"setpcap", CAP_SETPCAP},
        {"dac_read_search", CAP_DAC_READ_SEARCH}, {"bpf", CAP_BPF},
        {"syslog", CAP_SYSLOG},             {"ipc_lock", CAP_IPC_LOCK},
    };
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) return errno;
    char found[400] = "";
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) {
        int number = all[index].number;
        unsigned held = data[number / 32].permitted >> number % 32 & 1;
        /* Programs of root's get what the bounding set has. */
        bool is_bounded = prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 0;
        if (!held && (is_bounded || geteuid() != 0)) continue;
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%s", *found ? " " : "",
                 all[index].name);
    }
    return answer("%s", *found ? found : "none");
}

static int real_time(const struct target *target) {
    (void)target;
    struct sched_param parameters = {.sched_priority = 1};
    return failure(sched_setscheduler(0, SCHED_FIFO, &parameters));
}

static int high_priority(const struct target *target) {
    (void)target;
    errno = 0;
    return nice(-20) == -1 && errno ? errno : 0;
}

static int raise_limit(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return errno;
    if (limit.rlim_max == RLIM_INFINITY) return answer("unlimited");
    limit.rlim_max++;
    return failure(setrlimit(resource, &limit));
}

static int raise_files(const struct target *target) {
    (void)target;
    return raise_limit(RLIMIT_NOFILE);
}

static int raise_tasks(const struct target *target) {
    (void)target;
    return raise_limit(RLIMIT_NPROC);
}

static int become_root(const struct target *target) {
    (void)target;
    return failure(setresuid((uid_t)-1, 0, (uid_t)-1));
}

const struct attack privilege_attacks[] = {
    {"set_id", set_id, IN_CHILD},
    {"set_id_by_file", set_id_by_file, IN_CHILD},
    {"set_id_by_new_call", set_id_by_new_call, IN_CHILD},
    {"set_id_by_open", set_id_by_open, IN_CHILD},
    {"file_capability", file_capability, IN_CHILD},
    {"run_set_id", run_set_id, IN_CHILD},
    {"no_new_privileges", no_new_privileges, IN_CHILD},
    {"core_dump", core_dump, IN_CHILD},
    {"capabilities", capabilities, IN_CHILD},
    {"real_time", real_time, IN_CHILD},
    {"high_priority", high_priority, IN_CHILD},
    {"raise_files", raise_files, IN_CHILD},
    {"raise_tasks", raise_tasks, IN_CHILD},
    {"become_root", become_root, IN_CHILD},
    {NULL, NULL, 0},
};
