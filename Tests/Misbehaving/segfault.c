/* SPDX-License-Identifier: Apache-2.0
 * The host must record "crashed" with SIGSEGV and continue with the other attempts. */
#include "fixture.h"

static int *volatile nowhere;

LAUNCH(launch) {
    *nowhere = 1;
    host->complete(task, 1, "not reached");
}
PLUGIN(launch, NULL)
