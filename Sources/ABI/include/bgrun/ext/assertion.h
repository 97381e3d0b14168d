/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_ASSERTION_H
#define BGRUN_EXT_ASSERTION_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.assertion/1 ----------------------------------------- */

#define BGRUN_EXT_ASSERTION "bgrun.assertion/1"
/* Apple: UIBackgroundTaskIdentifier.invalid. */
#define BGRUN_ASSERTION_INVALID 0
/* The maximum number that an attempt may hold at once. */
#define BGRUN_ASSERTIONS_MAX 64u

/* since ABI 1.1. Owned by the host, constant, valid until the process ends.
 * For short work after the report, such as saving state. An attempt that holds
 * assertions at complete() continues until they have ended and launch has returned, at
 * most for the policy's `assertion_limit`. Then, or when time is revoked for another
 * reason, expire is called as usual. The outcome is still the reported one; an assertion
 * held until the limit delays the task's next launch. */
typedef struct bgrun_assertion_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Begins an assertion (Apple: beginBackgroundTask) and returns its id, greater than 0
     * and never reused in this process. `name`: for people, at most 256 bytes, may be
     * NULL. BGRUN_ASSERTION_INVALID when time is revoked, the attempt has ended, or it
     * holds BGRUN_ASSERTIONS_MAX. Another assertion adds no time. Does not block.
     * [any-thread] */
    int64_t (*begin)(bgrun_task *task, const char *name);

    /* Ends an assertion (Apple: endBackgroundTask); ignores an id that is not held. The
     * last one, after complete(), ends the attempt: the process may be suspended. Does
     * not block. [any-thread] */
    void (*end)(bgrun_task *task, int64_t id);

    /* Nanoseconds until expire, or, once that has been called, until SIGTERM (Apple:
     * backgroundTimeRemaining); 0 when the attempt has ended; INT64_MAX: no limit. Cheap.
     * [any-thread] */
    int64_t (*time_remaining)(bgrun_task *task);
} bgrun_assertion_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_ASSERTION_H */
