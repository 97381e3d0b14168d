/* SPDX-License-Identifier: Apache-2.0
 * The host must load and run it: a newer minor version of the same major is compatible. */
#include "fixture.h"

LAUNCH(launch) { host->complete(task, 1, "from the future"); }
static int32_t init(const bgrun_host *given) {
    const bgrun_handler handler = {sizeof handler, 0, "run", NULL, launch, NULL};
    host = given;
    return host->register_handler(host, &handler);
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION + 7, init)
