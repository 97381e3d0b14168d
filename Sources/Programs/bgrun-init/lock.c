/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/securebits.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "init.h"

/* As in linux/landlock.h of a newer kernel: the header of Debian 12 knows the first version only. */
struct ruleset {
    uint64_t files;
    uint64_t ports;
    uint64_t scoped;
};

struct __attribute__((packed)) path_rule {
    uint64_t access;
    int32_t parent;
};

enum { RULE_PATH = 1, RULE_PORT = 2 };

/* The seconds from SIGXCPU, which tells the host what the worker died of, to SIGKILL. The kernel sends only SIGKILL if
 * the soft limit is the hard one. */
enum { PROCESSOR_GRACE = 5 };

void set_limits(void) {
    const struct bgrun_plan_limit *limits = plan_array(plan->limits);
    for (uint32_t i = 0; i < plan->limits.count; i++) {
        struct rlimit wanted, old;
        if (getrlimit((int)limits[i].resource, &old) < 0) fail(BGRUN_STEP_LIMIT, i);
        /* A limit of the user's own that is lower stays. */
        rlim_t hard = limits[i].value + (limits[i].resource == RLIMIT_CPU ? PROCESSOR_GRACE : 0);
        wanted.rlim_max = hard < old.rlim_max ? hard : old.rlim_max;
        wanted.rlim_cur = limits[i].value < wanted.rlim_max ? limits[i].value : wanted.rlim_max;
        if (setrlimit((int)limits[i].resource, &wanted) < 0) fail(BGRUN_STEP_LIMIT, i);
    }
    errno = 0;
    if (plan->nice > 0 && nice(plan->nice) == -1 && errno != 0) fail(BGRUN_STEP_LIMIT, plan->limits.count);
}

void drop_capabilities(void) {
    for (unsigned number = 0; number < 64; number++) {
        if (plan->capabilities >> number & 1) continue;
        /* EINVAL: the kernel has fewer capabilities. */
        if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) < 0 && errno != EINVAL && errno != EPERM)
            fail(BGRUN_STEP_CAPABILITIES, number);
        if (prctl(PR_CAPBSET_READ, number, 0, 0, 0) == 1 && geteuid() == 0)
            fail(BGRUN_STEP_CAPABILITIES, number);
    }
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
        fail(BGRUN_STEP_CAPABILITIES, 64);
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) < 0) fail(BGRUN_STEP_CAPABILITIES, 67);
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(plan->capabilities >> (32 * i));
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    if (syscall(SYS_capset, &header, data) < 0) fail(BGRUN_STEP_CAPABILITIES, 65);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail(BGRUN_STEP_CAPABILITIES, 66);
}

static void add_path(int rules, const struct bgrun_plan_path *path, uint32_t index) {
    int place = open_unlinked(plan_text(path->path));
    if (place < 0) {
        if (errno == ENOENT && (path->flags & BGRUN_MOUNT_OPTIONAL)) return;
        fail(BGRUN_STEP_PATH, index);
    }
    struct path_rule rule = {.access = path->access, .parent = place};
    if (syscall(SYS_landlock_add_rule, rules, RULE_PATH, &rule, 0) < 0) fail(BGRUN_STEP_PATH, index);
    close(place);
}

void enforce_landlock(void) {
    if (plan->handled_files == 0) return;
    struct ruleset handled = {plan->handled_files, plan->handled_ports, plan->scoped};
    /* An older kernel takes the first fields only, if the others are 0. */
    int rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0);
    if (rules < 0) fail(BGRUN_STEP_LANDLOCK, 0);
    const struct bgrun_plan_path *paths = plan_array(plan->paths);
    for (uint32_t i = 0; i < plan->paths.count; i++) add_path(rules, &paths[i], i);
    const struct bgrun_plan_port *ports = plan_array(plan->ports);
    for (uint32_t i = 0; i < plan->ports.count; i++)
        if (syscall(SYS_landlock_add_rule, rules, RULE_PORT, &ports[i], 0) < 0)
            fail(BGRUN_STEP_PORT, i);
    if (syscall(SYS_landlock_restrict_self, rules, 0) < 0) fail(BGRUN_STEP_LANDLOCK, 1);
    close(rules);
}

void enforce_filter(void) {
    if (plan->filter.count == 0) return;
    struct sock_fprog program = {
        .len = (unsigned short)plan->filter.count,
        .filter = (struct sock_filter *)(uintptr_t)plan_array(plan->filter)};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) fail(BGRUN_STEP_SECCOMP, 0);
}
