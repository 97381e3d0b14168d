/* SPDX-License-Identifier: Apache-2.0
 * It completes and does not return: the attempt is a success at once; the host must end the
 * worker, which can never be reused. */
#include "fixture.h"

#include <unistd.h>

LAUNCH(launch) {
    host->complete(task, 1, "done, but staying");
    for (;;) pause();
}
PLUGIN(launch, NULL)
