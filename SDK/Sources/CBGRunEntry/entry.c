/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_entry.h"

#include <stddef.h>

/* Stand-ins that the plugin's own functions of these names replace when it is linked. Hidden: the
 * worker, and every other library in it, may have a `main`, too. */
#define STAND_IN __attribute__((weak, visibility("hidden"), noinline))

int stand_in_main(int count, char **arguments) __asm__("main") STAND_IN;
int stand_in_plugin_main(int count, char **arguments) __asm__("bgrun_plugin_main") STAND_IN;

int stand_in_main(int count, char **arguments) {
    (void)count;
    (void)arguments;
    return -1;
}

int stand_in_plugin_main(int count, char **arguments) {
    return stand_in_main(count, arguments);
}

int bgrun_call_plugin_main(void) {
    static char name[] = "bgrun-plugin";
    char *arguments[] = {name, NULL};
    return stand_in_plugin_main(1, arguments);
}
