/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_APP_H
#define BGRUN_EXT_APP_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.app/1 ----------------------------------------------- */

#define BGRUN_EXT_APP "bgrun.app/1"

/* since ABI 1.2. Owned by the host, constant, valid until the process ends. The app of
 * the manifest; absent when the plugin is loaded without one (`bgrun plugin check`). */
typedef struct bgrun_app_ext {
    uint32_t struct_size;
    uint32_t reserved;
    const char *app;                /* the manifest's `app` */
    const char *manifest_directory; /* absolute */

    /* BGRUN_KIND_... of the task that handles an identifier, or a pattern as in the
     * manifest (`com.example.export.*`). BGRUN_E_NOT_PERMITTED if it is not in
     * `permitted_identifiers`, else BGRUN_E_NOT_FOUND if no task handles it. Does not
     * block. [any-thread] */
    int32_t (*task_kind)(const bgrun_host *host, const char *identifier);

    /* BGRUN_REQUIRES_... of that task, or 0; the same errors. Does not block.
     * [any-thread] */
    int32_t (*task_requires)(const bgrun_host *host, const char *identifier);
} bgrun_app_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_APP_H */
