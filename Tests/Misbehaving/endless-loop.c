/* SPDX-License-Identifier: Apache-2.0
 * The host must end it by SIGTERM at the end of the grace, and record "expired". */
#include "fixture.h"

LAUNCH(launch) {
    volatile uint64_t rounds = 0;
    host->log(host, task, BGRUN_LOG_INFO, "looping");
    for (;;) rounds++;
}
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
