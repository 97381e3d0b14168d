/* SPDX-License-Identifier: Apache-2.0
 * It forks twenty children, each of which forks another one, and returns: the host must end all
 * forty when the attempt expires. */
#include "fixture.h"

#include <stdlib.h>
#include <unistd.h>

LAUNCH(launch) {
    int ready[2];
    char bytes;
    if (pipe(ready) != 0) abort();
    for (int i = 0; i < 20; i++)
        if (fork() == 0) {
            fork();
            if (write(ready[1], "", 1) != 1) _exit(1);
            for (;;) pause();
        }
    for (int i = 0; i < 40; i++)
        if (read(ready[0], &bytes, 1) != 1) abort();
    host->log(host, task, BGRUN_LOG_INFO, "forty children");
}
PLUGIN(launch, NULL)
