/* SPDX-License-Identifier: Apache-2.0
 * Ten million calls of log: the host must stay within its limit, count dropped lines, and
 * record success. */
#include "fixture.h"

LAUNCH(launch) {
    for (int line = 0; line < 10000000; line++)
        host->log(host, task, BGRUN_LOG_INFO, "one of ten million lines");
    host->complete(task, 1, "ten million lines");
}
PLUGIN(launch, NULL)
