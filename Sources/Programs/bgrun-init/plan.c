/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

const struct bgrun_plan *plan;

const char *plan_text(uint32_t offset) {
    return (const char *)plan + plan->strings.offset + offset;
}

const void *plan_array(struct bgrun_plan_part part) { return (const char *)plan + part.offset; }

static int holds(struct bgrun_plan_part part, size_t element, uint32_t most) {
    return part.count <= most && part.offset % 8 == 0 && part.offset >= sizeof *plan
        && part.offset <= plan->size && part.count <= (plan->size - part.offset) / element;
}

static int is_path(uint32_t offset) {
    return offset < plan->strings.count && plan_text(offset)[0] == '/';
}

/* The plan comes from the host of the same installation; a wrong one must not become a weaker confinement. */
static int is_valid(size_t size) {
    if (size < sizeof *plan || plan->magic != BGRUN_PLAN_MAGIC || plan->size != size) return 0;
    if (plan->version != BGRUN_PLAN_VERSION) return 0;
    if (!holds(plan->mounts, sizeof(struct bgrun_plan_mount), BGRUN_PLAN_MOST_MOUNTS)
        || !holds(plan->paths, sizeof(struct bgrun_plan_path), BGRUN_PLAN_MOST_BYTES)
        || !holds(plan->ports, sizeof(struct bgrun_plan_port), BGRUN_PLAN_MOST_BYTES)
        || !holds(plan->limits, sizeof(struct bgrun_plan_limit), 32)
        || !holds(plan->filter, sizeof(struct sock_filter), BPF_MAXINSNS)
        || !holds(plan->strings, 1, BGRUN_PLAN_MOST_BYTES))
        return 0;
    if (plan->strings.count == 0 || plan_text(plan->strings.count - 1)[0] != 0) return 0;
    const struct bgrun_plan_mount *mounts = plan_array(plan->mounts);
    for (uint32_t i = 0; i < plan->mounts.count; i++)
        if (mounts[i].kind > BGRUN_MOUNT_LINK || !is_path(mounts[i].path)
            || mounts[i].target >= plan->strings.count)
            return 0;
    const struct bgrun_plan_path *paths = plan_array(plan->paths);
    for (uint32_t i = 0; i < plan->paths.count; i++)
        if (!is_path(paths[i].path)) return 0;
    return is_path(plan->executable);
}

void load_plan(void) {
    struct stat status;
    if (fstat(BGRUN_INIT_PLAN, &status) < 0) fail(BGRUN_STEP_PLAN, 0);
    errno = EINVAL;
    if (status.st_size <= 0 || status.st_size > (off_t)BGRUN_PLAN_MOST_BYTES)
        fail(BGRUN_STEP_PLAN, 0);
    /* A private copy: the host keeps the memfd for the next worker. */
    const void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, BGRUN_INIT_PLAN, 0);
    if (bytes == MAP_FAILED) fail(BGRUN_STEP_PLAN, 0);
    plan = bytes;
    errno = EINVAL;
    if (!is_valid((size_t)status.st_size)) fail(BGRUN_STEP_PLAN, 0);
    close(BGRUN_INIT_PLAN);
}

static void send_report(const struct bgrun_init_report *report, int descriptor) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } passage = {.space = {0}};
    struct iovec part = {.iov_base = (void *)report, .iov_len = sizeof *report};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &passage;
        message.msg_controllen = sizeof passage.space;
        passage.header.cmsg_level = SOL_SOCKET;
        passage.header.cmsg_type = SCM_RIGHTS;
        passage.header.cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(&passage.header), &descriptor, sizeof descriptor);
    }
    if (sendmsg(BGRUN_INIT_REPORT, &message, MSG_NOSIGNAL) >= 0) return;
    /* ETOOMANYREFS: the user has too many descriptors in sockets. Without a host there is nothing to run. */
    if (descriptor >= 0) fail(BGRUN_STEP_FORK, 5);
    _exit(1);
}

void report_with(enum bgrun_init_kind kind, int descriptor) {
    struct bgrun_init_report report = {.kind = kind};
    send_report(&report, descriptor);
}

void fail(enum bgrun_init_step step, uint32_t index) {
    struct bgrun_init_report report = {
        .kind = BGRUN_INIT_FAILED, .step = step, .index = index, .error = errno};
    send_report(&report, -1);
    _exit(1);
}
