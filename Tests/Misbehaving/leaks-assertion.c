/* SPDX-License-Identifier: Apache-2.0
 * It continues after its report: when its time is over, the host must end it, record "completed", and
 * delay the next launch. */
#include "fixture.h"

LAUNCH(launch) {
    const bgrun_assertion_ext *assertion =
        (const bgrun_assertion_ext *)host->get_extension(host, BGRUN_EXT_ASSERTION);
    assertion->begin(task, "tidy up");
    host->complete(task, 1, "done, but holding on");
}
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
