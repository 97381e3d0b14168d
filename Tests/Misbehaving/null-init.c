/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it: init is mandatory. */
#include "fixture.h"

ENTRY(sizeof(bgrun_plugin) + 0 * sizeof host, BGRUN_ABI_VERSION, NULL)
