/* SPDX-License-Identifier: Apache-2.0
 * It stops its own process: the host must still expire and end the attempt in time. */
#include "fixture.h"

#include <signal.h>
#include <unistd.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "stopping");
    kill(getpid(), SIGSTOP);
    for (;;) pause();
}
PLUGIN(launch, NULL)
