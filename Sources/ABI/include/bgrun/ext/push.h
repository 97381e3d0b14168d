/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_PUSH_H
#define BGRUN_EXT_PUSH_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.push/1 ---------------------------------------------- */

#define BGRUN_EXT_PUSH "bgrun.push/1"

/* Results of a push, numbered after Apple's UIBackgroundFetchResult. */
#define BGRUN_FETCH_NEW_DATA 0u
#define BGRUN_FETCH_NO_DATA 1u
#define BGRUN_FETCH_FAILED 2u

/* since ABI 1.3. Owned by the host, valid until visit returns. */
typedef struct bgrun_push_message {
    uint32_t struct_size;
    uint32_t priority;             /* as it was sent; 5 for a silent push */
    const char *payload_json;      /* a JSON object with `aps`, its keys sorted */
    const char *collapse_id;       /* NULL: none */
    int64_t received_unix_ns;
} bgrun_push_message;

/* since ABI 1.3. Owned by the host, constant, valid until the process ends. For attempts of kind
 * BGRUN_KIND_PUSH. */
typedef struct bgrun_push_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Calls `visit`, which may call bgrun, for a copy of every message held for the task at launch,
     * oldest first; for none in attempts of other kinds. Success removes them; otherwise they are
     * delivered again to the next attempt. The newest payload is also the member `push` of
     * bgrun_launch.parameters_json. BGRUN_E_UNAVAILABLE as `pending` of bgrun_scheduler_ext.
     * Blocks. [any-thread, attempt active] */
    int32_t (*messages)(bgrun_task *task, void *context,
                        void (*visit)(void *context, const bgrun_push_message *message));

    /* As bgrun_host.complete, with a BGRUN_FETCH_...: the attempt succeeds unless it is
     * BGRUN_FETCH_FAILED. BGRUN_E_STATE in attempts of other kinds and after a report. Blocks.
     * [any-thread] */
    int32_t (*complete)(bgrun_task *task, uint32_t result);
} bgrun_push_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_PUSH_H */
