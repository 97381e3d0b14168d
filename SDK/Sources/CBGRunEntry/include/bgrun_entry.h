/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_ENTRY_H
#define BGRUN_ENTRY_H

/* Calls the plugin's own `main`, which `@main` makes, and returns what that returns; -1 when it
 * has none. A plugin whose package has tests may name it `bgrun_plugin_main` instead
 * (-entry-point-function-name): the test runner has a `main` too. */
int bgrun_call_plugin_main(void);

/* Has Foundation's main bundle say that this is its identifier, for it knows only of the worker's
 * executable, which has none. Call it once, before the bundle is asked. */
void bgrun_set_bundle_identifier(const char *identifier);

/* What people call this plugin: the name of its file without `lib` and `.so`, else "plugin". Valid
 * until the process ends. Call it once. */
const char *bgrun_plugin_name(void);

#endif
