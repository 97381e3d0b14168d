/* SPDX-License-Identifier: Apache-2.0
 * Values at and above every limit: the host must cut titles at 256 bytes, refuse negative
 * progress, keep INT64_MAX unchanged, and cut the message and the log line. */
#include "fixture.h"

#include <string.h>

LAUNCH(launch) {
    static char text[1 << 20];
    memset(text, 'x', sizeof text - 1);
    int32_t good = host->set_progress(task, -1, 10) == BGRUN_E_INVALID &&
                   host->set_progress(task, INT64_MAX, INT64_MAX) == BGRUN_OK &&
                   host->set_progress(task, INT64_MAX, -1) == BGRUN_OK &&
                   host->set_progress(task, 11, 10) == BGRUN_OK &&
                   host->set_title(task, text, text) == BGRUN_OK &&
                   host->set_title(task, NULL, NULL) == BGRUN_OK;
    host->log(host, task, 4000000000u, text);
    host->log(host, task, BGRUN_LOG_INFO, "two\nlines");
    host->complete(task, good, text);
}
PLUGIN(launch, NULL)
