/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it: it registers no handler. */
#include "fixture.h"

static int32_t init(const bgrun_host *given) {
    host = given;
    return BGRUN_OK;
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)
