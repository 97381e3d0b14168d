/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_CHECKPOINT_H
#define BGRUN_EXT_CHECKPOINT_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.checkpoint/1 ---------------------------------------- */

#define BGRUN_EXT_CHECKPOINT "bgrun.checkpoint/1"
/* In bytes. */
#define BGRUN_CHECKPOINT_MAX 1048576u

/* since ABI 1.0. Owned by the host, constant, valid until the process ends.
 * One checkpoint per task identifier. It survives failure, expiration, crashes and
 * restarts; success removes it. */
typedef struct bgrun_checkpoint_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Replaces the checkpoint atomically and returns once it is on disk. Size 0 removes
     * it; `data` may then be NULL. BGRUN_E_TOO_LARGE over BGRUN_CHECKPOINT_MAX,
     * or BGRUN_E_IO. Blocks. [any-thread] */
    int32_t (*put)(bgrun_task *task, uint32_t version, const void *data, uint64_t size);

    /* Copies at most `capacity` bytes of the checkpoint to `buffer` and sets `*size` to
     * its whole size and `*version` to its version. `buffer` may be NULL when capacity is
     * 0; `version` may be NULL. BGRUN_E_NOT_FOUND without one. Does not block.
     * [any-thread] */
    int32_t (*get)(bgrun_task *task, void *buffer, uint64_t capacity, uint64_t *size,
                   uint32_t *version);
} bgrun_checkpoint_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_CHECKPOINT_H */
