/* SPDX-License-Identifier: Apache-2.0 OR 0BSD
 * The C declarations of plugin.zig: `zig translate-c` generates c.zig from them. */
#define _POSIX_C_SOURCE 200809L
#include <bgrun_plugin.h>
#include <stdio.h>
#include <time.h>
