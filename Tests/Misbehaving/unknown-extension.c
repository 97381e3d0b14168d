/* SPDX-License-Identifier: Apache-2.0
 * An extension that nobody knows must be NULL; the attempt succeeds when it is. */
#include "fixture.h"

LAUNCH(launch) {
    host->complete(task, host->get_extension(host, "bgrun.telepathy/1") == NULL, "no such thing");
}
PLUGIN(launch, NULL)
