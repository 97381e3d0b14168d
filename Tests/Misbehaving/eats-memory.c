/* SPDX-License-Identifier: Apache-2.0
 * It allocates and touches memory without end: the host must survive it and record its end (a
 * limit, the out-of-memory killer, or expiration). Run it only under a limit of memory. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "allocating");
    for (;;) {
        char *block = malloc(1 << 24);
        if (!block) abort();
        memset(block, 1, 1 << 24);
    }
}
PLUGIN(launch, NULL)
