/* SPDX-License-Identifier: Apache-2.0
 * It sends SIGTERM to its process group: only the worker may be in it, and the host must
 * record "crashed" with SIGTERM. */
#include "fixture.h"

#include <signal.h>
#include <unistd.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "killing the group");
    kill(0, SIGTERM);
    for (;;) pause();
}
PLUGIN(launch, NULL)
