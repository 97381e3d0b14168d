/* SPDX-License-Identifier: Apache-2.0
 * plugin.c - the entry of sync-directory. */
#include "copy.h"
#include "prune.h"

static const bgrun_host *host;

static void launch_copy(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    sync_copy(host, task, given);
}

static void launch_prune(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    sync_prune(host, task, given);
}

/* Both handlers check is_expired before every step, and save their position themselves. */
static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    (void)task;
    (void)expiration;
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler copy = {
        .struct_size = sizeof copy, .name = "copy", .launch = launch_copy, .expire = expire};
    const bgrun_handler prune = {
        .struct_size = sizeof prune, .name = "prune", .launch = launch_prune, .expire = expire};
    host = given;
    int32_t result = host->register_handler(host, &copy);
    return result == BGRUN_OK ? host->register_handler(host, &prune) : result;
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "sync-directory",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
