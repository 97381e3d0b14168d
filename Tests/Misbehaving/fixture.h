/* SPDX-License-Identifier: Apache-2.0
 * fixture.h - the correct part of every misbehaving plugin. The first comment of a fixture says
 * what the host must do; the fixture then defines the fault, and ends with PLUGIN or ENTRY. Every
 * fixture that can be loaded has one handler, `run`. */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "bgrun_plugin.h"

static const bgrun_host *host;

#define LAUNCH(name)                                                                      \
    static void name(void *user_data __attribute__((unused)), bgrun_task *task,           \
                     const bgrun_launch *given __attribute__((unused)))
#define EXPIRE(name)                                                                      \
    static void name(void *user_data __attribute__((unused)), bgrun_task *task,           \
                     const bgrun_expiration *expiration __attribute__((unused)))

/* Positional initialisers are the same in C and C++11. */
#define INIT(launch_function, expire_function)                                            \
    static int32_t init(const bgrun_host *table) {                                        \
        const bgrun_handler handler = {                                                   \
            sizeof(bgrun_handler), 0, "run", NULL, launch_function, expire_function};     \
        host = table;                                                                     \
        return host->register_handler(host, &handler);                                    \
    }

#define PLUGIN(launch_function, expire_function)                                          \
    INIT(launch_function, expire_function)                                                \
    ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)

#define KEEPING(flags, launch_function)                                                   \
    INIT(launch_function, NULL)                                                           \
    FLAGGED_ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, flags, init)

#define ENTRY(size, version, init_function) FLAGGED_ENTRY(size, version, 0, init_function)

#define FLAGGED_ENTRY(size, version, flags, init_function)                                \
    const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {                       \
        static const bgrun_plugin plugin = {                                              \
            (uint32_t)(size), version,       flags, 0, "misbehaving",                      \
            "1.0",            init_function, NULL};                                       \
        (void)host_version;                                                               \
        return &plugin;                                                                   \
    }

#endif
