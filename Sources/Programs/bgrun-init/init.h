/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_INIT_H
#define BGRUN_INIT_H

#include <stdint.h>

#include "bgrun_plan.h"

/* The plan, checked by load_plan(): every offset and every string below is inside of it. */
extern const struct bgrun_plan *plan;

/* Reads the plan from its descriptor; ends the process if it is invalid. */
void load_plan(void);

const char *plan_text(uint32_t offset);
const void *plan_array(struct bgrun_plan_part part);

/* Reports the step that failed, with errno, and ends the process. */
_Noreturn void fail(enum bgrun_init_step step, uint32_t index);

/* Sends a report with a descriptor. */
void report_with(enum bgrun_init_kind kind, int descriptor);

/* Opens an absolute path of the plan with O_PATH; ELOOP for a link: the host has resolved all, so one met here was put
 * there since. Returns -1 with errno on failure. */
int open_unlinked(const char *path);

/* Builds the file system that the worker sees; the caller is PID 1 of the new namespaces. */
void mount_view(void);

/* The steps of the worker's own process, in this order. None can be undone. */
void set_limits(void);
void drop_capabilities(void);
void enforce_landlock(void);
void enforce_filter(void);

#endif
