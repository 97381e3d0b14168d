/* SPDX-License-Identifier: Apache-2.0
 * The declarations that the two plugins of attacks share. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "bgrun_plugin.h"

#include <string.h>
#include <unistd.h>

static const bgrun_host *host;

/* The worker's channel to its host. */
enum { CONTROL = 4 };

#define HANDLER(name)                                                                     \
    static void name(void *unused_ __attribute__((unused)), bgrun_task *task __attribute__((unused)), \
                     const bgrun_launch *given __attribute__((unused)))

#define NAMED(name) {sizeof(bgrun_handler), 0, #name, NULL, name, NULL}

static inline void write_garbage(void) {
    char garbage[256];
    memset(garbage, 0xee, sizeof garbage);
    if (write(CONTROL, garbage, sizeof garbage) < 0) _exit(1);
}

#define PLUGIN(handlers)                                                                  \
    static int32_t init(const bgrun_host *table) {                                        \
        host = table;                                                                     \
        for (size_t index = 0; index < sizeof handlers / sizeof *handlers; index++) {     \
            int32_t status = host->register_handler(host, &handlers[index]);              \
            if (status != BGRUN_OK) return status;                                        \
        }                                                                                 \
        return BGRUN_OK;                                                                  \
    }                                                                                     \
    __attribute__((visibility("default"))) const bgrun_plugin *bgrun_plugin_entry(        \
        uint32_t version) {                                                               \
        static const bgrun_plugin plugin = {                                              \
            sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "hostile", "1.0", init, NULL};        \
        (void)version;                                                                    \
        return &plugin;                                                                   \
    }

#endif
