/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_entry.h"

#include <stddef.h>

/* Hidden: found in the library this is linked into, or not at all. The worker that loads it, and
 * every other library there, may have a `main`, too. Weak definitions stand in for what the plugin
 * does not define: a weak hidden symbol that nobody defines has an address all the same, with gold. */
#define OWN __attribute__((weak, visibility("hidden")))

OWN int main(int count, char **arguments) {
    (void)count;
    (void)arguments;
    return -1;
}

OWN int bgrun_plugin_main(int count, char **arguments);
OWN int bgrun_plugin_main(int count, char **arguments) { return main(count, arguments); }

int bgrun_call_plugin_main(void) {
    static char name[] = "bgrun-plugin";
    char *arguments[] = {name, NULL};
    return bgrun_plugin_main(1, arguments);
}
