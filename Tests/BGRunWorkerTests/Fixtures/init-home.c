/* SPDX-License-Identifier: Apache-2.0
 * Its init logs the app's home and the names of the task's variables. */
#include "bgrun_plugin.h"

#include <stdlib.h>

static int32_t init(const bgrun_host *host) {
    const char *home = getenv("BGRUN_APP_HOME"), *kept = getenv("BGRUN_APP_HOME_KEEP");
    host->log(host, NULL, BGRUN_LOG_INFO, home ? home : "missing");
    host->log(host, NULL, BGRUN_LOG_INFO, kept ? kept : "missing");
    return BGRUN_OK;
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "init-home", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
