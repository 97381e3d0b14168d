/* SPDX-License-Identifier: Apache-2.0
 * Ten million lines on stdout: the host must stay within its limit, count dropped lines, and
 * record success. */
#include "fixture.h"

#include <stdio.h>

LAUNCH(launch) {
    for (int line = 0; line < 10000000; line++) printf("line %d\n", line);
    fflush(stdout);
    host->complete(task, 1, "ten million lines");
}
PLUGIN(launch, NULL)
