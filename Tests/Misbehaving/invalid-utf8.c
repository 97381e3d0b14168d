/* SPDX-License-Identifier: Apache-2.0
 * Texts that are not UTF-8: the host must store and show valid UTF-8, and must not fail. */
#include "fixture.h"

LAUNCH(launch) {
    host->set_title(task, "\xff\xfe\xc3(", "\xed\xa0\x80 \xf8\x88\x80\x80\x80 \x1b[31m");
    host->log(host, task, BGRUN_LOG_INFO, "\x80 cut: \xe2\x82");
    host->complete(task, 1, "\xc0\xaf");
}
PLUGIN(launch, NULL)
