/* SPDX-License-Identifier: Apache-2.0
 * Names that are empty, too long or have invalid characters, and a NULL launch, must get
 * BGRUN_E_INVALID; init fails when one is accepted. */
#include "fixture.h"

#include <string.h>

LAUNCH(launch) { host->complete(task, 1, "all refused"); }
static int32_t init(const bgrun_host *given) {
    static char too_long[130];
    memset(too_long, 'x', 129);
    const char *const names[] = {"", "a.b", "a b", "\xff", too_long, NULL};
    host = given;
    for (int i = 0; i < 6; i++) {
        const bgrun_handler bad = {sizeof bad, 0, names[i], NULL, launch, NULL};
        if (host->register_handler(host, &bad) != BGRUN_E_INVALID) return BGRUN_E_INVALID;
    }
    const bgrun_handler null = {sizeof null, 0, "null", NULL, NULL, NULL};
    if (host->register_handler(host, &null) != BGRUN_E_INVALID) return BGRUN_E_INVALID;
    const bgrun_handler good = {sizeof good, 0, "run", NULL, launch, NULL};
    return host->register_handler(host, &good);
}
ENTRY(sizeof(bgrun_plugin), BGRUN_ABI_VERSION, init)
