/* SPDX-License-Identifier: Apache-2.0
 * maintain.h - one attempt of sqlite-maintenance.maintain. */
#ifndef SQLITE_MAINTENANCE_MAINTAIN_H
#define SQLITE_MAINTENANCE_MAINTAIN_H

#include "bgrun_plugin.h"

/* Runs the attempt and completes it. */
void maintain(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch);
/* Interrupts it, from another thread. */
void maintain_interrupt(void);

#endif
