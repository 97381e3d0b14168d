/* SPDX-License-Identifier: Apache-2.0
 * Asks what the manifest permits, also for a NULL identifier; the attempt succeeds, and its message has
 * the answers. */
#include "fixture.h"

#include <stdio.h>

LAUNCH(launch) {
    const bgrun_app_ext *app = (const bgrun_app_ext *)host->get_extension(host, BGRUN_EXT_APP);
    char answers[64];
    if (!app) {
        host->complete(task, 1, "loaded without a manifest");
        return;
    }
    snprintf(answers, sizeof answers, "permitted %d requires %d, other case %d, nothing %d",
             app->task_kind(host, given->identifier), app->task_requires(host, given->identifier),
             app->task_kind(host, "org.Test.bad"), app->task_requires(host, NULL));
    host->complete(task, app->app[0] != '\0' && app->manifest_directory[0] == '/', answers);
}
PLUGIN(launch, NULL)
