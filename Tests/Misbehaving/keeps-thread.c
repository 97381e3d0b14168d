/* SPDX-License-Identifier: Apache-2.0
 * This is correct: it declares that it keeps a thread, so the host must reuse the worker; the
 * second attempt is a success in the same process. */
#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

static pid_t first;

static void *stay(void *unused) {
    for (;;) pause();
    return unused;
}

LAUNCH(launch) {
    pthread_t thread;
    if (first == 0) pthread_create(&thread, NULL, stay, NULL);
    int32_t again = first == getpid();
    first = getpid();
    host->complete(task, 1, again ? "the same process" : "a new process");
}
KEEPING(BGRUN_PLUGIN_KEEPS_THREADS, launch)
