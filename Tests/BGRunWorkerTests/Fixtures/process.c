/* SPDX-License-Identifier: Apache-2.0
 * process.c - handlers that call bgrun.process/1 on threads of their own, and that change their
 * process. */
#include "bgrun_plugin.h"

#include <pthread.h>
#include <unistd.h>

static const bgrun_host *host;
static const bgrun_process_ext *process;

static void overlook(void *context, const bgrun_pending *item) { (void)context, (void)item; }

static void *call_last(void *unused) {
    process->cancel(host, "last");
    return unused;
}

static void *call_often(void *unused) {
    for (int i = 0; i < 200; i++) process->pending(host, NULL, overlook);
    return unused;
}

/* Completes while one of its threads waits for an answer, and another thread continues to call. */
static void hold(void *unused, bgrun_task *task, const bgrun_launch *given) {
    pthread_t thread;
    (void)unused, (void)given;
    pthread_create(&thread, NULL, call_last, NULL);
    /* Waits until the host has received that call. */
    while (process->cancel(host, "heard") != BGRUN_OK) {
    }
    pthread_create(&thread, NULL, call_often, NULL);
    host->complete(task, 1, NULL);
}

static void lower(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused, (void)given;
    host->complete(task, nice(1) != -1, NULL);
}

/* Does nothing: the expiration completes the attempt. */
static void leave(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused, (void)task, (void)given;
}

static void obey(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused, (void)given;
    host->complete(task, 1, NULL);
}

static int32_t init(const bgrun_host *given) {
    static const bgrun_handler handlers[] = {
        {sizeof(bgrun_handler), 0, "hold", NULL, hold, NULL},
        {sizeof(bgrun_handler), 0, "lower", NULL, lower, NULL},
        {sizeof(bgrun_handler), 0, "obey", NULL, leave, obey},
    };
    host = given;
    process = host->get_extension(host, BGRUN_EXT_PROCESS);
    for (size_t i = 0; process && i < sizeof handlers / sizeof *handlers; i++) {
        int32_t result = host->register_handler(host, &handlers[i]);
        if (result != BGRUN_OK) return result;
    }
    return process ? BGRUN_OK : BGRUN_E_UNAVAILABLE;
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "process", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
