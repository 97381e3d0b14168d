/* SPDX-License-Identifier: Apache-2.0
 * System calls that a handler does not need. Where one would change the machine its arguments are invalid: a kernel
 * that does not deny it answers EINVAL, EFAULT, EBADF, ENOENT or ENODEV. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/landlock.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIGH (1L << 32)

#define CALL(name, ...)                                                                   \
    static int call_##name(const struct target *target) {                                 \
        (void)target;                                                                     \
        return failure(syscall(SYS_##name, __VA_ARGS__));                                 \
    }
#define ENTRY(name) {#name, call_##name, IN_CHILD}

/* Mounts. */
CALL(mount, "none", "/", "no-such-type", 0, NULL)
CALL(pivot_root, "/no-such-directory", "/no-such-directory")
CALL(chroot, "/")
CALL(open_tree, AT_FDCWD, "/", OPEN_TREE_CLONE)
CALL(move_mount, -1, "", -1, "", 0)
CALL(fsopen, "tmpfs", 0)
CALL(fsmount, -1, 0, 0)
CALL(fspick, AT_FDCWD, "/", 0)
CALL(mount_setattr, -1, "", AT_EMPTY_PATH, NULL, 0)
CALL(setns, -1, 0)
CALL(unshare, CLONE_NEWUSER)
CALL(io_uring_setup, 1, NULL)
CALL(io_uring_enter, -1, 0, 0, 0, NULL, 0)
CALL(clone3, NULL, 0)
/* Other processes and the kernel. */
CALL(kcmp, getpid(), getpid(), 0, 0, 0)
CALL(bpf, 0, NULL, 0)
CALL(perf_event_open, NULL, 0, -1, -1, 0)
CALL(userfaultfd, -1)
CALL(keyctl, 0, -3, 0)
CALL(add_key, NULL, NULL, NULL, 0, 0)
CALL(request_key, NULL, NULL, NULL, 0)
CALL(init_module, NULL, 0, NULL)
CALL(finit_module, -1, NULL, 0)
CALL(delete_module, NULL, 0)
CALL(kexec_load, 0, 0, NULL, ~0UL)
CALL(reboot, 0, 0, 0, NULL)
CALL(swapon, NULL, 0)
CALL(swapoff, NULL)
CALL(quotactl, -1, NULL, 0, NULL)
CALL(settimeofday, NULL, (void *)1)
CALL(clock_settime, 9999, NULL)
CALL(open_by_handle_at, -1, NULL, 0)
CALL(fanotify_init, ~0U, 0)
CALL(move_pages, 0, 0UL, NULL, NULL, NULL, 0)
CALL(syslog, 10, NULL, 0)
CALL(acct, "")
CALL(sethostname, "", -1)
CALL(personality, 0x0040000)
#ifdef SYS_iopl
CALL(iopl, 4)
CALL(modify_ldt, 0, NULL, 0)
#endif

/* A mount of the confinement that keeps the manifest read-only. */
static int umount_guard(const struct target *target) {
    return failure(umount2(target->manifest, MNT_DETACH));
}

/* Without a terminal it affects nothing. */
static int call_vhangup(const struct target *target) {
    (void)target;
    setsid();
    return failure(vhangup());
}

/* A child in new namespaces. It ends at once. */
static int clone_with(unsigned long flags) {
    long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (child < 0) return errno;
    if (child == 0) _exit(0);
    waitpid((pid_t)child, NULL, 0);
    return 0;
}

static int clone_user(const struct target *target) {
    (void)target;
    return clone_with(CLONE_NEWUSER);
}

/* The first result that is not EPERM. */
static int clone_any(const struct target *target) {
    (void)target;
    static const unsigned long flags[] = {CLONE_NEWNS,  CLONE_NEWPID, CLONE_NEWNET,
                                          CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP};
    for (size_t index = 0; index < sizeof flags / sizeof *flags; index++) {
        int error = clone_with(flags[index]);
        if (error != EPERM) return error;
    }
    return EPERM;
}

static int clone_user_high(const struct target *target) {
    (void)target;
    return clone_with((unsigned long)(CLONE_NEWUSER | HIGH));
}

static void *return_argument(void *argument) { return argument; }

