/* SPDX-License-Identifier: Apache-2.0
 * plugin.c - the entry of sqlite-maintenance. */
#include "maintain.h"

static const bgrun_host *host;

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    maintain(host, task, given);
}

static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    (void)task;
    (void)expiration;
    maintain_interrupt();
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler handler = {
        .struct_size = sizeof handler, .name = "maintain", .launch = launch, .expire = expire};
    host = given;
    return host->register_handler(host, &handler);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "sqlite-maintenance",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
