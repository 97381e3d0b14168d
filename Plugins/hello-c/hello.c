/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_plugin.h"

static const bgrun_host *host;

static void launch(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused;
    host->log(host, task, BGRUN_LOG_INFO, "hello from C");
    host->set_title(task, launch->identifier, "saying hello");
    host->set_progress(task, 1, 1);
    host->complete(task, 1, "hello");
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler greet = {
        .struct_size = sizeof greet,
        .name = "greet",
        .launch = launch, /* without expire: revoked time simply ends the attempt */
    };
    host = given;
    return host->register_handler(host, &greet);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "hello-c",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
