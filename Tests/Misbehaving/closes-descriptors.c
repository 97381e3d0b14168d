/* SPDX-License-Identifier: Apache-2.0
 * It closes the channels of its own worker: the host must notice the closed channel, end the
 * worker, and record "failed" with a message that says so. */
#include "fixture.h"

#include <unistd.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "closing everything");
    for (int fd = 3; fd < 256; fd++) close(fd);
    host->complete(task, 1, "nothing receives this");
}
PLUGIN(launch, NULL)
