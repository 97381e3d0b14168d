/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_entry.h"

#include <stddef.h>

/* Hidden: found in the library this is linked into, or not at all. The worker that loads it, and
 * every other library there, may have a `main`, too. */
#define OWN __attribute__((weak, visibility("hidden")))
extern int plugin_main(int count, char **arguments) __asm__("main") OWN;
extern int named_plugin_main(int count, char **arguments) __asm__("bgrun_plugin_main") OWN;

int bgrun_call_plugin_main(void) {
    static char name[] = "bgrun-plugin";
    char *arguments[] = {name, NULL};
    if (named_plugin_main) return named_plugin_main(1, arguments);
    if (plugin_main) return plugin_main(1, arguments);
    return -1;
}
