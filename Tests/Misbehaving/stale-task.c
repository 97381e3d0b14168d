/* SPDX-License-Identifier: Apache-2.0
 * Every call with an ended task must be harmless and get BGRUN_E_STATE; run it twice in one
 * worker: the second attempt succeeds if the handle of the first one had no effect. */
#include "fixture.h"

static bgrun_task *stale;

LAUNCH(launch) {
    int32_t good = 1;
    if (stale) {
        good = host->complete(stale, 0, "stale") == BGRUN_E_STATE &&
               host->set_progress(stale, 9, 9) == BGRUN_E_STATE &&
               host->set_title(stale, "stale", "stale") == BGRUN_E_STATE &&
               host->is_expired(stale) == 1;
        host->should_defer(stale);
        host->log(host, stale, BGRUN_LOG_INFO, "a line of a stale task");
    }
    stale = task;
    host->complete(task, good, "stale handles were refused");
    host->set_progress(task, 1, 1);
    host->set_title(task, "after the end", NULL);
}
PLUGIN(launch, NULL)
