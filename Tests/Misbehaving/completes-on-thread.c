/* SPDX-License-Identifier: Apache-2.0
 * This is correct, and must be a success: another thread completes after launch has returned,
 * and ends. */
#include "fixture.h"

#include <pthread.h>

static pthread_mutex_t launched = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *task) {
    pthread_mutex_lock(&launched);
    pthread_mutex_unlock(&launched);
    host->set_progress((bgrun_task *)task, 1, 1);
    host->complete((bgrun_task *)task, 1, "from another thread");
    return NULL;
}

LAUNCH(launch) {
    pthread_t thread;
    pthread_mutex_lock(&launched);
    pthread_create(&thread, NULL, work, task);
    pthread_detach(thread);
    pthread_mutex_unlock(&launched);
}
PLUGIN(launch, NULL)
