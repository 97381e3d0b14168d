/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bgrun_shims.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <link.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#define MOST_DESCRIPTORS 16
/* The time limit for a child to execute its program: its user can stop it once it has that user's
 * rights. */
#define START_MILLISECONDS 2000

static int result(long value) { return value < 0 ? -errno : (int)value; }

/* Copies `descriptor` above every target of start(). The kernel has EINVAL for a minimum above the limit of
 * descriptors. */
static int copy_above(int descriptor) {
    int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, MOST_DESCRIPTORS + 1);
    return copy >= 0 ? copy : errno == EINVAL ? -EMFILE : -errno;
}

int bgrun_become_subreaper(void) { return result(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int bgrun_signal_on_parent_death(int signal) {
    return result(prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0));
}

int bgrun_name_thread(const char *name) { return result(prctl(PR_SET_NAME, name, 0, 0, 0)); }

int bgrun_line_buffer_output(void) {
    return setvbuf(stdout, NULL, _IOLBF, 0) == 0 ? 0 : -EINVAL;
}

int bgrun_unshare_mounts(void) {
    if (unshare(CLONE_NEWNS) != 0) return -errno;
    return mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL) != 0 ? -errno : 0;
}

int bgrun_clock_is_synchronized(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    if (result < 0) return -errno;
    return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}

int bgrun_has_hypervisor(void) {
#ifdef __x86_64__
    unsigned a, b, c, d;
    __cpuid(1, a, b, c, d);
    (void)a, (void)b, (void)d;
    return c >> 31 & 1;
#else
    return -ENOTSUP;
#endif
}

static int64_t now(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t bgrun_boottime_ns(void) { return now(CLOCK_BOOTTIME); }

int64_t bgrun_monotonic_ns(void) { return now(CLOCK_MONOTONIC); }

int bgrun_flush_stdout(void) { return fflush(stdout) == 0 && !ferror(stdout); }

/* The separation of a process from its parent: a new group, or a new session. */
static const short GROUP = POSIX_SPAWN_SETPGROUP, SESSION = POSIX_SPAWN_SETSID;

/* Fills `actions` so that copies[i] becomes descriptor i. */
static int add_actions(posix_spawn_file_actions_t *actions, const int *copies, int count) {
    int error = 0;
    for (int i = 0; i < count && error == 0; i++)
        error = posix_spawn_file_actions_adddup2(actions, copies[i], i);
    return error ? error : posix_spawn_file_actions_addclosefrom_np(actions, count);
}

static int add_attributes(posix_spawnattr_t *attributes, short apart) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    int error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0) error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | apart);
    return error;
}

static int spawn(short apart, const char *path, char *const argv[], char *const envp[],
                 const int *copies, int count) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid = -1;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return -error;
    error = posix_spawnattr_init(&attributes);
    if (error == 0) {
        error = add_actions(&actions, copies, count);
        if (error == 0) error = add_attributes(&attributes, apart);
        if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, argv, envp);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error ? -error : pid;
}

/* Drops root's rights, in the only possible order. */
static int become(const struct bgrun_account *account) {
    if (setgroups((size_t)account->group_count, account->groups) < 0) return -1;
    if (setresgid(account->group, account->group, account->group) < 0) return -1;
    return setresuid(account->user, account->user, account->user);
}

/* The child's side of the fork; returns only on failure. All signals are blocked. */
static void enter(const struct bgrun_account *account, const char *path, char *const argv[],
                  char *const envp[], const int *copies, int count, int report) {
    sigset_t none;
    sigemptyset(&none);
    struct sigaction standard = {.sa_handler = SIG_DFL};
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    if (setpgid(0, 0) < 0) return;
    for (int i = 0; i < count; i++)
        if (dup2(copies[i], i) < 0) return;
    if (dup3(report, count, O_CLOEXEC) < 0) return;
    closefrom(count + 1);
    /* The user's home directory may be on a server that does not answer. */
    if (chdir("/") < 0 || become(account) < 0) return;
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(path, argv, envp);
}

/* 0 once the child has executed its program or has ended; otherwise the errno that it reports, or ETIMEDOUT. */
static int await_start(int report) {
    int64_t deadline = now(CLOCK_MONOTONIC) + START_MILLISECONDS * INT64_C(1000000);
    struct pollfd polled = {.fd = report, .events = POLLIN};
    int error = 0;
    for (;;) {
        int64_t left = (deadline - now(CLOCK_MONOTONIC) + 999999) / 1000000;
        int count = poll(&polled, 1, left > 0 ? (int)left : 0);
        if (count > 0) break;
        if (count == 0) return ETIMEDOUT;
        if (errno != EINTR) return errno;
    }
    while (read(report, &error, sizeof error) < 0 && errno == EINTR) {}
    return error;
}

