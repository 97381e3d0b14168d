/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_ENTRY_H
#define BGRUN_ENTRY_H

/* Calls the plugin's `main`, which `@main` generates, and returns its result; -1 if it is missing.
 * A plugin whose package has tests may name it `bgrun_plugin_main` instead
 * (-entry-point-function-name): the test runner has a `main` too. */
int bgrun_call_plugin_main(void);

/* Sets the identifier of Foundation's main bundle, which is derived from the worker's executable and
 * therefore has none. Call it once, before the first access to the bundle. */
void bgrun_set_bundle_identifier(const char *identifier);

/* Writes the changes of all UserDefaults, which Foundation on Linux keeps in memory, and rereads values
 * that another process has changed. Thread-safe; without Foundation it does nothing. */
void bgrun_synchronize_defaults(void);

/* The name of this plugin for people: that of its file without `lib` and `.so`, else "plugin". Valid
 * until the process ends. Call it once. */
const char *bgrun_plugin_name(void);

#endif
