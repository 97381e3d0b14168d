/* SPDX-License-Identifier: Apache-2.0
 * assertions.c - the extension bgrun.assertion/1. */
#include "harness.h"

/* The time that a host's policy grants after the report. */
static const int64_t limit_ns = 30000000000;

static int64_t begin(bgrun_task *task, const char *name) {
    static int64_t last;
    int64_t id = BGRUN_ASSERTION_INVALID;
    pthread_mutex_lock(&lock);
    if (task && !task->ended && !task->expired && task->assertion_count < BGRUN_ASSERTIONS_MAX)
        task->assertions[task->assertion_count++] = id = ++last;
    pthread_mutex_unlock(&lock);
    report("assertion %s %s", id == BGRUN_ASSERTION_INVALID ? "refused" : "begun",
           name ? name : "-");
    return id;
}

static void end(bgrun_task *task, int64_t id) {
    bool held = false;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; task && i < task->assertion_count && !held; i++) {
        if (task->assertions[i] != id) continue;
        task->assertions[i] = task->assertions[--task->assertion_count];
        held = true;
    }
    if (held && task->reported && task->assertion_count == 0) {
        task->ended = true;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    report(held ? "assertion ended" : "late assertion");
}

static int64_t time_remaining(bgrun_task *task) {
    pthread_mutex_lock(&lock);
    bool over = !task || task->ended, told = task && task->expired,
         reported = task && task->reported;
    pthread_mutex_unlock(&lock);
    return over ? 0 : told ? options.grace_ns : reported ? limit_ns : INT64_MAX;
}

const bgrun_assertion_ext assertion_extension = {.struct_size = sizeof assertion_extension,
                                                 .begin = begin,
                                                 .end = end,
                                                 .time_remaining = time_remaining};
