/* SPDX-License-Identifier: Apache-2.0
 * It closes the channels of its own worker: the host must notice that the worker has gone
 * mute, end it, and record "failed" with that as its message. */
#include "fixture.h"

#include <unistd.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "closing everything");
    for (int fd = 3; fd < 256; fd++) close(fd);
    host->complete(task, 1, "nobody hears this");
}
PLUGIN(launch, NULL)
