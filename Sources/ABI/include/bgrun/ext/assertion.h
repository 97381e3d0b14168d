/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_ASSERTION_H
#define BGRUN_EXT_ASSERTION_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.assertion/1 ----------------------------------------- */

#define BGRUN_EXT_ASSERTION "bgrun.assertion/1"
/* What begin returns when there is no time to be had (Apple:
 * UIBackgroundTaskIdentifier.invalid). */
#define BGRUN_ASSERTION_INVALID 0
/* The most assertions an attempt may hold at once. */
#define BGRUN_ASSERTIONS_MAX 64u

/* since ABI 1.1. Owned by the host, constant, valid until the process ends.
 * Short work after the report, for example to save state. An attempt that holds
 * assertions when it calls complete() goes on until it has ended them all and launch has
 * returned, at most for the policy's `assertion_limit`. When that time is over, or is
 * revoked for another reason, expire is called with the reason and the grace, as ever.
 * The attempt's outcome is what it has reported all the same; assertions that are held
 * when the limit is reached hold back the next launch of the task. */
typedef struct bgrun_assertion_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Begins an assertion (Apple: beginBackgroundTask) and returns its id, greater than 0
     * and never used again in this process. `name` is for people, of at most 256 bytes;
     * may be NULL. BGRUN_ASSERTION_INVALID when time is revoked already, when the attempt
     * has ended, or when it holds BGRUN_ASSERTIONS_MAX. Adds no time to that of other
     * assertions. Does not block. [any-thread] */
    int64_t (*begin)(bgrun_task *task, const char *name);

    /* Ends an assertion (Apple: endBackgroundTask). An id that is not held, also
     * BGRUN_ASSERTION_INVALID, is ignored. With the last one, after complete(), the
     * attempt is over: the process may be suspended. Does not block. [any-thread] */
    void (*end)(bgrun_task *task, int64_t id);

    /* The time the attempt may count on, in nanoseconds (Apple: backgroundTimeRemaining):
     * until expire; once that has been called, until SIGTERM; 0 when the attempt has
     * ended. INT64_MAX: no limit. Cheap: the host is not asked. [any-thread] */
    int64_t (*time_remaining)(bgrun_task *task);
} bgrun_assertion_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_ASSERTION_H */
