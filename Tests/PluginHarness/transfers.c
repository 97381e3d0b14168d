/* SPDX-License-Identifier: Apache-2.0
 * transfers.c - the extensions bgrun.transfer/1 and bgrun.push/1. Transfers nothing: reports created
 * transfers, and delivers the ended transfers of the command line. */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "URL=FILE", a download that has ended with that temporary file, or "URL=", one that has failed. */
static char *ended[16];
static unsigned ended_count, taken;
static const char *messages[16];
static unsigned message_count;
static int64_t created;

bool transfer_add(char *specification) {
    if (!strchr(specification, '=') || ended_count == 16) return false;
    ended[ended_count++] = specification;
    return true;
}

bool message_add(const char *payload) {
    if (message_count == 16) return false;
    messages[message_count++] = payload;
    return true;
}

static bool active(bgrun_task *task, const char *call) {
    pthread_mutex_lock(&lock);
    bool yes = task && !task->ended;
    pthread_mutex_unlock(&lock);
    if (!yes) report("late %s", call);
    return yes;
}

static const char *text(const char *given) { return given ? given : "-"; }

static int32_t create(bgrun_task *task, const bgrun_transfer_request *request, int64_t *id) {
    if (!active(task, "transfer")) return BGRUN_E_STATE;
    if (!request || !id || !request->session || (!request->url && !request->resume_data))
        return BGRUN_E_INVALID;
    *id = ++created;
    report("transfer %s %s %s flags %#x file %s headers %s after %lld s note %s",
           request->session, request->method ? request->method : "-", text(request->url),
           request->flags, text(request->file), text(request->headers_json),
           (long long)(request->earliest_delay_ns / 1000000000), text(request->description));
    return BGRUN_OK;
}

static int32_t change(bgrun_task *task, const char *what, int64_t id) {
    if (!active(task, what)) return BGRUN_E_STATE;
    report("%s %lld", what, (long long)id);
    return id >= 1 && id <= created ? BGRUN_OK : BGRUN_E_NOT_FOUND;
}

static int32_t resume(bgrun_task *task, int64_t id) { return change(task, "resume", id); }
static int32_t suspend(bgrun_task *task, int64_t id) { return change(task, "suspend", id); }
static int32_t cancel(bgrun_task *task, int64_t id) { return change(task, "cancel-transfer", id); }

static int32_t cancel_resumable(bgrun_task *task, int64_t id, void *context,
                                void (*receive)(void *context, const void *data, uint64_t size)) {
    if (!receive) return BGRUN_E_INVALID;
    int32_t status = change(task, "cancel-resumable", id);
    if (status == BGRUN_OK) receive(context, "half", 4);
    return status;
}

static bgrun_transfer transfer_at(unsigned place) {
    static char url[4096], file[4096];
    const char *equals = strrchr(ended[place], '=');
    snprintf(url, sizeof url, "%.*s", (int)(equals - ended[place]), ended[place]);
    snprintf(file, sizeof file, "%s", equals + 1);
    bool failed = file[0] == 0;
    return (bgrun_transfer){
        .struct_size = sizeof(bgrun_transfer),
        .state = BGRUN_TRANSFER_STATE_COMPLETED,
        .id = 100 + place,
        .flags = BGRUN_TRANSFER_TEMPORARY,
        .error = failed ? BGRUN_TRANSFER_E_TIMED_OUT : 0,
        .status = failed ? 0 : 200,
        .session = options.identifier,
        .url = url,
        .method = "GET",
        .description = "note",
        .file = failed ? NULL : file,
        .response_headers_json = failed ? NULL : "{\"ETag\":\"1\"}",
        .error_text = failed ? "its time is over" : NULL,
        .received = failed ? 0 : 5,
        .expected_receive = failed ? -1 : 5,
        .expected_send = -1,
    };
}

static int32_t visit_all(bgrun_task *task, const char *session, void *context,
                         void (*visit)(void *context, const bgrun_transfer *transfer)) {
    if (!active(task, "transfers")) return BGRUN_E_STATE;
    if (!visit) return BGRUN_E_INVALID;
    for (unsigned place = taken; place < ended_count; place++) {
        const bgrun_transfer transfer = transfer_at(place);
        if (!session || strcmp(session, transfer.session) == 0) visit(context, &transfer);
    }
    return BGRUN_OK;
}

static int32_t events(bgrun_task *task, const char *session, void *context,
                      int32_t (*finished)(void *context, const bgrun_transfer *transfer)) {
    (void)session;
    if (!finished) return BGRUN_E_INVALID;
    while (taken < ended_count) {
        if (!active(task, "events")) return BGRUN_E_STATE;
        const bgrun_transfer transfer = transfer_at(taken);
        int32_t status = finished(context, &transfer);
        report("%s %s", status == BGRUN_OK ? "taken" : "left-behind", transfer.url);
        if (status != BGRUN_OK) return status;
        if (transfer.file) unlink(transfer.file);
        taken++;
    }
    return BGRUN_OK;
}

const bgrun_transfer_ext transfer_extension = {
    .struct_size = sizeof transfer_extension,
    .create = create,
    .resume = resume,
    .suspend = suspend,
    .cancel = cancel,
    .cancel_resumable = cancel_resumable,
    .visit = visit_all,
    .events = events,
};

static int32_t visit_messages(bgrun_task *task, void *context,
                              void (*visit)(void *context, const bgrun_push_message *message)) {
    if (!active(task, "messages")) return BGRUN_E_STATE;
    if (!visit) return BGRUN_E_INVALID;
    for (unsigned place = 0; place < message_count; place++) {
        const bgrun_push_message message = {
            .struct_size = sizeof message,
            .priority = 5,
            .payload_json = messages[place],
            .collapse_id = place == 0 ? NULL : "same",
            .received_unix_ns = 1000000000,
        };
        visit(context, &message);
    }
    return BGRUN_OK;
}

static int32_t complete_push(bgrun_task *task, uint32_t result) {
    static const char *const names[] = {"new-data", "no-data", "failed"};
    if (result > BGRUN_FETCH_FAILED) return BGRUN_E_INVALID;
    return host_table.complete(task, result != BGRUN_FETCH_FAILED, names[result]);
}

const bgrun_push_ext push_extension = {
    .struct_size = sizeof push_extension, .messages = visit_messages, .complete = complete_push};
