/* SPDX-License-Identifier: Apache-2.0
 * probe.c - one handler for each feature of a host. The handlers log their observations for the tests. */
#include "bgrun_plugin.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const bgrun_host *host;
static int attempts_here;

#define SAY(...)                                            \
    do {                                                    \
        char said[2048];                                    \
        snprintf(said, sizeof said, __VA_ARGS__);           \
        host->log(host, task, BGRUN_LOG_INFO, said);        \
    } while (0)

/* Waits at the FIFO `gate` in the manifest's directory. */
static void pass(const bgrun_launch *given, const char *gate) {
    char path[1024], byte = 0;
    snprintf(path, sizeof path, "%s/%s", given->manifest_directory, gate);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (read(fd, &byte, 1) == 1 && byte != '\n') continue;
    close(fd);
}

static void say_who(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const char *variable = getenv("PROBE");
    (void)unused;
    SAY("pid %d, attempt %u here %d, parameters %s, PROBE=%s", (int)getpid(), given->attempt,
        ++attempts_here, given->parameters_json, variable ? variable : "unset");
    host->complete(task, 1, given->parameters_json);
}

/* Writes a line, and completes when the gate opens. */
static void pass_gate(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    SAY("at the gate in %d", (int)getpid());
    pass(given, "gate");
    host->complete(task, 1, "passed");
}

/* Waits for its expiration, and reports it. */
static void wait_for_expiration(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    SAY("waiting in %d until %lld", (int)getpid(), (long long)given->deadline_boottime_ns);
}
static void tell_expiration(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    SAY("told %u (%s), grace %lld ms", given->reason, given->reason_text,
        (long long)given->grace_ns / 1000000);
    host->complete(task, 0, given->reason_text);
}

/* Stores a checkpoint when its first attempt expires; the second attempt continues from it. */
static void resume_checkpoint(void *unused, bgrun_task *task, const bgrun_launch *given) {
    char data[16] = "";
    uint64_t size = 0;
    uint32_t version = 0;
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    (void)unused;
    (void)given;
    if (checkpoint->get(task, data, sizeof data, &size, &version) == BGRUN_E_NOT_FOUND) {
        SAY("no checkpoint");
        return;
    }
    SAY("checkpoint %u: %.*s", version, (int)size, data);
    host->complete(task, 1, "resumed");
}
static void store_checkpoint(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    (void)unused;
    (void)given;
    int32_t result = checkpoint->put(task, 7, "half", 4);
    host->complete(task, 0, result == BGRUN_OK ? "stored" : "not stored");
}

/* Fails until its third attempt. */
static void fail_twice(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    host->complete(task, given->attempt >= 3, given->attempt >= 3 ? "at last" : "not yet");
}

static void visit(void *task, const bgrun_pending *pending) {
    SAY("pending %s kind %u %s", pending->identifier, pending->kind,
        pending->earliest_unix_ns ? "later" : "now");
}

static void visit_tags(void *task, const bgrun_pending *pending) {
    SAY("%s has %s", pending->identifier, pending->tags ? pending->tags : "no tags");
}

/* Submits requests with valid and invalid tags, and lists the pending requests. */
static void tag(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    bgrun_request request = {
        .struct_size = sizeof request, .identifier = "org.test.late",
        .earliest_delay_ns = 3600000000000, .tags = "sync nightly"};
    (void)unused;
    (void)given;
    SAY("submit %d", scheduler->submit(task, &request));
    request.tags = "a,b";
    SAY("submit bad %d", scheduler->submit(task, &request));
    request.tags = "a b c d e f g";
    SAY("submit many %d", scheduler->submit(task, &request));
    /* A plugin of ABI 1.4 does not have the field. */
    request.struct_size = offsetof(bgrun_request, tags);
    request.identifier = "org.test.plain";
    SAY("submit old %d", scheduler->submit(task, &request));
    scheduler->pending(task, task, visit_tags);
    host->complete(task, 1, NULL);
}

/* Submits one request for now and one for later, and cancels the later one. */
static void schedule(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    const bgrun_request now = {
        .struct_size = sizeof now, .identifier = "org.test.child",
        .parameters_json = "{\"from\":\"parent\"}"};
    const bgrun_request later = {
        .struct_size = sizeof later, .identifier = "org.test.late",
        .earliest_delay_ns = 3600000000000};
    const bgrun_request broken = {
        .struct_size = sizeof broken, .identifier = "org.test.child", .parameters_json = "[1]"};
    (void)unused;
    (void)given;
    int32_t submitted = scheduler->submit(task, &now);
    SAY("submit %d %d", submitted, scheduler->submit(task, &later));
    SAY("submit no object %d", scheduler->submit(task, &broken));
    /* The host does not read beyond the struct of a plugin of ABI 1.0. */
    const bgrun_request old = {
        .struct_size = offsetof(bgrun_request, requires), .identifier = "org.test.late",
        .earliest_delay_ns = 3600000000000, .requires = 1u << 31};
    const bgrun_request unknown = {
        .struct_size = sizeof unknown, .identifier = "org.test.child", .requires = 1u << 7};
    int32_t ignored = scheduler->submit(task, &old);
    SAY("submit old %d, unknown requirement %d", ignored, scheduler->submit(task, &unknown));
    scheduler->pending(task, task, visit);
    int32_t first = scheduler->cancel(task, "org.test.late");
    SAY("cancel %d %d", first, scheduler->cancel(task, "org.test.late"));
    host->complete(task, 1, NULL);
}

