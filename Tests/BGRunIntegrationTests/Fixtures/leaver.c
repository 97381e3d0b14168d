/* SPDX-License-Identifier: Apache-2.0
 * Handlers that start processes of every form, and end in every way. */
#include "hostile.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Each process that remains writes a byte here. */
static int ready[2];

static void ignore_everything(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_IGN);
}

static void stay(void) {
    if (write(ready[1], "", 1) != 1) _exit(1);
    for (;;) pause();
}

/* --- forms of processes; each makes as many as the table says --- */

static void session(void) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    stay();
}

/* Also holds the output open. */
static void twice_forked(void) {
    setsid();
    if (fork() > 0) _exit(0);
    signal(SIGTERM, SIG_IGN);
    stay();
}

static void closed_and_deaf(void) {
    setsid();
    if (fork() > 0) _exit(0);
    ignore_everything();
    if (write(ready[1], "", 1) != 1) _exit(1);
    closefrom(0);
    for (;;) pause();
}

static void own_subreaper(void) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    setsid();
    if (fork() == 0) {
        if (fork() > 0) _exit(0);
        ignore_everything();
    }
    stay();
}

static void renamed(void) {
    signal(SIGTERM, SIG_IGN);
    prctl(PR_SET_NAME, "kworker/0:1");
    prctl(PR_SET_PDEATHSIG, 0);
    stay();
}

static void stopped(void) {
    setsid();
    signal(SIGTERM, SIG_IGN);
    if (write(ready[1], "", 1) != 1) _exit(1);
    for (;;) raise(SIGSTOP);
}

/* Its pid changes while the attempt ends. Ended processes count for the limit of processes until they are reaped. */
static void hops(void) {
    signal(SIGTERM, SIG_IGN);
    setsid();
    for (int count = 0; count < 60; count++) {
        if (count == 10 && write(ready[1], "", 1) != 1) _exit(1);
        pid_t next = fork();
        if (next > 0) _exit(0);
        usleep(1000);
    }
    for (;;) pause();
}

/* 2^4 processes. */
static void multiplies(void) {
    signal(SIGTERM, SIG_IGN);
    for (int count = 0; count < 4; count++)
        if (fork() < 0) _exit(1);
    stay();
}

static const struct {
    void (*make)(void);
    int count;
} forms[] = {{session, 1},       {twice_forked, 1}, {closed_and_deaf, 1}, {own_subreaper, 2}, {renamed, 1},
             {stopped, 1},       {hops, 1},         {multiplies, 16}};

static void make_sleeper_by_vfork(void) {
    static char *const arguments[] = {"sleep", "100000", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execve("/bin/sleep", arguments, environ);
        _exit(1);
    }
    if (child < 0) abort();
}

static void await(int count) {
    char byte;
    while (count > 0) {
        ssize_t size = read(ready[0], &byte, 1);
        if (size == 1) count--;
        if (size == 0) abort();
    }
}

/* Returns when all have been made. */
static void leave_all(void) {
    int count = 0;
    if (pipe2(ready, O_CLOEXEC) != 0) abort();
    for (size_t index = 0; index < sizeof forms / sizeof *forms; index++) {
        pid_t child = fork();
        if (child < 0) abort();
        if (child == 0) forms[index].make();
        count += forms[index].count;
    }
    make_sleeper_by_vfork();
    await(count);
    close(ready[0]);
    close(ready[1]);
}

/* --- ends of attempts --- */

HANDLER(completes) {
    leave_all();
    host->complete(task, 1, "left them");
}

HANDLER(crashes) {
    leave_all();
    abort();
}

HANDLER(waits) {
    leave_all();
    host->log(host, task, BGRUN_LOG_INFO, "left them");
    for (;;) pause();
}

/* Ends at SIGKILL. */
HANDLER(ignores) {
    signal(SIGTERM, SIG_IGN);
    waits(NULL, task, given);
}

static void told(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    (void)given;
    host->log(host, task, BGRUN_LOG_INFO, "told");
}

/* Ends once it is told. */
HANDLER(obeys) {
    leave_all();
    host->log(host, task, BGRUN_LOG_INFO, "left them");
}

static void report(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    (void)given;
    host->complete(task, 0, "as told");
}

HANDLER(kills_itself) { raise(SIGKILL); }

/* --- SIGTERM --- */

static const char *name;

static void tell_name(int number) {
    char line[64];
    (void)number;
    int size = snprintf(line, sizeof line, "SIGTERM reaches %s\n", name);
    if (write(STDOUT_FILENO, line, (size_t)size) != size) _exit(1);
}

static void mourn(const char *own) {
    name = own;
    signal(SIGTERM, tell_name);
    stay();
}

/* Processes that remain after SIGTERM, and the handler's own. */
HANDLER(mourns) {
    if (pipe2(ready, O_CLOEXEC) != 0) abort();
    if (fork() == 0) mourn("a child");
    if (fork() == 0) {
        setsid();
        mourn("a session");
    }
    if (fork() == 0) {
        setsid();
        if (fork() > 0) _exit(0);
        mourn("a daemon");
    }
    pid_t stopped = fork();
    if (stopped == 0) mourn("a stopped child");
    await(4);
    kill(stopped, SIGSTOP);
    waitpid(stopped, NULL, WUNTRACED);
    name = "the handler";
    signal(SIGTERM, tell_name);
    host->log(host, task, BGRUN_LOG_INFO, "left them");
    for (;;) pause();
}

/* --- processor time --- */

static long long milliseconds(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000LL
           + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

static void burn(void) {
    const long long start = milliseconds(RUSAGE_SELF);
    while (milliseconds(RUSAGE_SELF) - start < 200) {}
}

/* 400 ms: 200 of its own, 200 of a child. */
HANDLER(burns) {
    pid_t child = fork();
    if (child == 0) {
        burn();
        _exit(0);
    }
    burn();
    waitpid(child, NULL, 0);
    host->complete(task, 1, NULL);
}

static const bgrun_handler handlers[] = {
    NAMED(completes), NAMED(crashes), NAMED(kills_itself), NAMED(burns),
    {sizeof(bgrun_handler), 0, "waits", NULL, waits, told},
    {sizeof(bgrun_handler), 0, "ignores", NULL, ignores, told},
    {sizeof(bgrun_handler), 0, "obeys", NULL, obeys, report},
    {sizeof(bgrun_handler), 0, "mourns", NULL, mourns, told},
};
PLUGIN(handlers)
