/* SPDX-License-Identifier: Apache-2.0
 * prune.h - the handler sync-directory.prune: removes old files. */
#ifndef SYNC_DIRECTORY_PRUNE_H
#define SYNC_DIRECTORY_PRUNE_H

#include "bgrun_plugin.h"

/* Runs one attempt and completes it. */
void sync_prune(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch);

#endif
