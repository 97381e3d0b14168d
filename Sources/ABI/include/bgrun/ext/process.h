/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_PROCESS_H
#define BGRUN_EXT_PROCESS_H

#include "../core.h"
#include "scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.process/1 ------------------------------------------- */

#define BGRUN_EXT_PROCESS "bgrun.process/1"

/* since ABI 1.4. Owned by the host, constant, valid until the process ends. Functions of the
 * process: they work from init on, without an attempt. The process is suspended between attempts; a
 * call in progress returns after it resumes. */
typedef struct bgrun_process_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* As in bgrun_scheduler_ext. Also BGRUN_E_UNAVAILABLE while background refresh is off, for
     * kinds that require it, and without an app (`bgrun plugin inspect`). Blocks. [any-thread] */
    int32_t (*submit)(const bgrun_host *host, const bgrun_request *request);

    /* As in bgrun_scheduler_ext; BGRUN_E_UNAVAILABLE without an app. Blocks. [any-thread] */
    int32_t (*cancel)(const bgrun_host *host, const char *identifier);

    /* As in bgrun_scheduler_ext; BGRUN_E_UNAVAILABLE without an app. Blocks. [any-thread] */
    int32_t (*pending)(const bgrun_host *host, void *context,
                       void (*visit)(void *context, const bgrun_pending *pending));

    /* Calls `changed` when readings of bgrun_device_ext.read change during an attempt: one call at
     * a time, on a thread of bgrun that it may block. BGRUN_E_STATE after init. Does not block.
     * [worker-main, during init] */
    int32_t (*observe_device)(const bgrun_host *host, void *user_data,
                              void (*changed)(void *user_data));

    /* Ends an expired attempt that has no expiration handler (Apple: no expirationHandler),
     * unsuccessfully; it counts as an attempt without a report. BGRUN_E_STATE before expire and
     * after complete. `message`: for people, may be NULL. Does not block. [any-thread] */
    int32_t (*abandon)(bgrun_task *task, const char *message);
} bgrun_process_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_PROCESS_H */
