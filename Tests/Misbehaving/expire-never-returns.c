/* SPDX-License-Identifier: Apache-2.0
 * The host must run its ladder although the callback blocks, and record "expired". */
#include "fixture.h"

#include <unistd.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "working");
    for (;;) pause();
}
EXPIRE(expire) {
    host->log(host, task, BGRUN_LOG_INFO, "stuck in expire");
    for (;;) pause();
}
PLUGIN(launch, expire)
