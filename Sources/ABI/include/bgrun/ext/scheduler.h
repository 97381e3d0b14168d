/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_SCHEDULER_H
#define BGRUN_EXT_SCHEDULER_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.scheduler/1 ----------------------------------------- */

#define BGRUN_EXT_SCHEDULER "bgrun.scheduler/1"

/* since ABI 1.0. Owned by the caller, valid until submit returns. */
typedef struct bgrun_request {
    uint32_t struct_size;
    uint32_t reserved;             /* zero */
    const char *identifier;        /* must be permitted by the manifest */
    const char *parameters_json;   /* a JSON object laid over the manifest's; may be NULL */
    int64_t earliest_delay_ns;     /* from now; 0: no delay (Apple: nil) */
    uint32_t requires;             /* since ABI 1.2. BGRUN_REQUIRES_... besides the task's, or 0 */
    uint32_t reserved2;            /* zero */
    uint32_t kind;                 /* since ABI 1.4. BGRUN_KIND_... of the task, else
                                    * BGRUN_E_NOT_PERMITTED; 0: any */
    uint32_t strategy;             /* since ABI 1.4. BGRUN_STRATEGY_... */
    const char *tags;              /* since ABI 1.5. Names besides those of the task, separated by spaces,
                                    * each of 1 to 64 letters, digits, '.', '_', '-', ':' or '/'; at most
                                    * 8 with those of the task, else BGRUN_E_INVALID; may be NULL */
} bgrun_request;

/* since ABI 1.0. Owned by the host, valid until visit returns. */
typedef struct bgrun_pending {
    uint32_t struct_size;
    uint32_t kind;                 /* BGRUN_KIND_... */
    const char *identifier;
    int64_t earliest_unix_ns;      /* 0: none */
    uint32_t requires;             /* since ABI 1.4. As submitted */
    uint32_t strategy;             /* since ABI 1.4. BGRUN_STRATEGY_FAIL or BGRUN_STRATEGY_QUEUE,
                                    * of the request or of its task */
    const char *parameters_json;   /* since ABI 1.4. As submitted; NULL: none */
    const char *tags;              /* since ABI 1.5. Also those of the task, separated by spaces, in the
                                    * order of their bytes; NULL: none */
} bgrun_pending;

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
typedef struct bgrun_scheduler_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Submits a request; returns once it is stored or refused. Replaces a pending
     * request of the same identifier (Apple). Refusals: BGRUN_E_NOT_PERMITTED (also for
     * parameters from a confined handler to a task that is not confined alike),
     * BGRUN_E_TOO_MANY_PENDING, BGRUN_E_NOT_IMMEDIATELY (kind `continued`, strategy
     * `fail`), BGRUN_E_NOT_FOUND (no task handles it, or the process that registered
     * its handler has ended), BGRUN_E_INVALID. Blocks.
     * [any-thread, attempt active] */
    int32_t (*submit)(bgrun_task *task, const bgrun_request *request);

    /* Cancels the pending request of an identifier; a running attempt continues (Apple).
     * BGRUN_E_NOT_FOUND without one. Blocks. [any-thread, attempt active] */
    int32_t (*cancel)(bgrun_task *task, const char *identifier);

    /* Calls `visit`, which must not call bgrun, for a copy of every pending request, in
     * identifier order. A request that is pending during the whole call is visited once;
     * one that is submitted, launched or cancelled during the call may be missing.
     * BGRUN_E_UNAVAILABLE when 64 threads of the process wait for lists already. Blocks.
     * [any-thread, attempt active] */
    int32_t (*pending)(bgrun_task *task, void *context,
                       void (*visit)(void *context, const bgrun_pending *pending));
} bgrun_scheduler_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_SCHEDULER_H */