static int fork_as(const struct bgrun_account *account, const char *path, char *const argv[],
                   char *const envp[], const int *copies, int count) {
    int ends[2], error = 0;
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    int report = copy_above(ends[1]);
    if (report < 0) {
        close(ends[0]);
        close(ends[1]);
        return report;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t pid = fork();
    if (pid == 0) {
        enter(account, path, argv, envp, copies, count, report);
        error = errno;
        /* Once `enter` has placed the descriptors, its number is `count`. */
        if (write(report, &error, sizeof error) < 0)
            (void)!write(count, &error, sizeof error);
        _exit(127);
    }
    if (pid < 0) error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(report);
    close(ends[1]);
    if (pid > 0) error = await_start(ends[0]);
    close(ends[0]);
    if (error == 0) return pid;
    /* By its ID, which no other process gets before it is reaped: a pidfd may lack a descriptor. A stopped child
     * would not end by itself. */
    if (pid > 0) kill(pid, SIGKILL);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
    return -error;
}

static int start(const struct bgrun_account *account, short apart, const char *path,
                 char *const argv[], char *const envp[], const int *descriptors, int count) {
    int copies[MOST_DESCRIPTORS];
    int copied = 0, outcome = 0;
    if (count > MOST_DESCRIPTORS) return -EINVAL;
    /* Copies above every target, so that no dup2 overwrites a source still needed. */
    while (copied < count && outcome == 0) {
        int copy = copy_above(descriptors[copied]);
        if (copy < 0) outcome = copy;
        else copies[copied++] = copy;
    }
    if (outcome == 0)
        outcome = account ? fork_as(account, path, argv, envp, copies, count)
                          : spawn(apart, path, argv, envp, copies, count);
    while (copied > 0) close(copies[--copied]);
    return outcome;
}

int bgrun_spawn(const char *path, char *const argv[], char *const envp[],
                const int *descriptors, int count) {
    return start(NULL, GROUP, path, argv, envp, descriptors, count);
}

int bgrun_spawn_session(const char *path, char *const argv[], char *const envp[],
                        const int *descriptors, int count) {
    return start(NULL, SESSION, path, argv, envp, descriptors, count);
}

int bgrun_spawn_as(const struct bgrun_account *account, const char *path, char *const argv[],
                   char *const envp[], const int *descriptors, int count) {
    return start(account, GROUP, path, argv, envp, descriptors, count);
}

int bgrun_symbol_is_data(const void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return 0;
    /* The type is the low half of st_info in ELF32 and ELF64 alike. */
    return info.dli_saddr == address && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

int bgrun_netlink_open(int protocol, uint32_t groups) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (descriptor < 0) return -errno;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

int bgrun_netlink_dump(int descriptor, uint16_t type) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtgenmsg)),
                   .nlmsg_type = type,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
        .body = {.rtgen_family = AF_UNSPEC},
    };
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    return result(sendto(descriptor, &request, request.header.nlmsg_len, 0,
                         (struct sockaddr *)&kernel, sizeof kernel));
}

int bgrun_netlink_receive(int descriptor, void *buffer, size_t size) {
    for (;;) {
        struct sockaddr_nl sender = {0};
        struct iovec part = {.iov_base = buffer, .iov_len = size};
        struct msghdr message = {
            .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1};
        ssize_t length = recvmsg(descriptor, &message, 0);
        if (length < 0 && errno == EINTR) continue;
        if (length < 0) return -errno;
        if (sender.nl_pid != 0) continue;
        if (message.msg_flags & MSG_TRUNC) return -EMSGSIZE;
        return (int)length;
    }
}

int bgrun_pidfd_open(pid_t pid) { return result(syscall(SYS_pidfd_open, pid, 0)); }

int bgrun_pidfd_signal(int pidfd, int signal) {
    return result(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int64_t bgrun_limit_descriptors(pid_t pid, uint64_t soft) {
    struct rlimit old;
    if (prlimit(pid, RLIMIT_NOFILE, NULL, &old) < 0) return -errno;
    if (soft > 0) {
        struct rlimit new = {soft < old.rlim_max ? soft : old.rlim_max, old.rlim_max};
        if (prlimit(pid, RLIMIT_NOFILE, &new, NULL) < 0) return -errno;
    }
    return old.rlim_cur > INT64_MAX ? INT64_MAX : (int64_t)old.rlim_cur;
}

int64_t bgrun_most_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    return limit.rlim_max > INT64_MAX ? INT64_MAX : (int64_t)limit.rlim_max;
}

void bgrun_limit_memory(pid_t pid, uint64_t bytes) {
    const struct rlimit memory = {bytes, bytes}, core = {0, 0};
    prlimit(pid, RLIMIT_DATA, &memory, NULL);
    prlimit(pid, RLIMIT_CORE, &core, NULL);
}

int bgrun_ipc_objects(void) {
    struct msginfo queues;
    struct seminfo semaphores;
    struct shm_info segments;
    if (msgctl(0, MSG_INFO, (struct msqid_ds *)&queues) < 0) return -errno;
    if (semctl(0, 0, SEM_INFO, &semaphores) < 0) return -errno;
    if (shmctl(0, SHM_INFO, (struct shmid_ds *)&segments) < 0) return -errno;
    return queues.msgpool + semaphores.semusz + segments.used_ids;
}

int bgrun_landlock_version(void) {
    const unsigned version = 1; /* LANDLOCK_CREATE_RULESET_VERSION */
    return result(syscall(SYS_landlock_create_ruleset, NULL, 0, version));
}

int bgrun_has_seccomp(void) {
    uint32_t action = SECCOMP_RET_ERRNO;
    return result(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action));
}
