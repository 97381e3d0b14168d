/* SPDX-License-Identifier: Apache-2.0
 * Does nothing but register a handler. */
#include "bgrun_plugin.h"

static const bgrun_host *host;

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    (void)given;
    host->complete(task, 1, NULL);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler run = {.struct_size = sizeof run, .name = "run", .launch = launch};
    host = given;
    return host->register_handler(host, &run);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "plain", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
