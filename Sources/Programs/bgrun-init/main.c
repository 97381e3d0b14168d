/*
 * bgrun-init - confines a worker before anything of a plugin is loaded, then executes bgrun-worker.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With namespaces there are three processes. The first one, which the host has started, stays outside and ends as the
 * worker ends, so that the host waits for it as for any worker. The second one is PID 1 of the new PID namespace: when
 * it ends, the kernel kills everything in the namespace before the first one is told. The third one becomes the
 * worker: PID 1 would ignore SIGTERM.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"

extern char **environ;

static char **arguments;

/* Ends this process with its parent, even if that has ended already: then `alive`, whose other end only the parent
 * holds, has hung up. */
static void end_with_parent(int alive) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) fail(BGRUN_STEP_PARENT, 0);
    struct pollfd polled = {.fd = alive, .events = 0};
    if (poll(&polled, 1, 0) > 0) _exit(1);
}

static int pidfd_of(pid_t pid) {
    int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    if (descriptor < 0) fail(BGRUN_STEP_FORK, 1);
    return descriptor;
}

static void write_file(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
        fail(BGRUN_STEP_USER_MAP, 0);
    close(file);
}

static void map_user(void) {
    char text[48];
    write_file("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", plan->user, plan->user);
    write_file("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", plan->group, plan->group);
    write_file("/proc/self/gid_map", text);
}

/* The process that becomes the worker. */
static _Noreturn void run_worker(void) {
    if (plan->flags & BGRUN_PLAN_NAMESPACES) {
        int own = pidfd_of(getpid());
        /* The old working directory is a way out of the new view. */
        if (chdir("/") < 0) fail(BGRUN_STEP_ROOT, 1);
        report_with(BGRUN_INIT_READY, own);
        close(own);
    }
    set_limits();
    drop_capabilities();
    enforce_landlock();
    int kept = plan->flags & BGRUN_PLAN_HAS_PLUGIN ? BGRUN_INIT_PLUGIN + 1 : BGRUN_INIT_PLUGIN;
    if (fcntl(BGRUN_INIT_REPORT, F_SETFD, FD_CLOEXEC) < 0) fail(BGRUN_STEP_EXECUTE, 0);
    if (close_range((unsigned)kept, BGRUN_INIT_REPORT - 1, 0) < 0
        || close_range(BGRUN_INIT_REPORT + 1, ~0u, 0) < 0)
        fail(BGRUN_STEP_EXECUTE, 1);
    enforce_filter();
    execve(plan_text(plan->executable), arguments, environ);
    fail(BGRUN_STEP_EXECUTE, 2);
}

static volatile sig_atomic_t is_terminating;

/* A handler cannot send it: a process of the namespace has an ID here. */
static void note_termination(int number, siginfo_t *from, void *context) {
    (void)number;
    (void)context;
    if (from->si_pid == 0) is_terminating = 1;
}

/* PID 1: ends when the worker has ended, and tells how; after SIGTERM of the host, when all have ended: until SIGKILL
 * the others have time. */
static _Noreturn void run_init(int alive, int result) {
    end_with_parent(alive);
    mount_view();
    struct sigaction action = {.sa_sigaction = note_termination, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGTERM, &action, NULL);
    pid_t worker = fork();
    if (worker < 0) fail(BGRUN_STEP_FORK, 2);
    if (worker == 0) run_worker();
    close_range(0, (unsigned)result - 1, 0);
    close_range((unsigned)result + 1, ~0u, 0);
    for (;;) {
        int status;
        pid_t ended = waitpid(-1, &status, 0);
        if (ended < 0 && errno == EINTR) continue;
        if (ended == worker) (void)!write(result, &status, sizeof status);
        if (ended < 0 || (ended == worker && !is_terminating)) _exit(0);
    }
}

/* Ends like the worker. */
static _Noreturn void end_as(int status) {
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    int number = WTERMSIG(status);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    raise(number);
    _exit(128 + number);
}

/* Descriptor 0 brings the worker's status. */
static _Noreturn void wait_outside(pid_t init) {
    for (int number = 1; number < NSIG; number++)
        if (number != SIGCHLD) signal(number, SIG_IGN);
    int status;
    ssize_t count;
    do count = read(0, &status, sizeof status);
    while (count < 0 && errno == EINTR);
    /* Without it PID 1 was killed, and so was the worker. */
    if (count != sizeof status) status = SIGKILL;
    /* Returns when nothing of the namespace is left. */
    while (waitpid(init, NULL, 0) < 0 && errno == EINTR) {}
    end_as(status);
}

static _Noreturn void run_outside(void) {
    int flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID;
    if (plan->flags & BGRUN_PLAN_NETWORK_NAMESPACE) flags |= CLONE_NEWNET;
    if (plan->flags & BGRUN_PLAN_USER_NAMESPACE) flags |= CLONE_NEWUSER;
    if (unshare(flags) < 0) fail(BGRUN_STEP_NAMESPACES, 0);
    if (plan->flags & BGRUN_PLAN_USER_NAMESPACE) map_user();
    int alive[2], result[2];
    if (pipe2(alive, O_CLOEXEC) < 0 || pipe2(result, O_CLOEXEC) < 0) fail(BGRUN_STEP_FORK, 3);
    pid_t init = fork();
    if (init < 0) fail(BGRUN_STEP_FORK, 0);
    if (init == 0) {
        close(alive[1]);
        close(result[0]);
        run_init(alive[0], result[1]);
    }
    report_with(BGRUN_INIT_STARTED, pidfd_of(init));
    /* The worker's own descriptors are closed here, so that the host sees them hang up. */
    if (dup2(result[0], 0) < 0 || dup2(alive[1], 1) < 0) fail(BGRUN_STEP_FORK, 4);
    close_range(2, ~0u, 0);
    wait_outside(init);
}

/* When memory runs out, the kernel ends a worker before its host. */
static void prefer_as_victim(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    (void)!write(file, "300", 3);
    close(file);
}

int main(int count, char **words) {
    (void)count;
    arguments = words;
    prefer_as_victim();
    load_plan();
    end_with_parent(BGRUN_INIT_REPORT);
    if (plan->flags & BGRUN_PLAN_NAMESPACES) run_outside();
    run_worker();
}
