/* SPDX-License-Identifier: Apache-2.0
 * Performs the attack that the parameters name, and completes with its result. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arguments.h"
#include "bgrun_plugin.h"

enum { ANSWERED = -1, LONGEST_ANSWER = 512, MILLISECONDS = 120000 };

static const bgrun_host *host;
static char answer_text[LONGEST_ANSWER];

int answer(const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(answer_text, sizeof answer_text, format, values);
    va_end(values);
    return ANSWERED;
}

int failure(long result) { return result < 0 ? errno : 0; }

int try_open(const char *path, int flags) {
    int file = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) return errno;
    close(file);
    return 0;
}

static void perform(const struct attack *attack, const struct target *target) {
    int error = attack->run(target);
    if (error == ANSWERED) return;
    const char *name = error ? strerrorname_np(error) : "done";
    answer("%s", name ? name : "unknown errno");
}

/* Answers with the signal that ends the child, or with "endless" if it does not end. */
static void perform_in_child(const struct attack *attack, const struct target *target) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) abort();
    pid_t child = fork();
    if (child < 0) {
        answer("fork: %s", strerrorname_np(errno));
        return;
    }
    if (child == 0) {
        close(ends[0]);
        perform(attack, target);
        _exit(write(ends[1], answer_text, strlen(answer_text)) < 0);
    }
    close(ends[1]);
    /* Processes that the attack leaves may hold the pipe: the first bytes are all. */
    struct pollfd polled = {.fd = ends[0], .events = POLLIN};
    ssize_t count = 0;
    if (poll(&polled, 1, MILLISECONDS) > 0)
        count = read(ends[0], answer_text, sizeof answer_text - 1);
    else
        kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (count > 0)
        answer_text[count] = 0;
    else if (polled.revents == 0)
        answer("endless");
    else if (WIFSIGNALED(status))
        answer("SIG%s", sigabbrev_np(WTERMSIG(status)));
    else
        answer("exit %d", WEXITSTATUS(status));
}

static const struct attack *find(const char *name) {
    const struct attack *const tables[] = {process_attacks, host_attacks,      file_attacks,
                                           network_attacks, kernel_attacks,    privilege_attacks,
                                           limit_attacks,   leaving_attacks,
                                           request_attacks};
    for (size_t index = 0; index < sizeof tables / sizeof *tables; index++)
        for (const struct attack *attack = tables[index]; attack->name; attack++)
            if (strcmp(attack->name, name) == 0) return attack;
    return NULL;
}

static struct target read_target(arguments *a, bgrun_task *task, const char *directory) {
    return (struct target){
        .victim = (pid_t)arguments_integer(a, "victim", 2, INT32_MAX, 0),
        .store = arguments_text(a, "store", ""),
        .state = arguments_text(a, "state", ""),
        .manifest = arguments_text(a, "manifest", ""),
        .plugin = arguments_text(a, "plugin", ""),
        .control = arguments_text(a, "control", ""),
        .file = arguments_text(a, "file", ""),
        .path = arguments_text(a, "path", ""),
        .abstract = arguments_text(a, "abstract", ""),
        .shm = arguments_text(a, "shm", ""),
        .port = (uint16_t)arguments_integer(a, "port", 1, UINT16_MAX, 0),
        .most = (long)arguments_integer(a, "most", 1, 1000000000000, 0),
        .directory = directory,
        .host = host,
        .task = task,
    };
}

static void launch(void *user_data, bgrun_task *task, const bgrun_launch *given) {
    (void)user_data;
    static const char *const known[] = {"attack",  "victim", "store", "state",    "manifest",
                                        "plugin",  "control", "file", "path",     "abstract",
                                        "shm",     "port",   "most",  NULL};
    arguments a = arguments_open(given->parameters_json, known);
    const struct attack *attack = NULL;
    if (!a.problem[0]) {
        attack = find(arguments_required(&a, "attack"));
        if (!attack) arguments_refuse(&a, "attack: is unknown");
    }
    struct target target = {0};
    if (!a.problem[0]) target = read_target(&a, task, given->manifest_directory);
    if (a.problem[0]) {
        host->complete(task, 0, a.problem);
        arguments_close(&a);
        return;
    }
    answer("%s", "");
    if ((attack->flags & IN_NAMESPACE) && getpid() != 2)
        answer("skipped");
    else if (attack->flags & IN_WORKER)
        perform(attack, &target);
    else
        perform_in_child(attack, &target);
    host->complete(task, 1, answer_text);
    arguments_close(&a);
}

static int32_t init(const bgrun_host *table) {
    static const bgrun_handler handler = {sizeof handler, 0, "attack", NULL, launch, NULL};
    host = table;
    return host->register_handler(host, &handler);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "hostile", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
