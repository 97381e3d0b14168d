/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it, with the logged text as the cause. */
#include "fixture.h"

static int32_t init(const bgrun_host *given) {
    host = given;
    host->log(host, NULL, BGRUN_LOG_ERROR, "the licence has run out");
    return BGRUN_E_UNAVAILABLE;
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)
