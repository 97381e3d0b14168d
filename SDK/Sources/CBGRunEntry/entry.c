/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bgrun_entry.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* Defaults that the plugin's functions of these names replace when it is linked. Hidden: the worker,
 * and every other library in it, may have a `main`, too. */
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

const char *bgrun_plugin_name(void) {
    static const char prefix[] = "lib", suffix[] = ".so";
    static char name[128];
    Dl_info own;
    /* A pinned plugin is loaded through /proc, without its name. */
    if (!dladdr((void *)bgrun_plugin_name, &own) || !own.dli_fname) return "plugin";
    const char *file = strrchr(own.dli_fname, '/');
    file = file ? file + 1 : own.dli_fname;
    size_t length = strlen(file);
    if (strncmp(file, prefix, strlen(prefix)) != 0 || length <= strlen(prefix) + strlen(suffix) ||
        strcmp(file + length - strlen(suffix), suffix) != 0)
        return "plugin";
    length -= strlen(prefix) + strlen(suffix);
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, file + strlen(prefix), length);
    return name;
}
