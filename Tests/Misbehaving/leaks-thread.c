/* SPDX-License-Identifier: Apache-2.0
 * It leaves a thread behind: the host must record success and not reuse the worker. */
#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

static void *stay(void *unused) {
    for (;;) pause();
    return unused;
}

LAUNCH(launch) {
    pthread_t thread;
    pthread_create(&thread, NULL, stay, NULL);
    host->complete(task, 1, "left a thread");
}
PLUGIN(launch, NULL)
