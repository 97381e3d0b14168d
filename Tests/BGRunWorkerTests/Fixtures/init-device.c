/* SPDX-License-Identifier: Apache-2.0
 * Reads the device without an attempt: in init, in a thread of init, and, too late, once a handler runs. */
#include "bgrun_plugin.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static const bgrun_host *host;
static const bgrun_device_ext *device;
static sem_t is_read, is_late;

static void say(const char *when) {
    char text[128];
    bgrun_device now = {.struct_size = sizeof now, .low_power_mode = 9, .background_refresh = 9};
    const int32_t status = device->read(NULL, &now);
    snprintf(text, sizeof text, "%s: %d, low power %d, refresh %d", when, status,
             now.low_power_mode, now.background_refresh);
    host->log(host, NULL, BGRUN_LOG_INFO, text);
}

static void *read_twice(void *unused) {
    say("in its thread");
    sem_post(&is_read);
    sem_wait(&is_late);
    say("in its thread later");
    sem_post(&is_read);
    return unused;
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused, (void)given;
    say("in an attempt");
    sem_post(&is_late);
    sem_wait(&is_read);
    host->complete(task, 1, NULL);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler run = {.struct_size = sizeof run, .name = "run", .launch = launch};
    pthread_t thread;
    host = given;
    device = host->get_extension(host, BGRUN_EXT_DEVICE);
    if (!device) return BGRUN_E_UNAVAILABLE;
    say("in init");
    sem_init(&is_read, 0, 0);
    sem_init(&is_late, 0, 0);
    if (pthread_create(&thread, NULL, read_twice, NULL) != 0) return BGRUN_E_UNAVAILABLE;
    pthread_detach(thread);
    sem_wait(&is_read);
    return host->register_handler(host, &run);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, BGRUN_PLUGIN_KEEPS_THREADS, 0, "init-device", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
