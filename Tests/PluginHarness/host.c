/* SPDX-License-Identifier: Apache-2.0
 * host.c - the host's table and its extensions, each call one line of the report. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bgrun_handler handlers[64];
static int handlers_used;
static bool registration_closed;

const bgrun_handler *handler_named(const char *name) {
    for (int i = 0; i < handlers_used; i++)
        if (strcmp(handlers[i].name, name) == 0) return &handlers[i];
    return NULL;
}

int handler_count(void) { return handlers_used; }
void registration_close(void) { registration_closed = true; }

static bool valid_name(const char *name) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    if (!name) return false;
    size_t length = strlen(name);
    return length > 0 && length <= 128 && strspn(name, allowed) == length;
}

static int32_t register_handler(const bgrun_host *host, const bgrun_handler *handler) {
    (void)host;
    if (registration_closed) return BGRUN_E_STATE;
    if (!handler || !valid_name(handler->name) || !handler->launch) return BGRUN_E_INVALID;
    if (handler_named(handler->name)) {
        report("register %s: exists", handler->name);
        return BGRUN_E_EXISTS;
    }
    if (handlers_used == 64) return BGRUN_E_TOO_LARGE;
    handlers[handlers_used] = *handler;
    handlers[handlers_used++].name = strdup(handler->name);
    report("register %s", handler->name);
    return BGRUN_OK;
}

static const void *get_extension(const bgrun_host *host, const char *id) {
    (void)host;
    if (strcmp(id, BGRUN_EXT_CHECKPOINT) == 0)
        return options.checkpoint ? &checkpoint_extension : NULL;
    if (strcmp(id, BGRUN_EXT_SCHEDULER) == 0) return &scheduler_extension;
    if (strcmp(id, BGRUN_EXT_DEVICE) == 0) return &device_extension;
    if (strcmp(id, BGRUN_EXT_ASSERTION) == 0) return &assertion_extension;
    if (strcmp(id, BGRUN_EXT_TRANSFER) == 0) return &transfer_extension;
    if (strcmp(id, BGRUN_EXT_PUSH) == 0) return &push_extension;
    if (strcmp(id, BGRUN_EXT_SHORTAGE) == 0) return &shortage_extension;
    return NULL;
}

/* True while the attempt continues; otherwise reports the late call. */
static bool active(bgrun_task *task, const char *call) {
    pthread_mutex_lock(&lock);
    bool yes = task && !task->ended;
    pthread_mutex_unlock(&lock);
    if (!yes) report("late %s", call);
    return yes;
}

