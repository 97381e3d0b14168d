/* SPDX-License-Identifier: Apache-2.0
 * app.c - an app as an SDK makes one: one handler, named by the identifier. It logs its observations. */
#include "bgrun_plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const bgrun_host *host;
static const bgrun_process_ext *process;
static const bgrun_device_ext *device;
/* The continued work whose handler this process has registered. */
static int is_registered;
static bgrun_task *watching;
/* Whether the attempt completes when the user disables background refresh. */
static int completes_when_denied;
/* Whether the attempt leaves its expiration unanswered. */
static int is_mute;

#define SAY(...)                                            \
    do {                                                    \
        char said[2048];                                    \
        snprintf(said, sizeof said, __VA_ARGS__);           \
        host->log(host, NULL, BGRUN_LOG_INFO, said);        \
    } while (0)

/* Waits at the FIFO `gate` in the manifest's directory. */
static void pass(const bgrun_launch *given, const char *gate) {
    char path[1024], byte = 0;
    snprintf(path, sizeof path, "%s/%s", given->manifest_directory, gate);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (read(fd, &byte, 1) == 1 && byte != '\n') continue;
    close(fd);
}

static int32_t submit(const char *identifier, uint32_t kind, uint32_t strategy) {
    const bgrun_request request = {
        .struct_size = sizeof request, .identifier = identifier, .kind = kind,
        .strategy = strategy, .requires = BGRUN_REQUIRES_NETWORK,
        .parameters_json = "{\"title\":\"Export\"}", .earliest_delay_ns = 3600000000000};
    return process->submit(host, &request);
}

static void say_pending(void *context, const bgrun_pending *pending) {
    const char *when = "at once";
    (void)context;
    if (pending->earliest_unix_ns != 0) {
        /* Half of the delay: on a slow machine time passes between the request and this line. */
        const int64_t seconds = pending->earliest_unix_ns / 1000000000 - (int64_t)time(NULL);
        when = seconds > 1800 ? "in over 30 min" : "in 30 min or less";
    }
    SAY("pending %s kind %u requires %u strategy %u %s %s", pending->identifier, pending->kind,
        pending->requires, pending->strategy, when,
        pending->parameters_json ? pending->parameters_json : "none");
}

static void say_device(const char *when) {
    bgrun_device now = {.struct_size = sizeof now};
    device->read(watching, &now);
    SAY("%s: refresh %d, low power %d, thermal %d", when, now.background_refresh,
        now.low_power_mode, now.thermal_state);
    if (completes_when_denied && now.background_refresh == 1) host->complete(watching, 1, "saw it");
}

static void changed(void *context) { say_device(context); }

static void *submit_late(void *unused) {
    (void)unused;
    SAY("after the end %d", submit("org.test.later", BGRUN_KIND_PROCESSING, 0));
    return NULL;
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const char *name = strrchr(given->identifier, '.') + 1;
    (void)unused;
    if (given->kind == BGRUN_KIND_APP) {
        SAY("visit of %s", given->identifier);
        host->complete(task, 1, NULL);
    } else if (strcmp(name, "tap") == 0) {
        is_registered = 1;
        const bgrun_registration handler = {
            sizeof handler, BGRUN_KIND_CONTINUED, "org.test.export.*", -1, 0, 0};
        const bgrun_registration_ext *registration =
            host->get_extension(host, BGRUN_EXT_REGISTRATION);
        registration->registered(host, &handler);
        SAY("tapped in %d: %d", (int)getpid(),
            submit("org.test.export.photos", BGRUN_KIND_CONTINUED, 0));
        pass(given, "gate");
        host->complete(task, 1, NULL);
    } else if (strcmp(name, "photos") == 0) {
        SAY("exporting in %d, registered %d", (int)getpid(), is_registered);
        if (strstr(given->parameters_json, "hold")) return;
        host->complete(task, is_registered, NULL);
    } else if (strcmp(name, "kinds") == 0) {
        SAY("wrong kind %d", submit("org.test.later", BGRUN_KIND_APP_REFRESH, 0));
        SAY("right kind %d", submit("org.test.later", BGRUN_KIND_PROCESSING, 0));
        SAY("fail %d", submit("org.test.held", BGRUN_KIND_CONTINUED, BGRUN_STRATEGY_FAIL));
        SAY("queue %d", submit("org.test.held", BGRUN_KIND_CONTINUED, BGRUN_STRATEGY_QUEUE));
        process->pending(host, NULL, say_pending);
        SAY("cancel %d", process->cancel(host, "org.test.held"));
        host->complete(task, 1, NULL);
    } else if (strcmp(name, "watch") == 0 || strcmp(name, "conditions") == 0) {
        watching = task;
        completes_when_denied = strcmp(name, "watch") == 0;
        say_device("at launch");
    } else if (strcmp(name, "after") == 0) {
        pthread_t thread;
        host->complete(task, 1, NULL);
        pthread_create(&thread, NULL, submit_late, NULL);
        pthread_join(thread, NULL);
    } else {
        is_mute = strcmp(name, "mute") == 0;
        SAY("launched %s", name);
    }
}

static void expire(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    SAY("expired (%s)", given->reason_text);
    if (is_mute) return;
    process->abandon(task, "it has nothing to be told with");
}

static int32_t init(const bgrun_host *given) {
    static const bgrun_handler handler = {
        sizeof(bgrun_handler), 0, BGRUN_DEFAULT_HANDLER, NULL, launch, expire};
    host = given;
    process = host->get_extension(host, BGRUN_EXT_PROCESS);
    device = host->get_extension(host, BGRUN_EXT_DEVICE);
    if (device) say_device("in init");
    process->observe_device(host, "while it runs", changed);
    SAY("at launch of the app %d", submit("org.test.undeclared", 0, 0));
    return host->register_handler(host, &handler);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, BGRUN_PLUGIN_FOLLOWS_APP, 0, "app", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
