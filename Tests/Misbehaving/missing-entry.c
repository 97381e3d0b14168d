/* SPDX-License-Identifier: Apache-2.0
 * The host must refuse it before it is loaded: the entry symbol is missing. */
#include "fixture.h"

BGRUN_EXPORT int bgrun_plugin_entri(void);
int bgrun_plugin_entri(void) { return host != NULL; }
