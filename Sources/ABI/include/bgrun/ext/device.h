/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_DEVICE_H
#define BGRUN_EXT_DEVICE_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.device/1 -------------------------------------------- */

#define BGRUN_EXT_DEVICE "bgrun.device/1"

/* Values of a yes/no reading. */
#define BGRUN_UNKNOWN (-1)
#define BGRUN_NO 0
#define BGRUN_YES 1

/* since ABI 1.0. Owned by the caller. The readings at the launch of the attempt; since ABI 1.4,
 * the latest. */
typedef struct bgrun_device {
    uint32_t struct_size;
    int32_t external_power;        /* yes/no */
    int32_t battery_percent;       /* 0 to 100, or BGRUN_UNKNOWN */
    int32_t low_power_mode;        /* yes/no */
    int32_t network;               /* yes/no */
    int32_t network_metered;       /* yes/no */
    int32_t user_idle;             /* yes/no */
    int32_t thermal_state;         /* 0 nominal, 1 fair, 2 serious, 3 critical, or BGRUN_UNKNOWN */
    int32_t background_refresh;    /* since ABI 1.4. 0 restricted by an administrator, 1 denied
                                    * by a person, 2 available, or BGRUN_UNKNOWN (Apple:
                                    * UIBackgroundRefreshStatus) */
} bgrun_device;

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
typedef struct bgrun_device_ext {
    uint32_t struct_size;
    uint32_t reserved;
    /* Fills *device up to the struct_size that the caller has set. Does not block. Since ABI 1.5,
     * `task` may be NULL until init returns: the readings when the plugin is loaded, all unknown where
     * bgrun only tries the plugin (such as `bgrun plugin check`). BGRUN_E_STATE after init and from an older host.
     * [any-thread, attempt active or init] */
    int32_t (*read)(bgrun_task *task, bgrun_device *device);
} bgrun_device_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_DEVICE_H */
