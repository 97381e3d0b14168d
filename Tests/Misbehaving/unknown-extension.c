/* SPDX-License-Identifier: Apache-2.0
 * An unknown extension must be NULL; then the attempt succeeds. */
#include "fixture.h"

LAUNCH(launch) {
    host->complete(task, host->get_extension(host, "bgrun.telepathy/1") == NULL, "no such thing");
}
PLUGIN(launch, NULL)