static int32_t complete(bgrun_task *task, int32_t success, const char *message) {
    pthread_mutex_lock(&lock);
    bool first = task && !task->reported && !task->ended;
    if (first) {
        task->reported = true;
        task->ended = task->assertion_count == 0;
        task->success = success != 0;
        report("complete %s %s", success ? "success" : "failure", message ? message : "-");
        /* The ABI: a checkpoint is removed when an attempt completes with success. */
        if (success && !task->expired && options.checkpoint) unlink(options.checkpoint);
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    if (first) {
        happened("complete", message);
        return BGRUN_OK;
    }
    report("late complete");
    return BGRUN_E_STATE;
}

static int32_t is_expired(bgrun_task *task) {
    happened("poll", NULL);
    pthread_mutex_lock(&lock);
    int32_t yes = !task || task->expired || task->ended;
    pthread_mutex_unlock(&lock);
    return yes;
}

static int32_t should_defer(bgrun_task *task) {
    pthread_mutex_lock(&lock);
    int32_t yes = task && task->deferred;
    pthread_mutex_unlock(&lock);
    return yes;
}

static int32_t set_progress(bgrun_task *task, int64_t completed, int64_t total) {
    if (completed < 0) return BGRUN_E_INVALID;
    if (!active(task, "progress")) return BGRUN_E_STATE;
    report("progress %lld/%lld", (long long)completed, (long long)total);
    happened("progress", NULL);
    return BGRUN_OK;
}

static int32_t set_title(bgrun_task *task, const char *title, const char *subtitle) {
    if (!active(task, "title")) return BGRUN_E_STATE;
    report("title %.256s | %.256s", title ? title : "-", subtitle ? subtitle : "-");
    happened("title", title);
    return BGRUN_OK;
}

static int32_t write_log(const bgrun_host *host, bgrun_task *task, uint32_t level,
                         const char *message) {
    static const char *const names[] = {"debug", "info", "warning", "error"};
    (void)host;
    (void)task;
    if (!message) return BGRUN_E_INVALID;
    report("log %s %.4096s", names[level < 3 ? level : 3], message);
    happened("log", message);
    return BGRUN_OK;
}

const bgrun_host host_table = {
    .struct_size = sizeof host_table,
    .abi_version = BGRUN_ABI_VERSION,
    .name = "plugin-harness",
    .version = "1",
    .register_handler = register_handler,
    .get_extension = get_extension,
    .complete = complete,
    .is_expired = is_expired,
    .should_defer = should_defer,
    .set_progress = set_progress,
    .set_title = set_title,
    .log = write_log,
};

/* The checkpoint is a file: four bytes of version, then the data. */
static int32_t put(bgrun_task *task, uint32_t version, const void *data, uint64_t size) {
    if (!active(task, "checkpoint")) return BGRUN_E_STATE;
    if (!data && size > 0) return BGRUN_E_INVALID;
    if (size > BGRUN_CHECKPOINT_MAX) {
        report("checkpoint too large: %llu", (unsigned long long)size);
        return BGRUN_E_TOO_LARGE;
    }
    if (size == 0) {
        unlink(options.checkpoint);
        report("checkpoint removed");
        return BGRUN_OK;
    }
    char next[4096];
    snprintf(next, sizeof next, "%s.next", options.checkpoint);
    FILE *file = fopen(next, "we");
    if (!file) return BGRUN_E_IO;
    bool written = fwrite(&version, sizeof version, 1, file) == 1 &&
                   fwrite(data, 1, size, file) == size;
    if (fclose(file) != 0 || !written || rename(next, options.checkpoint) != 0) return BGRUN_E_IO;
    report("checkpoint %llu bytes", (unsigned long long)size);
    happened("checkpoint", NULL);
    return BGRUN_OK;
}

static int32_t get(bgrun_task *task, void *buffer, uint64_t capacity, uint64_t *size,
                   uint32_t *version) {
    if (!active(task, "checkpoint")) return BGRUN_E_STATE;
    if (!size || (!buffer && capacity > 0)) return BGRUN_E_INVALID;
    FILE *file = fopen(options.checkpoint, "re");
    if (!file) return BGRUN_E_NOT_FOUND;
    uint32_t stored = 0;
    static char data[BGRUN_CHECKPOINT_MAX];
    if (fread(&stored, sizeof stored, 1, file) != 1) stored = 0;
    *size = fread(data, 1, sizeof data, file);
    fclose(file);
    if (version) *version = stored;
    if (capacity > 0) memcpy(buffer, data, *size < capacity ? *size : capacity);
    return BGRUN_OK;
}

const bgrun_checkpoint_ext checkpoint_extension = {
    .struct_size = sizeof checkpoint_extension, .put = put, .get = get};

/* Permits the identifiers that start as the attempt's own does, as an app's manifest would; those that end
 * in .unhandled have no task. */
static int32_t submit(bgrun_task *task, const bgrun_request *request) {
    if (!active(task, "submit")) return BGRUN_E_STATE;
    if (!request || !request->identifier) return BGRUN_E_INVALID;
    bool permitted =
        strncmp(request->identifier, options.identifier, strlen(options.identifier)) == 0;
    report("submit %s%s", request->identifier, permitted ? "" : ": not permitted");
    const char *last = strrchr(request->identifier, '.');
    if (permitted && last && !strcmp(last, ".unhandled")) return BGRUN_E_NOT_FOUND;
    return permitted ? BGRUN_OK : BGRUN_E_NOT_PERMITTED;
}

static int32_t cancel(bgrun_task *task, const char *identifier) {
    if (!active(task, "cancel")) return BGRUN_E_STATE;
    report("cancel %s", identifier);
    return BGRUN_E_NOT_FOUND;
}

static int32_t pending(bgrun_task *task, void *context,
                       void (*visit)(void *context, const bgrun_pending *pending)) {
    if (!active(task, "pending")) return BGRUN_E_STATE;
    const bgrun_pending one = {
        .struct_size = sizeof one, .kind = BGRUN_KIND_PROCESSING, .identifier = options.identifier};
    visit(context, &one);
    return BGRUN_OK;
}

const bgrun_scheduler_ext scheduler_extension = {.struct_size = sizeof scheduler_extension,
                                                 .submit = submit,
                                                 .cancel = cancel,
                                                 .pending = pending};

static int32_t read_device(bgrun_task *task, bgrun_device *device) {
    if ((task || registration_closed) && !active(task, "device")) return BGRUN_E_STATE;
    const bgrun_device reading = {
        .external_power = BGRUN_YES,
        .battery_percent = 80,
        .low_power_mode = BGRUN_NO,
        .network = BGRUN_YES,
        .network_metered = BGRUN_UNKNOWN,
        .user_idle = BGRUN_UNKNOWN,
        .thermal_state = 0,
    };
    const size_t first = offsetof(bgrun_device, external_power);
    if (!device || device->struct_size <= first) return BGRUN_E_INVALID;
    size_t end = device->struct_size < sizeof reading ? device->struct_size : sizeof reading;
    memcpy((char *)device + first, (const char *)&reading + first, end - first);
    return BGRUN_OK;
}

const bgrun_device_ext device_extension = {.struct_size = sizeof device_extension,
                                           .read = read_device};

static int32_t report_shortage(bgrun_task *task, int32_t error) {
    if (!active(task, "shortage")) return BGRUN_E_STATE;
    report("shortage %s", strerrorname_np(error));
    return BGRUN_OK;
}

const bgrun_shortage_ext shortage_extension = {.struct_size = sizeof shortage_extension,
                                               .report = report_shortage};
