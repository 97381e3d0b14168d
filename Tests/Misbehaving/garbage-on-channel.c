/* SPDX-License-Identifier: Apache-2.0
 * It writes garbage to every descriptor of its worker, also to the host's channels: the host
 * must refuse invalid frames, end the worker, and record "failed". */
#include "fixture.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

LAUNCH(launch) {
    char garbage[4096];
    memset(garbage, 0xee, sizeof garbage);
    host->log(host, task, BGRUN_LOG_INFO, "writing garbage");
    for (int fd = 3; fd < 256; fd++) {
        fcntl(fd, F_SETFL, O_NONBLOCK);
        if (write(fd, garbage, sizeof garbage) < 0) continue;
    }
    for (;;) pause();
}
PLUGIN(launch, NULL)
