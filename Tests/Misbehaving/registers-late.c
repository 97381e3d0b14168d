/* SPDX-License-Identifier: Apache-2.0
 * register_handler during launch must get BGRUN_E_STATE; then the attempt succeeds. */
#include "fixture.h"

LAUNCH(launch) {
    const bgrun_handler late = {sizeof late, 0, "late", NULL, launch, NULL};
    int32_t result = host->register_handler(host, &late);
    host->complete(task, result == BGRUN_E_STATE, "registered late");
}
PLUGIN(launch, NULL)
