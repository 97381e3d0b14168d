/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "bgrun_shims.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int result(long value) { return value < 0 ? -errno : (int)value; }

int bgrun_become_subreaper(void) { return result(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)); }

int bgrun_pidfd_open(pid_t pid) { return result(syscall(SYS_pidfd_open, pid, 0)); }

int bgrun_pidfd_send_signal(int pidfd, int signal) {
    return result(syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0));
}

int bgrun_symbol_is_data(const void *address) {
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1(address, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return 0;
    /* The type is the low half of st_info in ELF32 and ELF64 alike. */
    return info.dli_saddr == address && ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

int64_t bgrun_boottime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
