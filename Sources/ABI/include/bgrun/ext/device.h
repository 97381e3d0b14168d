/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_DEVICE_H
#define BGRUN_EXT_DEVICE_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.device/1 -------------------------------------------- */

#define BGRUN_EXT_DEVICE "bgrun.device/1"

/* Values of a yes/no reading. An unknown never turns into yes or no by itself. */
#define BGRUN_UNKNOWN (-1)
#define BGRUN_NO 0
#define BGRUN_YES 1

/* since ABI 1.0. Owned by the caller. The latest readings from the host: those at the launch of
 * the attempt, and, since ABI 1.4, every change while it runs. */
typedef struct bgrun_device {
    uint32_t struct_size;
    int32_t external_power;        /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t battery_percent;       /* 0 to 100, or BGRUN_UNKNOWN */
    int32_t low_power_mode;        /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t network;               /* BGRUN_YES when there is one */
    int32_t network_metered;       /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t user_idle;             /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t thermal_state;         /* 0 nominal, 1 fair, 2 serious, 3 critical, or BGRUN_UNKNOWN */
    int32_t background_refresh;    /* since ABI 1.4. Whether the app may refresh: 0 restricted
                                    * by an administrator, 1 denied by a person, 2 available,
                                    * or BGRUN_UNKNOWN (Apple: UIBackgroundRefreshStatus) */
} bgrun_device;

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
typedef struct bgrun_device_ext {
    uint32_t struct_size;
    uint32_t reserved;
    /* Fills *device up to the struct_size the caller has set and leaves that as it is.
     * BGRUN_E_INVALID when it does not reach past itself. Does not block.
     * [any-thread, attempt active] */
    int32_t (*read)(bgrun_task *task, bgrun_device *device);
} bgrun_device_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_DEVICE_H */
