/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it: the table ends before init, which is mandatory. */
#include "fixture.h"

static int32_t init(const bgrun_host *given) {
    host = given;
    return BGRUN_OK;
}
ENTRY(16, BGRUN_ABI_VERSION, init)
