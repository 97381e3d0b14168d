/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_DRAFT_SHORTAGE_H
#define BGRUN_EXT_DRAFT_SHORTAGE_H

#include "../../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.shortage.draft/1 ------------------------------------ */

#define BGRUN_EXT_SHORTAGE "bgrun.shortage.draft/1"

/* Owned by the host, constant, valid until the process ends. For handlers that need a resource of
 * the machine to begin, such as a new process. */
typedef struct bgrun_shortage_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Reports that the attempt waits for a resource; `error` is the errno: EAGAIN (processes),
     * EMFILE, ENFILE, ENOMEM or ENOBUFS. If the attempt's time ends later, that is not a failure: the
     * request is pending again, unchanged. BGRUN_E_INVALID for another errno, BGRUN_E_STATE after
     * the report of the result. May block while the host is behind. [any-thread] */
    int32_t (*report)(bgrun_task *task, int32_t error);
} bgrun_shortage_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_DRAFT_SHORTAGE_H */
