/* SPDX-License-Identifier: Apache-2.0
 * This is correct: it declares that it keeps a descriptor, so the host must reuse the worker;
 * the second attempt is a success in the same process. */
#include "fixture.h"

#include <fcntl.h>

static int descriptor = -1;

LAUNCH(launch) {
    int32_t again = descriptor >= 0;
    if (!again) descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    host->complete(task, descriptor >= 0, again ? "the same process" : "a new process");
}
KEEPING(BGRUN_PLUGIN_KEEPS_DESCRIPTORS, launch)
