/* SPDX-License-Identifier: Apache-2.0
 * It leaves a descriptor open: the host must record success and not reuse the worker. */
#include "fixture.h"

#include <fcntl.h>

LAUNCH(launch) {
    int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    host->complete(task, descriptor >= 0, "left a descriptor");
}
PLUGIN(launch, NULL)
