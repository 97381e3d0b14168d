/* SPDX-License-Identifier: Apache-2.0
 * It makes its worker ignore SIGTERM: the next attempt must not, so the worker is not reused. */
#include "fixture.h"

#include <signal.h>

LAUNCH(launch) {
    struct sigaction old;
    sigaction(SIGTERM, NULL, &old);
    signal(SIGTERM, SIG_IGN);
    host->complete(task, 1, old.sa_handler == SIG_DFL ? "SIGTERM ends it" : "SIGTERM is ignored");
}
PLUGIN(launch, NULL)