static void report_progress(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    const char *wait = getenv("PROBE");
    host->set_title(task, "Counting", "starting");
    for (int64_t i = 0; i <= 1000; i++) {
        char subtitle[32];
        snprintf(subtitle, sizeof subtitle, "%lld of 1000", (long long)i);
        host->set_progress(task, i, 1000);
        if (i % 250 == 0) host->set_title(task, NULL, subtitle);
        if (i == 500 && wait && strcmp(wait, "half") == 0) pass(given, "gate");
    }
    if (wait) pass(given, "gate");
    host->complete(task, 1, NULL);
}

static void nothing(void *context, const bgrun_pending *pending) {
    (void)context;
    (void)pending;
}

/* Is always in a call when its time is revoked. */
static void keep_calling(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    (void)unused;
    (void)given;
    SAY("calling");
    while (scheduler->pending(task, NULL, nothing) == BGRUN_OK) continue;
}

static const bgrun_assertion_ext *assertions(void) {
    return host->get_extension(host, BGRUN_EXT_ASSERTION);
}

/* Reports, and continues with two assertions until the gate opens. */
static void continue_after_report(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_assertion_ext *assertion = assertions();
    (void)unused;
    int64_t first = assertion->begin(task, "first"), second = assertion->begin(task, NULL);
    int64_t granted = assertion->time_remaining(task);
    host->complete(task, 1, "reported");
    int64_t held = assertion->time_remaining(task);
    SAY("in %d ids %d, expired %d, half the time %d", (int)getpid(), first > 0 && second > first,
        host->is_expired(task), held > granted / 4 && held < granted / 4 * 3);
    pass(given, "gate");
    assertion->end(task, first);
    assertion->end(task, first);
    assertion->end(task, 1000);
    SAY("one left: expired %d, reported again %d", host->is_expired(task),
        host->complete(task, 0, "again"));
    assertion->end(task, second);
    SAY("none left: expired %d, time %lld, begin %lld", host->is_expired(task),
        (long long)assertion->time_remaining(task), (long long)assertion->begin(task, "late"));
}

/* Reports while it holds an assertion, which is then revoked. */
static int64_t kept;
static void keep(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    (void)given;
    kept = assertions()->begin(task, "save");
    host->complete(task, 1, "reported");
    SAY("keeping on");
}
static void let_go(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    SAY("told %s, expired %d, begin %lld, within grace %d", given->reason_text,
        host->is_expired(task), (long long)assertions()->begin(task, "more"),
        assertions()->time_remaining(task) <= given->grace_ns);
    assertions()->end(task, kept);
}

/* Requests an assertion when its time is already over. */
static void begin_late(void *unused, bgrun_task *task, const bgrun_expiration *given) {
    (void)unused;
    int64_t late = assertions()->begin(task, given->reason_text);
    SAY("told first, begin %lld", (long long)late);
    host->complete(task, 1, "too late");
}

/* Begins as many assertions as possible, and ends none. */
static void hoard(void *unused, bgrun_task *task, const bgrun_launch *given) {
    unsigned held = 0;
    (void)unused;
    (void)given;
    while (assertions()->begin(task, "one more") != BGRUN_ASSERTION_INVALID) held++;
    SAY("held %u", held);
    host->complete(task, 1, NULL);
}

static const bgrun_transfer_ext *transfers(void) {
    return host->get_extension(host, BGRUN_EXT_TRANSFER);
}

static void say_transfer(void *context, const bgrun_transfer *transfer) {
    bgrun_task *task = context;
    SAY("transfer %lld of %s: state %u, error %d, %lld of %lld, %s", (long long)transfer->id,
        transfer->session, transfer->state, transfer->error, (long long)transfer->received,
        (long long)transfer->expected_receive,
        transfer->description ? transfer->description : "undescribed");
}

/* Creates a download of the address in PROBE in the session org.test.session, and others that it
 * cancels or suspends. */
