/* SPDX-License-Identifier: Apache-2.0
 * transfers.c - a handler for each thing bgrun.transfer/1 and bgrun.push/1 offer, and one that lists
 * the pending requests. What they find, they log; the tests read it. */
#include "bgrun_plugin.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const bgrun_host *host;
static const bgrun_transfer_ext *transfers;
static const bgrun_push_ext *pushes;
static bgrun_task *current;

#define SAY(...)                                        \
    do {                                                \
        char said[2048];                                \
        snprintf(said, sizeof said, __VA_ARGS__);       \
        host->log(host, current, BGRUN_LOG_INFO, said); \
    } while (0)

#define HANDLER(name) \
    static void name(void *unused, bgrun_task *task, const bgrun_launch *given)
#define BEGIN             \
    (void)unused;         \
    (void)given;          \
    current = task

static const char *text(const char *given) { return given ? given : "-"; }

HANDLER(create_all) {
    BEGIN;
    const bgrun_transfer_request request = {
        .struct_size = sizeof request,
        .flags = BGRUN_TRANSFER_DISCRETIONARY | BGRUN_TRANSFER_NO_LAUNCH_EVENTS,
        .session = "org.test.session",
        .url = "https://example.com/a",
        .method = "POST",
        .headers_json = "{\"A\":\"b\"}",
        .file = "to/a",
        .sha256 = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF",
        .description = "mine",
        .resume_data = "\0\1",
        .resume_size = 2,
        .earliest_delay_ns = 1,
        .request_timeout_ns = 2,
        .resource_timeout_ns = 3,
        .expected_send = 4,
        .expected_receive = 5,
        .rate = 6,
        .connections = 7,
    };
    int64_t id = 0;
    int32_t status = transfers->create(task, &request, &id);
    SAY("create %d, id %lld", status, (long long)id);
    host->complete(task, 1, NULL);
}

static void ignore(void *context, const bgrun_transfer *transfer) { (void)context, (void)transfer; }
static int32_t accept(void *context, const bgrun_transfer *transfer) {
    (void)context, (void)transfer;
    return BGRUN_OK;
}
static void drop(void *context, const void *data, uint64_t size) {
    (void)context, (void)data, (void)size;
}
static void overlook(void *context, const bgrun_push_message *message) {
    (void)context, (void)message;
}

/* Creates a transfer; each caller makes one field of a valid request invalid. */
static int32_t with(bgrun_transfer_request request, bgrun_task *task) {
    int64_t id = 0;
    return transfers->create(task, &request, &id);
}

HANDLER(misuse) {
    BEGIN;
    static char longest[BGRUN_TRANSFER_TEXT_MAX + 2];
    const bgrun_transfer_request good = {
        .struct_size = sizeof good, .session = "s", .url = "https://example.com/a"};
    bgrun_transfer_request bad = good;
    int64_t id = 0;
    memset(longest, 'a', sizeof longest - 1);
    SAY("NULL request %d, NULL id %d, NULL task %d", transfers->create(task, NULL, &id),
        transfers->create(task, &good, NULL), transfers->create(NULL, &good, &id));
#define BAD(what, change)                             \
    bad = good;                                       \
    change;                                           \
    SAY("%s %d", what, with(bad, task))
    BAD("short struct", bad.struct_size -= 4);
    BAD("no session", bad.session = NULL);
    BAD("empty session", bad.session = "");
    BAD("no URL", bad.url = NULL);
    BAD("unknown flag", bad.flags = 1u << 9);
    BAD("temporary", bad.flags = BGRUN_TRANSFER_TEMPORARY);
    BAD("upload of nothing", bad.flags = BGRUN_TRANSFER_UPLOAD);
    BAD("negative delay", bad.earliest_delay_ns = -1);
    BAD("negative rate", bad.rate = -1);
    BAD("short sum", bad.sha256 = "00ff");
    BAD("no data", bad.resume_size = 1);
    BAD("long session", bad.session = longest);
    BAD("long URL", bad.url = longest);
    BAD("long headers", bad.headers_json = longest);
    BAD("much data", (bad.resume_data = longest, bad.resume_size = sizeof longest));
    SAY("NULL receive %d, NULL visit %d, NULL finished %d",
        transfers->cancel_resumable(task, 1, NULL, NULL), transfers->visit(task, NULL, NULL, NULL),
        transfers->events(task, NULL, NULL, NULL));
    SAY("long session %d %d", transfers->visit(task, longest, NULL, ignore),
        transfers->events(task, longest, NULL, accept));
    SAY("NULL messages %d, unknown result %d", pushes->messages(task, NULL, NULL),
        pushes->complete(task, 3));
    host->complete(task, 1, NULL);
}

