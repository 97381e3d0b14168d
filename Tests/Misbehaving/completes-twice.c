/* SPDX-License-Identifier: Apache-2.0
 * The first call counts: the host must record success, answer the second with BGRUN_E_STATE,
 * and not count it for the next attempt. */
#include "fixture.h"

LAUNCH(launch) {
    host->complete(task, 1, "first");
    int32_t second = host->complete(task, 0, "second");
    host->log(host, NULL, BGRUN_LOG_INFO,
              second == BGRUN_E_STATE ? "second refused" : "second accepted");
}
PLUGIN(launch, NULL)
