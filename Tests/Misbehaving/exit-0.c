/* SPDX-License-Identifier: Apache-2.0
 * The host must record "exited": the worker exited with status 0 before complete; status 0 is
 * not a success. */
#include "fixture.h"

#include <stdlib.h>

LAUNCH(launch) {
    (void)task;
    exit(0);
}
PLUGIN(launch, NULL)
