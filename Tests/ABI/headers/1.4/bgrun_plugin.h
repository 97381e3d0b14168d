/*
 * bgrun_plugin.h - the bgrun plugin ABI with all its extensions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * bgrun/core.h has the rules, the threads, and the life of a plugin and of an
 * attempt. A plugin may include it with the extensions that it uses instead.
 */
#ifndef BGRUN_PLUGIN_H
#define BGRUN_PLUGIN_H

#include "bgrun/core.h"

#include "bgrun/ext/checkpoint.h"
#include "bgrun/ext/scheduler.h"
#include "bgrun/ext/device.h"
#include "bgrun/ext/assertion.h"
#include "bgrun/ext/app.h"
#include "bgrun/ext/process.h"
#include "bgrun/ext/registration.h"
#include "bgrun/ext/transfer.h"
#include "bgrun/ext/push.h"

#endif /* BGRUN_PLUGIN_H */
