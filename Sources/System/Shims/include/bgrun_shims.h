/*
 * bgrun_shims.h - the system calls that Swift cannot make or cannot make safely.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every function returns a nonnegative value, or -errno. Callers must not read errno. No
 * function keeps a pointer after it has returned.
 */
#ifndef BGRUN_SHIMS_H
#define BGRUN_SHIMS_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/types.h>

/* Makes the calling process the parent of its orphaned descendants
 * (PR_SET_CHILD_SUBREAPER). Process-wide; not inherited. */
int bgrun_become_subreaper(void);

/* Makes the kernel send `signal` to the calling process when the thread that started
 * it ends (PR_SET_PDEATHSIG). */
int bgrun_signal_on_parent_death(int signal);

/* Names the calling thread, for ps and debuggers (PR_SET_NAME); 15 bytes are kept. */
int bgrun_name_thread(const char *name);

/* Makes stdio write standard output line by line. `stdout` is a global variable, which
 * Swift's concurrency checking does not permit. */
int bgrun_line_buffer_output(void);

/* Gives the calling thread, and the threads and processes it starts from then on, a private mount
 * namespace (unshare(2) with CLONE_NEWNS), whose mounts other processes do not see.
 * Requires CAP_SYS_ADMIN. */
int bgrun_unshare_mounts(void);

/* 1 if the calendar clock is synchronized, 0 if it is not, a negative errno if that is
 * unknown. Changes nothing. */
int bgrun_clock_is_synchronized(void);

/* 1 if the processor reports a hypervisor, 0 if it reports none, -ENOTSUP if it does not
 * report that. */
int bgrun_has_hypervisor(void);

/* 1 if the symbol that starts at `address` is a variable of a loaded library, 0 if it is
 * a function or unknown. */
int bgrun_symbol_is_data(const void *address);

/* CLOCK_BOOTTIME in nanoseconds: it continues while the machine is suspended. */
int64_t bgrun_boottime_ns(void);

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t bgrun_monotonic_ns(void);

/* Writes what standard output has buffered. Returns 1 if everything since the start could be written, else 0.
 * In C because Swift 6 does not admit the global variable `stdout`. */
int bgrun_flush_stdout(void);

/* Starts `path` in a new process group with default signal dispositions and an empty
 * signal mask. descriptors[i] becomes descriptor i of the new process; all others are
 * closed. argv and envp end in NULL. Returns the pid.
 * By posix_spawn: a fork of a Swift process with threads is not safe. */
int bgrun_spawn(const char *path, char *const argv[], char *const envp[],
                const int *descriptors, int count);

/* bgrun_spawn in a new session instead of a group: it outlives the terminal of the caller. */
int bgrun_spawn_session(const char *path, char *const argv[], char *const envp[],
                        const int *descriptors, int count);

/* The user and groups of a process. */
struct bgrun_account {
    uid_t user;
    gid_t group;
    const gid_t *groups; /* the supplementary ones */
    int group_count;
};

/* bgrun_spawn as another user, in /; the caller is root. No posix_spawn changes a user, so this
 * forks, and between fork and exec the child makes only async-signal-safe calls and does not
 * use the Swift runtime. After a failure there, exec included, this returns its -errno, and
 * no child is left. A child that has not executed `path` after 2 s,
 * for example because its user has stopped it, is killed: -ETIMEDOUT. */
int bgrun_spawn_as(const struct bgrun_account *account, const char *path, char *const argv[],
                   char *const envp[], const int *descriptors, int count);

/* A pidfd of the process `pid`, closed on exec; it never refers to a later process with that ID. */
int bgrun_pidfd_open(pid_t pid);

/* Sends a signal to the process of `pidfd`; -ESRCH if it has been reaped. */
int bgrun_pidfd_signal(int pidfd, int signal);

/* Sets the soft limit of open descriptors of a process, at most its hard limit; 0: only reads it. Returns
 * the soft limit it had. */
int64_t bgrun_limit_descriptors(pid_t pid, uint64_t soft);

/* The hard limit of open descriptors of this process. */
int64_t bgrun_most_descriptors(void);

/* Limits the writable memory of a process to this many bytes, and disables its core dumps. */
void bgrun_limit_memory(pid_t pid, uint64_t bytes);

/* Opens a nonblocking netlink socket of `protocol` (NETLINK_...) that receives the
 * multicast `groups`, a bit mask. Returns the descriptor; the caller closes it. */
int bgrun_netlink_open(int protocol, uint32_t groups);

/* Requests all entries of one type from a NETLINK_ROUTE socket: RTM_GETLINK or RTM_GETROUTE. */
int bgrun_netlink_dump(int descriptor, uint16_t type);

/* Reads one datagram of the kernel into `buffer`; drops datagrams of other processes
 * unread. Returns its length, -EAGAIN if none is available, -ENOBUFS if some were lost,
 * -EMSGSIZE if it did not fit. */
int bgrun_netlink_receive(int descriptor, void *buffer, size_t size);

/* The most descriptors that go with one message: 16 secrets and a socket. */
#define BGRUN_MOST_PASSED 17

/* Sends bytes over a UNIX socket without blocking, and with the first of them copies of the descriptors
 * `passed` (SCM_RIGHTS), at most BGRUN_MOST_PASSED. Returns the number of sent bytes. */
int bgrun_send_passing(int socket, const void *bytes, size_t count, const int *passed,
                       size_t passed_count);

/* Reads bytes of a UNIX socket, blocking; 0 at its end. Stores a descriptor received with them in
 * `passed`, closed on exec and owned by the caller; otherwise -1. */
int bgrun_receive_passing(int socket, void *bytes, size_t count, int *passed);

/* The same for several descriptors: `passed` has space for BGRUN_MOST_PASSED, `passed_count` receives their
 * number. The last ones are missing if this process may not have more. */
int bgrun_receive_launch(int socket, void *bytes, size_t count, int *passed, size_t *passed_count);

/* The number of message queues, semaphore sets and shared memory segments (System V) in this IPC namespace. */
int bgrun_ipc_objects(void);

/* The version of Landlock's ABI; -ENOSYS or -EOPNOTSUPP without Landlock. */
int bgrun_landlock_version(void);

/* 0 if the kernel takes filters of system calls. */
int bgrun_has_seccomp(void);

/* A file in memory with these bytes, at its start and closed on exec, which can never change
 * (memfd_create(2) with all seals). The caller closes it. `name` is for /proc. */
int bgrun_sealed_file(const char *name, const void *bytes, size_t count);

/* The same with the rest of the file `source`, and readable by its owner only; no copy of the bytes remains
 * in this process. -EFBIG if they are more than `most`. */
int bgrun_sealed_copy(const char *name, int source, size_t most);

#endif
