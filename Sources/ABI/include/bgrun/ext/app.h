/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_APP_H
#define BGRUN_EXT_APP_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.app/1 ----------------------------------------------- */

#define BGRUN_EXT_APP "bgrun.app/1"

/* since ABI 1.2. Owned by the host, constant, valid until the process ends. What the
 * manifest says of the app; there from init on, and absent when the plugin is loaded
 * without a manifest (`bgrun plugin check`). */
typedef struct bgrun_app_ext {
    uint32_t struct_size;
    uint32_t reserved;
    const char *app;                /* the manifest's `app`; never NULL */
    const char *manifest_directory; /* absolute; never NULL */

    /* BGRUN_KIND_... of the task that handles an identifier, or a pattern as the manifest
     * writes it (`com.example.export.*`). BGRUN_E_NOT_PERMITTED when
     * `permitted_identifiers` does not have it, BGRUN_E_NOT_FOUND when it has and no task
     * handles it, BGRUN_E_INVALID for NULL. Does not block. [any-thread] */
    int32_t (*task_kind)(const bgrun_host *host, const char *identifier);

    /* BGRUN_REQUIRES_... of that task, 0 for none; the same errors. Does not block.
     * [any-thread] */
    int32_t (*task_requires)(const bgrun_host *host, const char *identifier);
} bgrun_app_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_APP_H */
