/* SPDX-License-Identifier: Apache-2.0
 * It was compiled for ABI 2.0: the host must refuse it and name both versions. */
#include "fixture.h"

static int32_t init(const bgrun_host *given) {
    host = given;
    return BGRUN_OK;
}
ENTRY(sizeof(bgrun_plugin), 2u << 16, init)
