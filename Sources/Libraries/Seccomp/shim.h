/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

/* SCMP_ACT_ERRNO() is a macro with an argument, which Swift does not import. */
static inline uint32_t bgrun_seccomp_errno(int code) { return SCMP_ACT_ERRNO(code); }

/* An empty file in memory, closed on exec; -1 with errno on failure. glibc declares memfd_create() only
 * for _GNU_SOURCE. */
static inline int bgrun_seccomp_file(void) {
    return (int)syscall(SYS_memfd_create, "bgrun-filter", 1U /* MFD_CLOEXEC */);
}
