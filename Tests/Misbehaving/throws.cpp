/* SPDX-License-Identifier: Apache-2.0
 * An exception crosses the boundary: the host must record "crashed" with SIGABRT. */
#include "fixture.h"

#include <stdexcept>

LAUNCH(launch) {
    host->log(host, task, BGRUN_LOG_INFO, "throwing");
    throw std::runtime_error("out of launch");
}
PLUGIN(launch, NULL)
