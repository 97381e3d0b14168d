/* SPDX-License-Identifier: Apache-2.0
 * The host must end it by SIGKILL, after the grace and the wait that follows SIGTERM, and
 * record "expired". */
#include "fixture.h"

#include <signal.h>
#include <unistd.h>

LAUNCH(launch) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    signal(SIGTERM, SIG_IGN);
    host->log(host, task, BGRUN_LOG_INFO, "not listening");
    for (;;) pause();
}
EXPIRE(expire) { host->log(host, task, BGRUN_LOG_INFO, "told to expire, continuing"); }
PLUGIN(launch, expire)
