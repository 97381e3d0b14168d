/* SPDX-License-Identifier: Apache-2.0
 * It changes the directory, umask, signal mask, environment and nice value of its worker: the
 * next attempt must not see any of the changes. */
#include "fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

LAUNCH(launch) {
    char text[512], directory[256] = "?";
    sigset_t mask, all;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    mode_t old = umask(0777);
    if (!getcwd(directory, sizeof directory)) return;
    snprintf(text, sizeof text, "directory %s umask %03o SIGUSR1 %s nice %d CHANGED %s", directory,
             (unsigned)old, sigismember(&mask, SIGUSR1) ? "blocked" : "free", nice(0),
             getenv("CHANGED") ? getenv("CHANGED") : "unset");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setenv("CHANGED", "yes", 1);
    int moved = chdir("/proc") == 0 && nice(1) != -1;
    host->complete(task, moved, text);
}
PLUGIN(launch, NULL)
