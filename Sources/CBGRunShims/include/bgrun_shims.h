/*
 * bgrun_shims.h - the system calls that Swift cannot make or cannot make safely.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every function returns a non-negative value, or -errno. None sets errno for the
 * caller to read, none allocates, none keeps a pointer after it has returned.
 */
#ifndef BGRUN_SHIMS_H
#define BGRUN_SHIMS_H

#include <stdint.h>
#include <sys/types.h>

/* Makes the calling process the parent of its orphaned descendants
 * (PR_SET_CHILD_SUBREAPER). Process-wide; not inherited. */
int bgrun_become_subreaper(void);

/* Opens a pidfd for `pid` (close-on-exec). The caller owns the descriptor. */
int bgrun_pidfd_open(pid_t pid);

/* Sends `signal` to the process behind `pidfd`; safe against pid reuse. */
int bgrun_pidfd_send_signal(int pidfd, int signal);

/* 1 when the symbol that starts at `address` is a variable of a loaded library, 0 when
 * it is a function or nothing is known about it. */
int bgrun_symbol_is_data(const void *address);

/* CLOCK_BOOTTIME in nanoseconds: it goes on while the machine is suspended. */
int64_t bgrun_boottime_ns(void);

#endif
