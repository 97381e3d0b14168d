/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it: the entry reports that it cannot work with this host. */
#include "fixture.h"

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    (void)host_version;
    return host ? NULL : NULL;
}
