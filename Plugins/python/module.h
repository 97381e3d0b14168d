/* SPDX-License-Identifier: Apache-2.0
 * module.h - the module _bgrun: what runner.py asks of the host. */
#ifndef MODULE_H
#define MODULE_H

#include "bgrun_plugin.h"

#define TASK_CAPSULE "bgrun_task"

extern const bgrun_host *host;

/* Makes what is needed before the interpreter starts; 0 when it cannot. */
int module_prepare(void);
/* Forgets the expiration of the attempt before, if this one has none yet. */
void begin_attempt(bgrun_task *task);
/* Wakes whoever waits for the expiration. Any thread; does not block. */
void note_expiration(const char *reason);

#endif
