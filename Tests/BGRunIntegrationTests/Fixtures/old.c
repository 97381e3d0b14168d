/* SPDX-License-Identifier: Apache-2.0
 * old.c - a plugin of an earlier version of the ABI: compiled with the headers of each version in Tests/ABI/headers,
 * it uses the features of that version. */
#include "bgrun_plugin.h"

#include <stdio.h>
#include <string.h>

static const bgrun_host *host;
static int failures;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            failures++;                                                                   \
            host->log(host, task, BGRUN_LOG_ERROR, "does not hold: " #condition);         \
        }                                                                                 \
    } while (0)

static void count(void *context, const bgrun_pending *pending) {
    if (strcmp(pending->identifier, "org.test.next") == 0) ++*(int *)context;
}

static void run(void *user_data, bgrun_task *task, const bgrun_launch *launch) {
    (void)user_data;
    CHECK(strcmp(launch->identifier, "org.test.run") == 0);
    CHECK(strcmp(launch->parameters_json, "{\"a\":1}") == 0);
    CHECK(host->is_expired(task) == 0);
    CHECK(host->set_progress(task, 1, 2) == BGRUN_OK);
    CHECK(host->set_title(task, "title", NULL) == BGRUN_OK);

    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    char data[8] = "";
    uint64_t size = 0;
    uint32_t version = 0;
    CHECK(checkpoint->put(task, 7, "kept", 4) == BGRUN_OK);
    CHECK(checkpoint->get(task, data, sizeof data, &size, &version) == BGRUN_OK);
    CHECK(size == 4 && version == 7 && memcmp(data, "kept", 4) == 0);

    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    bgrun_request request;
    memset(&request, 0, sizeof request);
    request.struct_size = sizeof request;
    request.identifier = "org.test.next";
    request.earliest_delay_ns = 3600000000000;
    int seen = 0;
    CHECK(scheduler->submit(task, &request) == BGRUN_OK);
    CHECK(scheduler->pending(task, &seen, count) == BGRUN_OK && seen == 1);
    CHECK(scheduler->cancel(task, "org.test.next") == BGRUN_OK);

    const bgrun_device_ext *device_ext = host->get_extension(host, BGRUN_EXT_DEVICE);
    bgrun_device device;
    memset(&device, 0, sizeof device);
    device.struct_size = sizeof device;
    CHECK(device_ext->read(task, &device) == BGRUN_OK);
    CHECK(device.external_power == BGRUN_NO && device.struct_size == sizeof device);

#if BGRUN_ABI_MINOR >= 1
    const bgrun_assertion_ext *assertion = host->get_extension(host, BGRUN_EXT_ASSERTION);
    int64_t held = assertion->begin(task, "old");
    CHECK(held != BGRUN_ASSERTION_INVALID && assertion->time_remaining(task) > 0);
    assertion->end(task, held);
#endif
#if BGRUN_ABI_MINOR >= 2
    const bgrun_app_ext *app = host->get_extension(host, BGRUN_EXT_APP);
    CHECK(strcmp(app->app, "org.test.app") == 0);
    CHECK(app->task_kind(host, "org.test.run") == (int32_t)BGRUN_KIND_PROCESSING);
#endif
#if BGRUN_ABI_MINOR >= 3
    CHECK(host->get_extension(host, BGRUN_EXT_TRANSFER) != NULL);
    const bgrun_push_ext *push = host->get_extension(host, BGRUN_EXT_PUSH);
    CHECK(push->messages(task, NULL, NULL) == BGRUN_E_INVALID);
#endif
#if BGRUN_ABI_MINOR >= 4
    const bgrun_process_ext *process = host->get_extension(host, BGRUN_EXT_PROCESS);
    CHECK(process->submit(host, &request) == BGRUN_OK);
    CHECK(process->cancel(host, "org.test.next") == BGRUN_OK);
#endif
    char said[64];
    snprintf(said, sizeof said, "ABI %u.%u: %d failures", BGRUN_ABI_MAJOR, BGRUN_ABI_MINOR, failures);
    host->log(host, task, BGRUN_LOG_INFO, said);
    CHECK(host->complete(task, failures == 0, NULL) == BGRUN_OK);
}

static int32_t init(const bgrun_host *table) {
    const bgrun_handler handler = {sizeof handler, 0, "run", NULL, run, NULL};
    host = table;
    return host->register_handler(host, &handler);
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "old", "1.0", init, NULL};
    (void)version;
    return &plugin;
}
