/* SPDX-License-Identifier: Apache-2.0
 * lister.c - handlers that list many pending requests: one at once, and one that reads its list late. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define SAY(...)                                            \
    do {                                                    \
        char said[256];                                     \
        snprintf(said, sizeof said, __VA_ARGS__);           \
        host->log(host, task, BGRUN_LOG_INFO, said);        \
    } while (0)

/* Waits at the FIFO of that name in the manifest's directory. */
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

static sem_t told, has_read;

/* Runs on the thread that reads what the host says: while it waits, nothing is read. */
static void stop_reading(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    (void)task;
    (void)given;
    sem_post(&told);
    while (sem_wait(&has_read) != 0) continue;
}

static void take(void *bytes, size_t count) {
    for (size_t taken = 0; taken < count;) {
        ssize_t some = read(CONTROL, (char *)bytes + taken, count - taken);
        if (some < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = CONTROL, .events = POLLIN}, 1, -1);
            continue;
        }
        if (some <= 0) _exit(1);
        taken += (size_t)some;
    }
}

HANDLER(reads_late) {
    enum { ANSWER = 3, NUMBER = 4000000000u };
    static unsigned char frame[4 << 20];
    sem_init(&told, 0, 0);
    sem_init(&has_read, 0, 0);
    SAY("ready");
    while (sem_wait(&told) != 0) continue;
    /* A call of `pending`: its tag, the attempt, its number, what is asked. */
    unsigned char call[18] = {14, 0, 0, 0, 7};
    int64_t id = (int64_t)(intptr_t)task;
    uint32_t number = NUMBER, length, count, total = 0;
    memcpy(call + 5, &id, 8);
    memcpy(call + 13, &number, 4);
    call[17] = 2;
    if (write(CONTROL, call, sizeof call) != sizeof call) _exit(1);
    /* The host has heard the call when it hears this. */
    SAY("asked");
    pass(given, "gate");
    for (int has_more = 1; has_more;) {
        take(&length, 4);
        if (length > sizeof frame) _exit(1);
        take(frame, length);
        if (frame[0] != ANSWER || memcmp(frame + 1, &number, 4) != 0) continue;
        has_more = frame[9];
        memcpy(&count, frame + 10, 4);
        total += count;
    }
    SAY("read %u", total);
    sem_post(&has_read);
    host->complete(task, 1, NULL);
}

static const bgrun_handler handlers[] = {
    NAMED(lists), {sizeof(bgrun_handler), 0, "reads_late", NULL, reads_late, stop_reading}};

PLUGIN(handlers)
