/* SPDX-License-Identifier: Apache-2.0
 * 100 MB on stdout without a line feed: the host must cut the line at its limit and keep its
 * memory bounded. */
#include "fixture.h"

#include <string.h>
#include <unistd.h>

LAUNCH(launch) {
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 100; i++)
        if (write(1, block, sizeof block) < 0) break;
    host->complete(task, 1, "one line");
}
PLUGIN(launch, NULL)
