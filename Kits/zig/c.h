/* SPDX-License-Identifier: Apache-2.0 OR 0BSD
 * What plugin.zig sees of C: `zig translate-c` makes c.zig of it. */
#define _POSIX_C_SOURCE 200809L
#include <bgrun_plugin.h>
#include <stdio.h>
#include <time.h>
