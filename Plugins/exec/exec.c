/*
 * exec.c - the handler exec.run: runs a command under all of bgrun's rules.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bgrun/ext/draft/shortage.h"
#include "command.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static const bgrun_host *host;
/* NULL on a host without the extension. */
static const bgrun_shortage_ext *shortage;

/* The process group that expire signals; 0 while nothing runs. The leader is not reaped while
 * it is set, so no other process can have the number. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t group;
static int expire_signal;
/* expire was called. */
static pthread_cond_t revoked = PTHREAD_COND_INITIALIZER;

/* The delay of the second try to start a command, and the longest one. */
static const long first_delay_ms = 100, longest_delay_ms = 1600;

static bool succeeded(const command *c, int status) {
    if (!WIFEXITED(status)) return false;
    for (size_t i = 0; i < c->success_count; i++)
        if (c->success_codes[i] == WEXITSTATUS(status)) return true;
    return false;
}

static void describe(int status, char *text, size_t size) {
    if (WIFEXITED(status))
        snprintf(text, size, "exit status %d", WEXITSTATUS(status));
    else
        snprintf(text, size, "ended by SIG%s%s", sigabbrev_np(WTERMSIG(status)),
                 WCOREDUMP(status) ? " (core dumped)" : "");
}

static bool is_shortage(int error) {
    return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

/* With the lock held: waits until the attempt is expired, for at most this time. */
static void wait_for_expiration(bgrun_task *task, long milliseconds) {
    if (host->is_expired(task)) return;
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += milliseconds / 1000;
    end.tv_nsec += milliseconds % 1000 * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    pthread_cond_clockwait(&revoked, &lock, CLOCK_MONOTONIC, &end);
}

/* Starts the command unless its time is over; on failure writes the reason to `text`. Retries after
 * a shortage of processes, descriptors or memory until the time is over, and reports the shortage
 * to the host, which then keeps the request. */
static pid_t start(bgrun_task *task, const command *c, char *text, size_t size) {
    pid_t pid = 0;
    char problem[500] = "", line[540];
    pthread_mutex_lock(&lock);
    for (long delay = first_delay_ms;; delay = delay < longest_delay_ms ? 2 * delay : delay) {
        if (host->is_expired(task)) {
            snprintf(text, size, "expired before the command was started%s%s",
                     problem[0] ? ": " : "", problem);
            break;
        }
        int error = 0;
        pid = command_start(c, &error, problem, sizeof problem);
        if (pid > 0 || !is_shortage(error)) {
            snprintf(text, size, "%s", problem);
            break;
        }
        if (delay == first_delay_ms) {
            /* The host may be behind, and expire must not wait for it. */
            pthread_mutex_unlock(&lock);
            if (shortage) shortage->report(task, error);
            snprintf(line, sizeof line, "the command waits: %s", problem);
            host->log(host, task, BGRUN_LOG_WARNING, line);
            pthread_mutex_lock(&lock);
        }
        wait_for_expiration(task, delay);
    }
    group = pid;
    expire_signal = c->expire_signal;
    pthread_mutex_unlock(&lock);
    return pid;
}

/* False if the child was reaped elsewhere, for example because SIGCHLD is ignored. */
static bool wait_for(pid_t pid, int *status) {
    siginfo_t ended;
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) continue;
    pthread_mutex_lock(&lock);
    group = 0;
    bool known = waitpid(pid, status, 0) == pid;
    pthread_mutex_unlock(&lock);
    return known;
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    char text[600];
    command c;
    if (!command_read(&c, task, given, text, sizeof text)) {
        command_free(&c);
        host->complete(task, 0, text);
        return;
    }
    pid_t pid = start(task, &c, text, sizeof text);
    int32_t success = 0;
    if (pid > 0) {
        int status = 0;
        if (wait_for(pid, &status)) {
            success = succeeded(&c, status);
            describe(status, text, sizeof text);
        } else {
            snprintf(text, sizeof text, "the command ended, its exit status is not known");
        }
    }
    command_free(&c);
    host->complete(task, success, text);
}

static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    (void)task;
    (void)expiration;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&revoked);
    if (group > 0) {
        kill(-group, expire_signal);
        kill(-group, SIGCONT); /* a stopped process takes the signal only once it continues */
    }
    pthread_mutex_unlock(&lock);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler run = {
        .struct_size = sizeof run, .name = "run", .launch = launch, .expire = expire};
    host = given;
    shortage = host->get_extension(host, BGRUN_EXT_SHORTAGE);
    return host->register_handler(host, &run);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "exec",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
