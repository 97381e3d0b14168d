/* SPDX-License-Identifier: Apache-2.0
 * Its init ends the process. */
#include "bgrun_plugin.h"

#include <unistd.h>

static int32_t init(const bgrun_host *host) {
    (void)host;
    _exit(7);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "init-exits", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