static bgrun_task *stale;
HANDLER(keep) {
    BEGIN;
    stale = task;
    host->complete(task, 1, NULL);
    const bgrun_transfer_request good = {
        .struct_size = sizeof good, .session = "s", .url = "https://example.com/a"};
    SAY("create %d, resume %d, suspend %d, cancel %d, resumable %d, visit %d, events %d, "
        "messages %d, complete %d",
        with(good, stale), transfers->resume(stale, 1), transfers->suspend(stale, 1),
        transfers->cancel(stale, 1), transfers->cancel_resumable(stale, 1, NULL, drop),
        transfers->visit(stale, NULL, NULL, ignore), transfers->events(stale, NULL, NULL, accept),
        pushes->messages(stale, NULL, overlook), pushes->complete(stale, BGRUN_FETCH_NO_DATA));
}

static void receive(void *context, const void *data, uint64_t size) {
    SAY("%s %.*s", (const char *)context, (int)size, (const char *)data);
}
HANDLER(change) {
    BEGIN;
    SAY("suspend %d, resume %d, cancel %d, unknown %d", transfers->suspend(task, 1),
        transfers->resume(task, 2), transfers->cancel(task, 3), transfers->cancel(task, 99));
    SAY("resumable %d", transfers->cancel_resumable(task, 4, "data", receive));
    SAY("nothing to resume %d", transfers->cancel_resumable(task, 5, "data", receive));
    host->complete(task, 1, NULL);
}

static void show(void *context, const bgrun_transfer *given) {
    SAY("%s %lld %u %#x %d %d %s %s %s %s %s %s %s %s %lld/%lld %lld/%lld %lld",
        (const char *)context, (long long)given->id, given->state, given->flags, given->error,
        given->status, given->session, given->url, given->method, text(given->description),
        text(given->file), text(given->response_url), text(given->response_headers_json),
        text(given->error_text), (long long)given->received, (long long)given->expected_receive,
        (long long)given->sent, (long long)given->expected_send,
        (long long)given->earliest_unix_ns);
    /* The ABI allows visit to call bgrun. */
    transfers->resume(current, given->id);
}
HANDLER(list) {
    BEGIN;
    SAY("visit %d", transfers->visit(task, given->parameters_json[1] == '}' ? NULL : "one",
                                     (void *)"seen", show));
    host->complete(task, 1, NULL);
}

