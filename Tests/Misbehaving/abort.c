/* SPDX-License-Identifier: Apache-2.0
 * The host must record "crashed" with SIGABRT, and the text on stderr before it. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>

LAUNCH(launch) {
    (void)task;
    fputs("about to abort\n", stderr);
    abort();
}
PLUGIN(launch, NULL)
