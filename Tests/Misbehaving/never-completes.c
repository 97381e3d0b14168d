/* SPDX-License-Identifier: Apache-2.0
 * launch returns and nobody is left to complete: the host must expire the attempt in its time,
 * and end it. */
#include "fixture.h"

LAUNCH(launch) { host->log(host, task, BGRUN_LOG_INFO, "returning without a word"); }
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire"); }
PLUGIN(launch, expire)
