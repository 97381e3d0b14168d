/* SPDX-License-Identifier: Apache-2.0
 * lister.c - handlers that list many pending requests: one at once, and one that reads its list late. */
#include "hostile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define SAY(...)                                            \
    do {                                                    \
        char said[256];                                     \
        snprintf(said, sizeof said, __VA_ARGS__);           \
        host->log(host, task, BGRUN_LOG_INFO, said);        \
    } while (0)

/* Waits at the FIFO `gate` in the manifest's directory. */
static void pass(const bgrun_launch *given, const char *gate) {
    char path[1024], byte = 0;
    snprintf(path, sizeof path, "%s/%s", given->manifest_directory, gate);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (read(fd, &byte, 1) == 1 && byte != '\n') continue;
    close(fd);
}

static struct { size_t count; int is_ordered; char last[256]; } list;

static void visit(void *context, const bgrun_pending *pending) {
    (void)context;
    if (strcmp(list.last, pending->identifier) >= 0) list.is_ordered = 0;
    snprintf(list.last, sizeof list.last, "%s", pending->identifier);
    list.count++;
}

HANDLER(lists) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    list.is_ordered = 1;
    int32_t status = scheduler->pending(task, NULL, visit);
    SAY("listed %zu, status %d, in order %d", list.count, status, list.is_ordered);
    host->complete(task, 1, NULL);
}

/* --- a handler that reads its list late --- */

static int stopped[2], released[2];

/* Runs on the thread that reads the host's frames: while it waits, nothing is read. */
static void stop_reading(int signal) {
    char byte = (char)signal;
    if (write(stopped[1], &byte, 1) != 1) _exit(1);
    while (read(released[0], &byte, 1) < 0 && errno == EINTR) continue;
}

static pid_t thread_named(const char *name) {
    DIR *threads = opendir("/proc/self/task");
    pid_t found = 0;
    for (struct dirent *entry; threads && !found && (entry = readdir(threads));) {
        char path[300], said[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0 && read(fd, said, sizeof said - 1) > 0 && strstr(said, name) == said)
            found = atoi(entry->d_name);
        close(fd);
    }
    closedir(threads);
    return found;
}

static void stop_watcher(void) {
    char byte;
    struct sigaction action = {.sa_handler = stop_reading, .sa_flags = SA_RESTART};
    if (pipe2(stopped, O_CLOEXEC) != 0 || pipe2(released, O_CLOEXEC) != 0) _exit(2);
    sigaction(SIGUSR2, &action, NULL);
    /* The thread sets its own name, possibly only now. */
    pid_t watcher;
    while ((watcher = thread_named("bgrun-watcher")) == 0) sched_yield();
    if (tgkill(getpid(), watcher, SIGUSR2) != 0) _exit(3);
    if (read(stopped[0], &byte, 1) != 1) _exit(4);
}

static void take(void *bytes, size_t count) {
    for (size_t taken = 0; taken < count;) {
        ssize_t some = read(CONTROL, (char *)bytes + taken, count - taken);
        if (some < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = CONTROL, .events = POLLIN}, 1, -1);
            continue;
        }
        if (some <= 0) _exit(5);
        taken += (size_t)some;
    }
}

HANDLER(reads_late) {
    enum { ANSWER = 3 };
    static unsigned char frame[4 << 20];
    stop_watcher();
    /* A call of `pending`: length, tag, attempt, call number, request. */
    unsigned char call[18] = {14, 0, 0, 0, 7};
    int64_t id = (int64_t)(intptr_t)task;
    uint32_t number = 4000000000u, length, count, total = 0;
    memcpy(call + 5, &id, 8);
    memcpy(call + 13, &number, 4);
    call[17] = 2;
    if (write(CONTROL, call, sizeof call) != sizeof call) _exit(6);
    /* When the host receives this line, it has received the call. */
    SAY("asked");
    pass(given, "gate");
    for (int has_more = 1; has_more;) {
        take(&length, 4);
        if (length > sizeof frame) _exit(7);
        take(frame, length);
        if (frame[0] != ANSWER || memcmp(frame + 1, &number, 4) != 0) continue;
        has_more = frame[9];
        memcpy(&count, frame + 10, 4);
        total += count;
    }
    SAY("read %u", total);
    if (write(released[1], "", 1) != 1) _exit(8);
    host->complete(task, 1, NULL);
}

static const bgrun_handler handlers[] = {NAMED(lists), NAMED(reads_late)};

PLUGIN(handlers)
