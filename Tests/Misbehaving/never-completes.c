/* SPDX-License-Identifier: Apache-2.0
 * launch returns and nothing completes the attempt: the host must expire it in time, and end
 * it. */
#include "fixture.h"

LAUNCH(launch) { host->log(host, task, BGRUN_LOG_INFO, "returning without a word"); }
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
