/* SPDX-License-Identifier: Apache-2.0
 * Its init takes 5 seconds, and logs its process ID every 20 milliseconds. */
#include "bgrun_plugin.h"

#include <stdio.h>
#include <unistd.h>

static int32_t init(const bgrun_host *host) {
    char process[16];
    snprintf(process, sizeof process, "%d", (int)getpid());
    for (int line = 0; line < 250; line++) {
        host->log(host, NULL, BGRUN_LOG_INFO, process);
        usleep(20000);
    }
    return BGRUN_OK;
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "init-logs", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
