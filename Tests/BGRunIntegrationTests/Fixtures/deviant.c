/* SPDX-License-Identifier: Apache-2.0
 * A plugin that follows every rule of `bgrun plugin check` and `bgrun exercise` except the one that
 * DEVIATION names. */
#include "bgrun_plugin.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const bgrun_host *host;

static int deviates(const char *id) {
    const char *deviation = getenv("DEVIATION");
    return deviation && strcmp(deviation, id) == 0;
}

static void demand(int holds) {
    if (!holds) abort();
}

static void *stay(void *unused) {
    for (;;) pause();
    return unused;
}

static void leave_something(void) {
    pthread_t thread;
    if (deviates("leaves.children") && fork() == 0) stay(NULL);
    if (deviates("leaves.threads")) pthread_create(&thread, NULL, stay, NULL);
    if (deviates("leaves.descriptors") || deviates("leaves.hundred"))
        demand(open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0);
    if (deviates("leaves.signals")) signal(SIGUSR1, SIG_IGN);
    if (deviates("leaves.process")) setenv("LEFT", "behind", 1);
    if (deviates("leaves.place")) demand(chdir("/") == 0);
}

/* APP is the identifier of the manifest's app; without a manifest every identifier is permitted. */
static void look_at_app(void) {
    const char *expected = getenv("APP");
    const bgrun_app_ext *app = host->get_extension(host, BGRUN_EXT_APP);
    if (!expected) return;
    demand(app && strcmp(app->app, expected) == 0 && access(app->manifest_directory, R_OK) == 0);
    int32_t kind = app->task_kind(host, "com.elsewhere.task");
    demand(kind == (strcmp(expected, "plugin.check") ? BGRUN_E_NOT_PERMITTED : BGRUN_E_NOT_FOUND));
}

static void look_at(const bgrun_launch *launch) {
    const char *parameters = launch->parameters_json;
    if (deviates("launch.no-parameters")) demand(strstr(parameters, "work") != NULL);
    if (deviates("launch.unknown-parameter")) demand(strstr(parameters, "no-such-key") == NULL);
    if (deviates("launch.large-parameters")) demand(strlen(parameters) < 65536);
    if (deviates("launch.newer-host")) demand(launch->struct_size == sizeof *launch);
    if (deviates("launch.later-attempt")) demand(launch->attempt < 100);
}

static void make_bad_calls(bgrun_task *task) {
    const bgrun_handler late = {sizeof late, 0, "late", NULL, NULL, NULL};
    if (deviates("run.registers")) host->register_handler(host, &late);
    if (deviates("run.arguments")) host->set_progress(task, -1, 10);
    if (deviates("run.text")) host->log(host, task, BGRUN_LOG_INFO, "\xff\xfe");
    if (deviates("run.progress")) host->set_progress(task, 11, 10);
    if (deviates("run.channel"))
        for (int fd = 3; fd < 16; fd++) close(fd);
    if (deviates("run.assertions")) {
        const bgrun_assertion_ext *assertion = host->get_extension(host, BGRUN_EXT_ASSERTION);
        if (assertion) assertion->begin(task, "held");
    }
}

static void use_device(bgrun_task *task) {
    const bgrun_device_ext *extension = host->get_extension(host, BGRUN_EXT_DEVICE);
    bgrun_device device = {.struct_size = sizeof device};
    if (!extension || extension->read(task, &device) != BGRUN_OK) return;
    if (deviates("launch.unknown-device")) demand(device.external_power >= 0);
}

static void use_scheduler(bgrun_task *task, const bgrun_launch *launch) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    const char *identifier = deviates("run.submits") ? "com.elsewhere.task" : launch->identifier;
    const bgrun_request request = {.struct_size = sizeof request, .identifier = identifier};
    if (!scheduler) return;
    int32_t status = scheduler->submit(task, &request);
    if (deviates("submit.refused")) demand(status == BGRUN_OK);
}

static int32_t take(void *context, const bgrun_transfer *transfer) {
    (void)context;
    if (deviates("transfer.failed")) demand(transfer->error == 0);
    if (deviates("transfer.again")) demand(!transfer->file || access(transfer->file, R_OK) == 0);
    return deviates("transfer.ended") ? 1 : BGRUN_OK;
}

static void use_transfers(bgrun_task *task, const bgrun_launch *launch) {
    const bgrun_transfer_ext *transfers = host->get_extension(host, BGRUN_EXT_TRANSFER);
    const bgrun_transfer_request request = {
        .struct_size = sizeof request,
        .session = launch->identifier,
        .url = "https://example.com/file",
    };
    int64_t id = 0;
    if (!transfers) return;
    int32_t status = transfers->create(task, &request, &id);
    if (deviates("transfer.refused")) demand(status == BGRUN_OK);
    transfers->events(task, NULL, NULL, take);
}

/* Enough to be expired in the middle on a busy machine, but few enough for a hundred attempts. */
static int steps(void) {
    const char *deviation = getenv("DEVIATION");
    if (deviation && strncmp(deviation, "leaves.", 7) == 0) return 2;
    return deviation && strncmp(deviation, "expire.", 7) == 0 ? 120 : 30;
}

