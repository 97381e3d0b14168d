/* SPDX-License-Identifier: Apache-2.0
 * The host must record "expired", together with the reported success. */
#include "fixture.h"

#include <time.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "working");
    while (!host->is_expired(task)) {
        const struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
    host->complete(task, 1, "finished all the same");
}
EXPIRE(expire) { (void)task; }
PLUGIN(launch, expire)
