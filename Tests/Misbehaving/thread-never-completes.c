/* SPDX-License-Identifier: Apache-2.0
 * launch returns, and a thread continues without end: the host must expire the attempt and end
 * the process. */
#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

static void *work(void *unused) {
    for (;;) pause();
    return unused;
}

LAUNCH(launch) {
    pthread_t thread;
    host->log(host, task, BGRUN_LOG_INFO, "working on a thread");
    pthread_create(&thread, NULL, work, NULL);
}
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
