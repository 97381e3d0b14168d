/* SPDX-License-Identifier: Apache-2.0
 * It completes and leaves a daemon that no group or session reaches: the host must end the
 * daemon (its pid is logged) when the attempt ends, and must not reuse the worker. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void live_on(int announce) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    dprintf(announce, "daemon %d\n", (int)getpid());
    for (int fd = 0; fd < 256; fd++) close(fd);
    for (;;) pause();
}

LAUNCH(launch) {
    int announced[2];
    char text[64] = "";
    if (pipe(announced) != 0) abort();
    if (fork() == 0) {
        setsid();
        if (fork() == 0) live_on(announced[1]);
        _exit(0);
    }
    wait(NULL);
    if (read(announced[0], text, sizeof text - 1) <= 0) abort();
    close(announced[0]);
    close(announced[1]);
    host->log(host, task, BGRUN_LOG_INFO, text);
    host->complete(task, 1, "left a daemon");
}
PLUGIN(launch, NULL)