/* The first step: 0, or the step in the checkpoint. */
static uint8_t first_step(bgrun_task *task, const bgrun_checkpoint_ext *checkpoint) {
    uint8_t step = 0;
    uint32_t version = 0;
    uint64_t size = 0;
    if (!checkpoint || checkpoint->get(task, &step, 1, &size, &version) != BGRUN_OK) return 0;
    int is_ours = version == 1 && size == 1 && step <= steps();
    if (deviates("checkpoint.foreign")) demand(is_ours);
    if (deviates("checkpoint.resumes")) is_ours = -1;
    if (deviates("audit.loses")) step = 0;
    return is_ours < 0 ? 255 : is_ours ? step : 0;
}

static void store(bgrun_task *task, const bgrun_checkpoint_ext *checkpoint, uint8_t step) {
    static char large[BGRUN_CHECKPOINT_MAX + 1];
    if (!checkpoint) return;
    int32_t status = checkpoint->put(task, 1, &step, 1);
    if (deviates("checkpoint.refused")) demand(status == BGRUN_OK);
    if (deviates("checkpoint.size")) checkpoint->put(task, 1, large, sizeof large);
}

static void wait_a_moment(void) {
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
}

/* Without `expire`, the worker ends an expired attempt and then itself: until then, this reports. */
static void report_after_the_end(bgrun_task *task) {
    const clock_t end = clock() + CLOCKS_PER_SEC / 30;
    host->set_progress(task, 1, 3);
    while (!host->is_expired(task))
        if (clock() > end) return;
    while (host->set_progress(task, 2, 3) != BGRUN_E_STATE) continue;
    for (;;) host->complete(task, 1, "late");
}

static volatile int told;

static void end(bgrun_task *task, int success, const char *message) {
    if (deviates("leaves.place")) leave_something();
    if (deviates("run.completes")) return;
    host->complete(task, success, message);
    if (deviates("run.once")) host->complete(task, success, message);
    if (deviates("run.late")) host->set_progress(task, 1, 1);
    if (deviates("run.returns")) stay(NULL);
    if (deviates("expire.returns") && told) stay(NULL);
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused;
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    if (deviates("launch.no-extensions")) demand(checkpoint != NULL);
    told = 0;
    look_at_app();
    look_at(launch);
    make_bad_calls(task);
    use_device(task);
    use_scheduler(task, launch);
    use_transfers(task, launch);
    if (!deviates("leaves.place")) leave_something();
    if (deviates("run.succeeds") || (deviates("launch.no-deadline") && !launch->deadline_boottime_ns))
        return end(task, 0, "could not");
    if (deviates("audit.late")) {
        report_after_the_end(task);
        return end(task, 1, "done");
    }
    uint8_t step = first_step(task, checkpoint);
    if (step == 255) return end(task, 0, "the checkpoint cannot be read");
    for (; step < steps(); step++) {
        if (deviates("expire.early") && step < 100 && host->is_expired(task)) stay(NULL);
        int continues = deviates("expire.stops") || deviates("audit.grace") ||
                        (deviates("expire.unknown-reason") && !told);
        if (!continues && host->is_expired(task)) return end(task, 0, "stopped");
        if (deviates("expire.stops") && host->is_expired(task)) stay(NULL);
        if (deviates("audit.grace") && step > 4 && host->is_expired(task)) stay(NULL);
        if (deviates("expire.unknown-reason") && host->is_expired(task)) stay(NULL);
        host->set_progress(task, step + 1, steps());
        wait_a_moment();
        store(task, checkpoint, (uint8_t)(step + 1));
    }
    end(task, 1, "done");
}

static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    if (deviates("audit.crashes")) abort();
    if (deviates("audit.twice")) {
        host->complete(task, 0, "told");
        host->complete(task, 0, "told again");
    }
    told = !deviates("expire.unknown-reason") || expiration->reason <= BGRUN_REASON_MANIFEST_CHANGED;
}

/* Binds a name that only one process can hold at a time. Returns whether it succeeded. */
static int take_a_name(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, "\0bgrun-deviant", 14);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    return bind(descriptor, (const struct sockaddr *)&address, sizeof(sa_family_t) + 14) == 0;
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler handler = {
        .struct_size = sizeof handler,
        .name = "run",
        .launch = launch,
        .expire = deviates("expire.has") || deviates("audit.late") ? NULL : expire,
    };
    host = given;
    if (deviates("load.loads")) return BGRUN_E_UNAVAILABLE;
    if (deviates("load.twice") && !take_a_name()) return BGRUN_E_UNAVAILABLE;
    if (deviates("abi.newer-minor") && host->struct_size != sizeof *host) return BGRUN_E_INVALID;
    if (deviates("abi.first")) demand(host->abi_version >= BGRUN_ABI_VERSION);
    if (deviates("extension.none"))
        demand(host->get_extension(host, BGRUN_EXT_CHECKPOINT) != NULL);
    int32_t status = host->register_handler(host, &handler);
    if (deviates("load.registers")) host->register_handler(host, &handler);
    return status;
}

static const void *get_extension(const char *id) {
    return deviates("extension.unknown") ? id : NULL;
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "deviant",
        .init = init,
        .get_extension = get_extension,
    };
    if (deviates("leaves.hundred")) plugin.flags = BGRUN_PLUGIN_KEEPS_DESCRIPTORS;
    if (host_abi_version >> 16 == BGRUN_ABI_MAJOR) return &plugin;
    if (!deviates("abi.other-major")) return NULL;
    plugin.abi_version = host_abi_version;
    return &plugin;
}
