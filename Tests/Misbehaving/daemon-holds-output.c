/* SPDX-License-Identifier: Apache-2.0
 * It leaves a daemon that keeps stdout and stderr open: the host must end it, and must not
 * wait for the end of the output before it ends the attempt. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

LAUNCH(launch) {
    int announced[2];
    char text[64] = "";
    if (pipe(announced) != 0) abort();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) {
            signal(SIGTERM, SIG_IGN);
            dprintf(announced[1], "daemon %d", (int)getpid());
            for (;;) pause();
        }
        _exit(0);
    }
    wait(NULL);
    if (read(announced[0], text, sizeof text - 1) <= 0) abort();
    close(announced[0]);
    close(announced[1]);
    host->log(host, task, BGRUN_LOG_INFO, text);
    host->complete(task, 1, "left a daemon that holds the output");
}
PLUGIN(launch, NULL)
