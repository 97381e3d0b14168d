/* SPDX-License-Identifier: Apache-2.0
 * It blocks with a child in another session that ignores SIGTERM: at expiration the host must
 * end both. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

LAUNCH(launch) {
    int ready[2];
    char text[64];
    if (pipe(ready) != 0) abort();
    pid_t child = fork();
    if (child == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        if (write(ready[1], "", 1) != 1) _exit(1);
        for (;;) pause();
    }
    if (read(ready[0], text, 1) != 1) abort();
    snprintf(text, sizeof text, "child %d", (int)child);
    host->log(host, task, BGRUN_LOG_INFO, text);
    for (;;) pause();
}
PLUGIN(launch, NULL)