/* Handles an ended transfer as its description tells. */
static int32_t finish(void *context, const bgrun_transfer *given) {
    char aside[4096];
    (void)context;
    SAY("%lld %s, file %s", (long long)given->id, text(given->description),
        given->file && access(given->file, R_OK) == 0 ? "there" : "missing");
    if (!given->description) return BGRUN_OK;
    snprintf(aside, sizeof aside, "%s.aside", text(given->file));
    if (strcmp(given->description, "move") == 0) return rename(given->file, aside);
    if (strcmp(given->description, "replace") == 0) {
        close(open(aside, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
        return rename(aside, given->file);
    }
    if (strcmp(given->description, "refuse") == 0) return 7;
    if (strcmp(given->description, "complete") == 0) host->complete(current, 1, NULL);
    if (strcmp(given->description, "follow") == 0) {
        const bgrun_transfer_request next = {
            .struct_size = sizeof next, .session = "next", .url = given->url};
        SAY("create inside %d", with(next, current));
    }
    return BGRUN_OK;
}
HANDLER(take) {
    BEGIN;
    int32_t status = transfers->events(task, NULL, NULL, finish);
    SAY("events %d", status);
    host->complete(task, status == BGRUN_OK, NULL);
}

static void read_push(void *context, const bgrun_push_message *given) {
    (*(int *)context)++;
    SAY("push %u %s %s %lld", given->priority, given->payload_json, text(given->collapse_id),
        (long long)given->received_unix_ns);
}
HANDLER(push) {
    BEGIN;
    int count = 0;
    int32_t status = pushes->messages(task, &count, read_push);
    SAY("messages %d, %d of them", status, count);
    SAY("complete %d", pushes->complete(task, (uint32_t)atoi(given->parameters_json + 1)));
    if (given->kind != BGRUN_KIND_PUSH) {
        host->complete(task, 1, "another kind");
        return;
    }
    SAY("again %d %d", pushes->complete(task, BGRUN_FETCH_FAILED), host->complete(task, 0, NULL));
}

static void say_pending(void *context, const bgrun_pending *item) {
    (void)context;
    SAY("%s %s%s%s", item->identifier, item->parameters_json ? item->parameters_json : "-",
        item->tags ? " " : "", item->tags ? item->tags : "");
}
HANDLER(pending) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    BEGIN;
    SAY("pending %d", scheduler->pending(task, NULL, say_pending));
    host->complete(task, 1, NULL);
}

static sem_t noticed;
static atomic_int notices;
static void notice(void *unused) {
    (void)unused;
    notices++;
    sem_post(&noticed);
}
static void overlook_pending(void *context, const bgrun_pending *item) {
    (void)context, (void)item;
}
/* Counts the calls of its observer until the host has answered fifty times and the device has changed. */
HANDLER(observe) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    BEGIN;
    for (int i = 0; i < 50; i++) scheduler->pending(task, NULL, overlook_pending);
    sem_wait(&noticed);
    SAY("noticed %d", notices);
    host->complete(task, 1, NULL);
}

static int32_t init(const bgrun_host *given) {
    static const bgrun_handler handlers[] = {
        {sizeof(bgrun_handler), 0, "create", NULL, create_all, NULL},
        {sizeof(bgrun_handler), 0, "misuse", NULL, misuse, NULL},
        {sizeof(bgrun_handler), 0, "keep", NULL, keep, NULL},
        {sizeof(bgrun_handler), 0, "change", NULL, change, NULL},
        {sizeof(bgrun_handler), 0, "list", NULL, list, NULL},
        {sizeof(bgrun_handler), 0, "take", NULL, take, NULL},
        {sizeof(bgrun_handler), 0, "push", NULL, push, NULL},
        {sizeof(bgrun_handler), 0, "pending", NULL, pending, NULL},
        {sizeof(bgrun_handler), 0, "observe", NULL, observe, NULL},
    };
    host = given;
    transfers = host->get_extension(host, BGRUN_EXT_TRANSFER);
    pushes = host->get_extension(host, BGRUN_EXT_PUSH);
    const bgrun_process_ext *process = host->get_extension(host, BGRUN_EXT_PROCESS);
    sem_init(&noticed, 0, 0);
    if (!process || process->observe_device(host, NULL, notice) != BGRUN_OK)
        return BGRUN_E_UNAVAILABLE;
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        int32_t result = host->register_handler(host, &handlers[i]);
        if (result != BGRUN_OK) return result;
    }
    return transfers && pushes ? BGRUN_OK : BGRUN_E_UNAVAILABLE;
}

BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_version) {
    static const bgrun_plugin plugin = {
        sizeof plugin, BGRUN_ABI_VERSION, 0, 0, "transfers", "1.0", init, NULL};
    (void)host_version;
    return &plugin;
}
