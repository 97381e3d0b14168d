/* SPDX-License-Identifier: Apache-2.0
 *
 * plugin-harness - runs one handler of one plugin with the smallest possible host, and prints a
 * line for every call the plugin makes.
 *
 *   plugin-harness [options] plugin.so handler
 *     -p JSON   parameters            -i ID    identifier        -d DIR  manifest directory
 *     -c FILE   where the checkpoint is kept; without it the extension is not offered
 *     -n N      attempts in a row in one process                 -g S    grace in seconds
 *     -r        leave descriptors 1 and 2 as they are
 *     -t URL=FILE  a download that has ended with that temporary file; without a file it has failed
 *     -m JSON   a push that is held; the attempt is of kind push then
 *     -o EVENT[:TEXT][#N]=ACTION
 *               EVENT launch, poll, progress, title, log, checkpoint, output or complete;
 *               the Nth of them whose text contains TEXT does ACTION:
 *               expire, defer, kill (this process, at once), run:SHELL COMMAND
 *
 * Exit status: 0 success, 1 failure, 2 expired, 3 never completed, 64 usage, 65 plugin refused.
 */
#include "harness.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

settings options = {
    .kind = BGRUN_KIND_PROCESSING,
    .parameters = "{}",
    .identifier = "com.example.harness",
    .directory = "/",
    .reason = BGRUN_REASON_TIME,
    .grace_ns = 5000000000,
    .runs = 1,
};
struct bgrun_task *current;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int report_fd;

void report(const char *format, ...) {
    char line[8192];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    for (int i = 0; i < length; i++)
        if (line[i] == '\n') line[i] = ' ';
    line[length++] = '\n';
    if (write(report_fd, line, (size_t)length) != length) _exit(EX_IOERR);
}

static void *read_output(void *stream) {
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, stream)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        report("output %s", line);
        happened("output", line);
    }
    free(line);
    return NULL;
}

static int entries(const char *directory) {
    int count = 0;
    DIR *stream = opendir(directory);
    if (!stream) return -1;
    while (readdir(stream)) count++;
    closedir(stream);
    return count;
}

static _Noreturn void refuse(const char *why) {
    report("refused %s", why);
    exit(EX_DATAERR);
}

static void load(void) {
    void *library = dlopen(options.plugin, RTLD_NOW | RTLD_LOCAL);
    if (!library) refuse(dlerror());
    bgrun_plugin_entry_fn entry;
    void *symbol = dlsym(library, BGRUN_ENTRY_SYMBOL);
    if (!symbol) refuse("no entry");
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from an object to a function */
    const bgrun_plugin *plugin = entry(BGRUN_ABI_VERSION);
    if (!plugin) refuse("the entry returned NULL");
    if (plugin->struct_size < offsetof(bgrun_plugin, init) + sizeof plugin->init)
        refuse("struct_size is too small");
    if (plugin->abi_version >> 16 != BGRUN_ABI_MAJOR) refuse("another ABI version");
    report("plugin %s %s", plugin->name, plugin->version ? plugin->version : "-");
    if (plugin->init(&host_table) != BGRUN_OK) refuse("init failed");
    registration_close();
    if (handler_count() == 0) refuse("no handlers");
}

/* Runs one attempt and returns the exit status for its result. */
static int attempt(const bgrun_handler *handler, uint32_t number) {
    struct bgrun_task *task = calloc(1, sizeof *task);
    task->handler = handler;
    pthread_mutex_lock(&lock);
    current = task;
    pthread_mutex_unlock(&lock);
    trigger_reset();
    int threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd");

    const bgrun_launch launch = {
        .struct_size = sizeof launch,
        .kind = options.kind,
        .attempt = number,
        .identifier = options.identifier,
        .parameters_json = options.parameters,
        .manifest_directory = options.directory,
    };
    report("launch %s", handler->name);
    happened("launch", handler->name);
    handler->launch(handler->user_data, task, &launch);
    report("launch returned");

    pthread_mutex_lock(&lock);
    /* No thread is left that could complete, or end an assertion. */
    bool abandoned = !task->ended && entries("/proc/self/task") <= threads;
    while (!task->ended && !abandoned) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    watcher_wait();

    int left = entries("/proc/self/fd") - descriptors;
    if (left != 0) report("left %d descriptors", left);
    if ((left = entries("/proc/self/task") - threads) != 0) report("left %d threads", left);
    siginfo_t child;
    if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0) report("left children");
    if (task->assertion_count > 0) report("left %u assertions", task->assertion_count);
    if (abandoned && !task->reported) {
        report("never completed");
        return 3;
    }
    return task->expired ? 2 : task->success ? 0 : 1;
}

int main(int count, char **words) {
    for (int letter; (letter = getopt(count, words, "p:i:d:c:n:g:o:t:m:r")) != -1;) {
        switch (letter) {
        case 'p': options.parameters = optarg; break;
        case 'i': options.identifier = optarg; break;
        case 'd': options.directory = optarg; break;
        case 'c': options.checkpoint = optarg; break;
        case 'n': options.runs = atoi(optarg); break;
        case 'g': options.grace_ns = atoll(optarg) * 1000000000; break;
        case 'o': trigger_add(optarg); break;
        case 't':
            if (!transfer_add(optarg)) return EX_USAGE;
            break;
        case 'm':
            if (!message_add(optarg)) return EX_USAGE;
            options.kind = BGRUN_KIND_PUSH;
            break;
        case 'r': options.raw_output = true; break;
        default: return EX_USAGE;
        }
    }
    if (count - optind != 2) return EX_USAGE;
    options.plugin = words[optind];
    options.handler = words[optind + 1];
    report_fd = fcntl(1, F_DUPFD_CLOEXEC, 3);

    int channel[2] = {-1, -1};
    pthread_t reader;
    if (!options.raw_output) {
        if (pipe2(channel, O_CLOEXEC) != 0) return EX_OSERR;
        dup2(channel[1], 1);
        dup2(channel[1], 2);
        close(channel[1]);
        setvbuf(stdout, NULL, _IOLBF, 0);
        pthread_create(&reader, NULL, read_output, fdopen(channel[0], "r"));
    }
    load();
    const bgrun_handler *handler = handler_named(options.handler);
    if (!handler) refuse("no such handler");
    watcher_start();
    int status = 0;
    for (int run = 1; run <= options.runs; run++) status = attempt(handler, (uint32_t)run);

    if (!options.raw_output) {
        fflush(stdout);
        close(1);
        close(2);
        pthread_join(reader, NULL);
    }
    report("exit %d", status);
    _exit(status);
}
