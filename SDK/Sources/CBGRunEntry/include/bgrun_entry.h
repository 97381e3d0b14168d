/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_ENTRY_H
#define BGRUN_ENTRY_H

/* Calls the plugin's own `main`, which `@main` makes, and returns what that returns; -1 when it
 * has none. A plugin whose package has tests may name it `bgrun_plugin_main` instead
 * (-entry-point-function-name): the test runner has a `main` too. */
int bgrun_call_plugin_main(void);

#endif
