/* SPDX-License-Identifier: Apache-2.0
 * The host must end the worker when loading takes too long, and report that init did not return. */
#include "fixture.h"

#include <unistd.h>

static int32_t init(const bgrun_host *given) {
    host = given;
    host->log(host, NULL, BGRUN_LOG_INFO, "in init");
    for (;;) pause();
    return BGRUN_OK;
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)
