/* SPDX-License-Identifier: Apache-2.0
 * Handlers for the benchmarks: one does nothing, one waits for ever, and two do not stop
 * when told to: one of them has 100 processes. */
#include "bgrun_plugin.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const bgrun_host *host;
static FILE *witness;

static void nothing(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused, (void)launch;
    host->complete(task, 1, NULL);
}

static void waiting(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused, (void)task, (void)launch;
    for (;;) pause();
}

/* Writes its deadline to the pipe BENCHMARK_WITNESS, which every process that it starts holds open:
* the reader sees the end of the pipe when the last process has ended. */
static void resist(const bgrun_launch *launch, int children) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    /* Also on the worker's other threads. */
    signal(SIGTERM, SIG_IGN);
    witness = fopen(getenv("BENCHMARK_WITNESS"), "w");
    if (!witness) return;
    fprintf(witness, "deadline %lld\n", (long long)launch->deadline_boottime_ns);
    fflush(witness);
    for (int child = 0; child < children; child++) {
        if (fork() == 0) {
            if (child % 2) setsid();
            for (;;) pause();
        }
    }
    for (;;) pause();
}

static void stubborn(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused, (void)task;
    resist(launch, 4);
}

static void many(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused, (void)task;
    resist(launch, 99);
}

static void told(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    struct timespec now;
    (void)unused, (void)task;
    clock_gettime(CLOCK_BOOTTIME, &now);
    fprintf(witness, "told %lld\nterminate %lld\n",
            (long long)now.tv_sec * 1000000000 + now.tv_nsec,
            (long long)expiration->deadline_boottime_ns);
    fflush(witness);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler handlers[] = {
        {.struct_size = sizeof(bgrun_handler), .name = "nothing", .launch = nothing},
        {.struct_size = sizeof(bgrun_handler), .name = "waiting", .launch = waiting},
        {.struct_size = sizeof(bgrun_handler), .name = "stubborn", .launch = stubborn,
         .expire = told},
        {.struct_size = sizeof(bgrun_handler), .name = "many", .launch = many,
         .expire = told},
    };
    host = given;
    for (int i = 0; i < 4; i++) {
        int32_t result = host->register_handler(host, &handlers[i]);
        if (result != BGRUN_OK) return result;
    }
    return BGRUN_OK;
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "benchmark",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
