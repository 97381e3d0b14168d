/* SPDX-License-Identifier: Apache-2.0
 * The host must end what continues after the report when its time is over, record "completed", and
 * hold back the next launch. */
#include "fixture.h"

LAUNCH(launch) {
    const bgrun_assertion_ext *assertion =
        (const bgrun_assertion_ext *)host->get_extension(host, BGRUN_EXT_ASSERTION);
    assertion->begin(task, "tidy up");
    host->complete(task, 1, "done, but holding on");
}
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
