/* SPDX-License-Identifier: Apache-2.0
 * The host must record "exited": the worker exited with status 3 before complete. */
#include "fixture.h"

#include <stdlib.h>

LAUNCH(launch) {
    (void)task;
    exit(3);
}
PLUGIN(launch, NULL)
