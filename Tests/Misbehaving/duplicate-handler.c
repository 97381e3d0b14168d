/* SPDX-License-Identifier: Apache-2.0
 * The second registration of a name must get BGRUN_E_EXISTS, and the first must remain. */
#include "fixture.h"

LAUNCH(first) { host->complete(task, 1, "first"); }
LAUNCH(second) { host->complete(task, 0, "second"); }
static int32_t init(const bgrun_host *given) {
    const bgrun_handler one = {sizeof one, 0, "run", NULL, first, NULL};
    const bgrun_handler two = {sizeof two, 0, "run", NULL, second, NULL};
    host = given;
    if (host->register_handler(host, &one) != BGRUN_OK) return BGRUN_E_INVALID;
    return host->register_handler(host, &two) == BGRUN_E_EXISTS ? BGRUN_OK : BGRUN_E_INVALID;
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)