static int threads(const struct target *target) {
    (void)target;
    pthread_t all[16];
    for (int index = 0; index < 16; index++) {
        int error = pthread_create(&all[index], NULL, return_argument, NULL);
        if (error) return error;
    }
    for (int index = 0; index < 16; index++) pthread_join(all[index], NULL);
    return 0;
}

/* --- terminals --- */

static int push_byte(const struct target *target) {
    (void)target;
    return failure(ioctl(0, TIOCSTI, "x"));
}

static int push_byte_high(const struct target *target) {
    (void)target;
    return failure(syscall(SYS_ioctl, 0, TIOCSTI | HIGH, "x"));
}

static int console_call(const struct target *target) {
    (void)target;
    char byte = 0;
    return failure(ioctl(0, TIOCLINUX, &byte));
}

/* Into a terminal of its own. */
static int push_byte_own(const struct target *target) {
    (void)target;
    int leader = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (leader < 0 || grantpt(leader) < 0 || unlockpt(leader) < 0) return errno;
    char name[64];
    if (ptsname_r(leader, name, sizeof name) != 0) return errno;
    setsid();
    int terminal = open(name, O_RDWR | O_CLOEXEC);
    if (terminal < 0) return errno;
    ioctl(terminal, TIOCSCTTY, 0);
    return failure(ioctl(terminal, TIOCSTI, "x"));
}

/* --- other tables of calls --- */

#ifdef __x86_64__
/* getpid of x32. */
static int call_x32(const struct target *target) {
    (void)target;
    return failure(syscall(0x40000000L + SYS_getpid));
}

/* getpid of 32-bit programs, which has the number of writev. */
static int call_ia32(const struct target *target) {
    (void)target;
    long result = 20;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "cc");
    return (int)result < 0 ? -(int)result : 0;
}
#endif

/* A number that the kernel does not have yet. */
static int call_unknown(const struct target *target) {
    (void)target;
    return failure(syscall(4000));
}

/* --- what the machine has, for the tests --- */

static int landlock_version(const struct target *target) {
    (void)target;
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return answer("%ld", version < 0 ? 0 : version);
}

/* Those of the confinement: root needs none for its users. */
static int namespaces(const struct target *target) {
    (void)target;
    int flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID;
    return failure(unshare(geteuid() == 0 ? flags : flags | CLONE_NEWUSER));
}

const struct attack kernel_attacks[] = {
    ENTRY(mount), {"umount_guard", umount_guard, IN_CHILD}, ENTRY(pivot_root), ENTRY(chroot),
    ENTRY(open_tree), ENTRY(move_mount), ENTRY(fsopen), ENTRY(fsmount), ENTRY(fspick),
    ENTRY(mount_setattr), ENTRY(setns), ENTRY(unshare), ENTRY(io_uring_setup),
    ENTRY(io_uring_enter), ENTRY(clone3), ENTRY(kcmp), ENTRY(bpf), ENTRY(perf_event_open),
    ENTRY(userfaultfd), ENTRY(keyctl), ENTRY(add_key), ENTRY(request_key), ENTRY(init_module),
    ENTRY(finit_module), ENTRY(delete_module), ENTRY(kexec_load), ENTRY(reboot), ENTRY(swapon),
    ENTRY(swapoff), ENTRY(quotactl), ENTRY(settimeofday), ENTRY(clock_settime),
    ENTRY(open_by_handle_at), ENTRY(fanotify_init), ENTRY(move_pages), ENTRY(syslog), ENTRY(acct),
    ENTRY(sethostname), ENTRY(personality), ENTRY(vhangup),
#ifdef SYS_iopl
    ENTRY(iopl), ENTRY(modify_ldt),
#endif
    {"clone_user", clone_user, IN_CHILD},
    {"clone_any", clone_any, IN_CHILD},
    {"clone_user_high", clone_user_high, IN_CHILD},
    {"threads", threads, IN_CHILD},
    {"tiocsti", push_byte, IN_CHILD},
    {"tiocsti_high", push_byte_high, IN_CHILD},
    {"tiocsti_own", push_byte_own, IN_CHILD},
    {"tioclinux", console_call, IN_CHILD},
#ifdef __x86_64__
    ENTRY(x32), ENTRY(ia32),
#endif
    ENTRY(unknown),
    {"landlock_version", landlock_version, IN_CHILD},
    {"namespaces", namespaces, IN_CHILD},
    {NULL, NULL, 0},
};
