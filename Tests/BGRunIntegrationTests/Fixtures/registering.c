/* SPDX-License-Identifier: Apache-2.0
 * registering.c - one handler for all tasks, and its registrations, like a plugin of the Swift SDK. */
#include "bgrun_plugin.h"

#include <stdio.h>
#include <string.h>

static const bgrun_host *host;
static const bgrun_registration_ext *extension;
static const bgrun_app_ext *app;

static int32_t tell(const char *identifier, uint32_t kind, int64_t delay, uint32_t requires) {
    if (app && identifier && app->task_kind(host, identifier) == BGRUN_E_NOT_PERMITTED)
        return BGRUN_E_NOT_PERMITTED;
    const bgrun_registration registration = {
        sizeof registration, kind, identifier, delay, requires, 0};
    return extension->registered(host, &registration);
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    if (given->kind == BGRUN_KIND_CONTINUED) tell("org.test.export.late", BGRUN_KIND_CONTINUED, -1, 0);
    host->complete(task, 1, given->identifier);
}

static int32_t init(const bgrun_host *table) {
    const bgrun_handler handler = {sizeof handler, 0, BGRUN_DEFAULT_HANDLER, NULL, launch, NULL};
    host = table;
    extension = host->get_extension(host, BGRUN_EXT_REGISTRATION);
    app = host->get_extension(host, BGRUN_EXT_APP);
    if (!extension || extension->registered(host, NULL) != BGRUN_E_INVALID ||
        tell(NULL, 0, -1, 0) != BGRUN_E_INVALID)
        return BGRUN_E_STATE;
    /* A refresh with a name like that of processing, requested in 20 minutes less the time that has passed. */
    tell("org.test.cleanup", BGRUN_KIND_APP_REFRESH, 1199999999000, 0);
    tell("org.test.feed", BGRUN_KIND_PROCESSING, 7200000000000,
         BGRUN_REQUIRES_POWER | BGRUN_REQUIRES_NETWORK);
    tell("org.test.index", 0, -1, 0);
    /* Does not register it as a task of another kind. */
    if (!app || app->task_kind(host, "org.test.extra") != (int32_t)BGRUN_KIND_PROCESSING)
        tell("org.test.extra", 0, -1, 0);
    if (!app || app->task_kind(host, "org.test.push") != BGRUN_E_NOT_PERMITTED)
        tell(NULL, BGRUN_KIND_PUSH, -1, 0);
    /* Like an app delegate that calls setMinimumBackgroundFetchInterval. */
    if (app && strcmp(app->app, "org.fetch") == 0) tell(NULL, BGRUN_KIND_APP_REFRESH, -1, 0);
    /* Like `Bundle.main.bundleIdentifier! + ".own"`. */
    char own[256];
    if (app) {
        snprintf(own, sizeof own, "%s.own", app->app);
        tell(own, 0, -1, 0);
    }
    return host->register_handler(host, &handler);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t version) {
    static const bgrun_plugin plugin = {
        sizeof(bgrun_plugin), BGRUN_ABI_VERSION, 0, 0, "registering", "1.0", init, NULL};
    (void)version;
    return &plugin;
}
