/* SPDX-License-Identifier: Apache-2.0
 * The host must report the crash while loading (SIGSEGV in a constructor), with its reason. */
#include "fixture.h"

static int *volatile nowhere;

__attribute__((constructor)) static void crash(void) {
    *nowhere = 1;
}
LAUNCH(launch) { host->complete(task, 1, "not reached"); }
PLUGIN(launch, NULL)
