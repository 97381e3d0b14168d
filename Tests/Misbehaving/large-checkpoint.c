/* SPDX-License-Identifier: Apache-2.0
 * A checkpoint over the limit must get BGRUN_E_TOO_LARGE, one at the limit must be stored, and
 * NULL data with a size must get BGRUN_E_INVALID. */
#include "fixture.h"

LAUNCH(launch) {
    static char data[BGRUN_CHECKPOINT_MAX + 1];
    static char back[BGRUN_CHECKPOINT_MAX];
    uint64_t size = 0;
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    int32_t good = checkpoint &&
                   checkpoint->put(task, 1, data, sizeof data) == BGRUN_E_TOO_LARGE &&
                   checkpoint->put(task, 1, NULL, 5) == BGRUN_E_INVALID &&
                   checkpoint->put(task, 1, data, sizeof back) == BGRUN_OK &&
                   checkpoint->put(task, 1, data, sizeof data) == BGRUN_E_TOO_LARGE &&
                   checkpoint->get(task, back, sizeof back, &size, NULL) == BGRUN_OK &&
                   size == sizeof back;
    host->complete(task, good, "checkpoints");
}
PLUGIN(launch, NULL)