static void fetch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    bgrun_transfer_request request = {
        .struct_size = sizeof request, .session = "org.test.session", .url = getenv("PROBE")};
    int64_t id = 0, cancelled = 0;
    (void)unused;
    (void)given;
    request.description = "first";
    SAY("create %d", transfers()->create(task, &request, &id));
    request.flags = BGRUN_TRANSFER_SUSPENDED;
    request.description = "second";
    SAY("create %d", transfers()->create(task, &request, &cancelled));
    SAY("cancel %d", transfers()->cancel(task, cancelled));
    SAY("cancel again %d", transfers()->cancel(task, cancelled));
    request.description = "third";
    SAY("create %d", transfers()->create(task, &request, &id));
    SAY("resume %d", transfers()->resume(task, id));
    SAY("suspend %d", transfers()->suspend(task, 1000));
    request.url = "ftp://example.com/";
    SAY("create %d", transfers()->create(task, &request, &id));
    transfers()->visit(task, "org.test.session", task, say_transfer);
    host->complete(task, 1, NULL);
}

/* Creates a download of the address in PROBE that accepts any status, and one whose end launches
 * nothing. */
static void fetch_page(void *unused, bgrun_task *task, const bgrun_launch *given) {
    bgrun_transfer_request request = {
        .struct_size = sizeof request, .session = "org.test.session", .url = getenv("PROBE")};
    int64_t id = 0;
    (void)unused;
    (void)given;
    request.flags = BGRUN_TRANSFER_ANY_STATUS | BGRUN_TRANSFER_KEEP;
    SAY("create %d", transfers()->create(task, &request, &id));
    request.flags |= BGRUN_TRANSFER_NO_LAUNCH_EVENTS;
    request.session = "org.test.quiet";
    SAY("create %d", transfers()->create(task, &request, &id));
    host->complete(task, 1, NULL);
}

/* Takes a finished transfer; with PROBE=leave it refuses each one. */
static int32_t take_end(void *context, const bgrun_transfer *transfer) {
    bgrun_task *task = context;
    long size = -1;
    const char *probe = getenv("PROBE");
    FILE *file = transfer->file ? fopen(transfer->file, "r") : NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (file) fclose(file);
    say_transfer(context, transfer);
    SAY("status %d, file of %ld", transfer->status, size);
    return probe && strcmp(probe, "leave") == 0 ? BGRUN_E_IO : BGRUN_OK;
}
static void take_ends(void *unused, bgrun_task *task, const bgrun_launch *given) {
    (void)unused;
    (void)given;
    SAY("events %d", transfers()->events(task, NULL, task, take_end));
    host->complete(task, 1, NULL);
}

/* Logs its messages, waits at the gate if its parameters request it, and reports the result in them. */
static void say_message(void *context, const bgrun_push_message *message) {
    bgrun_task *task = context;
    SAY("message %s of %s, priority %u", message->payload_json,
        message->collapse_id ? message->collapse_id : "none", message->priority);
}
static void take_push(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_push_ext *pushes = host->get_extension(host, BGRUN_EXT_PUSH);
    const char *result = strstr(given->parameters_json, "\"result\":");
    (void)unused;
    int32_t code = pushes->messages(task, task, say_message);
    SAY("attempt with %s: %d", given->parameters_json, (int)code);
    if (strstr(given->parameters_json, "\"gate\":true")) pass(given, "gate");
    pushes->complete(task, result ? (uint32_t)atoi(result + 9) : BGRUN_FETCH_NEW_DATA);
}

static int32_t init(const bgrun_host *given) {
    static const bgrun_handler handlers[] = {
        {sizeof(bgrun_handler), 0, "who", NULL, say_who, NULL},
        {sizeof(bgrun_handler), 0, "gate", NULL, pass_gate, NULL},
        {sizeof(bgrun_handler), 0, "wait", NULL, wait_for_expiration, tell_expiration},
        {sizeof(bgrun_handler), 0, "checkpoint", NULL, resume_checkpoint, store_checkpoint},
        {sizeof(bgrun_handler), 0, "fail-twice", NULL, fail_twice, NULL},
        {sizeof(bgrun_handler), 0, "schedule", NULL, schedule, NULL},
        {sizeof(bgrun_handler), 0, "tag", NULL, tag, NULL},
        {sizeof(bgrun_handler), 0, "calls", NULL, keep_calling, tell_expiration},
        {sizeof(bgrun_handler), 0, "progress", NULL, report_progress, NULL},
        {sizeof(bgrun_handler), 0, "continues", NULL, continue_after_report, NULL},
        {sizeof(bgrun_handler), 0, "keeps-on", NULL, keep, let_go},
        {sizeof(bgrun_handler), 0, "begins-late", NULL, wait_for_expiration, begin_late},
        {sizeof(bgrun_handler), 0, "hoards", NULL, hoard, NULL},
        {sizeof(bgrun_handler), 0, "fetch", NULL, fetch, NULL},
        {sizeof(bgrun_handler), 0, "fetch-page", NULL, fetch_page, NULL},
        {sizeof(bgrun_handler), 0, "take-ends", NULL, take_ends, NULL},
        {sizeof(bgrun_handler), 0, "push", NULL, take_push, NULL},
    };
    host = given;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        int32_t result = host->register_handler(host, &handlers[i]);
        if (result != BGRUN_OK) return result;
    }
    return BGRUN_OK;
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "probe", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
