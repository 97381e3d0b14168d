/* SPDX-License-Identifier: Apache-2.0 OR 0BSD */
#include "shim.h"

#include <stdlib.h>

#include "_cgo_export.h"

const bgrun_host *shim_host;
bgrun_plugin shim_plugin;

static void launch(void *name, bgrun_task *task, const bgrun_launch *launch) {
    bgrunLaunch(name, task, (bgrun_launch *)launch);
}

static void expire(void *name, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)name;
    (void)expiration;
    bgrunExpire(task);
}

static int32_t init(const bgrun_host *host) {
    shim_host = host;
    return bgrunInit();
}

/* `name` must exist as long as the process. */
int32_t shim_register(const char *name) {
    const bgrun_handler handler = {
        .struct_size = sizeof handler,
        .name = name,
        .user_data = (void *)name,
        .launch = launch,
        .expire = expire,
    };
    return shim_host->register_handler(shim_host, &handler);
}

/* bgrunDescribe returns when Go's own initialisation, which the loader has begun, is complete. */
const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    bgrunDescribe();
    shim_plugin.struct_size = sizeof shim_plugin;
    shim_plugin.abi_version = BGRUN_ABI_VERSION;
    shim_plugin.flags = BGRUN_PLUGIN_KEEPS_THREADS; /* Go's */
    shim_plugin.init = init;
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &shim_plugin : NULL;
}
