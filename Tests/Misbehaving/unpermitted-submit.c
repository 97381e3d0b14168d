/* SPDX-License-Identifier: Apache-2.0
 * Submitting an identifier outside the manifest must get BGRUN_E_NOT_PERMITTED and store
 * nothing. */
#include "fixture.h"

LAUNCH(launch) {
    const bgrun_request request = {
        .struct_size = sizeof request, .identifier = "org.somebody.else"};
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    int32_t good = scheduler && scheduler->submit(task, &request) == BGRUN_E_NOT_PERMITTED;
    host->complete(task, good, "submit was refused");
}
PLUGIN(launch, NULL)
