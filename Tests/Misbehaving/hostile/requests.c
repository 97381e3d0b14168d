/* SPDX-License-Identifier: Apache-2.0
 * Requests to the host that would let others do what the handler may not. EPERM: the host refuses them. */
#include "hostile.h"

#include <errno.h>

static int result(int32_t status) {
    if (status == BGRUN_OK) return 0;
    return status == BGRUN_E_NOT_PERMITTED ? EPERM : answer("status %d", status);
}

/* Parameters for a task without confinement. */
static int submit_unconfined(const struct target *target) {
    const bgrun_scheduler_ext *scheduler =
        target->host->get_extension(target->host, BGRUN_EXT_SCHEDULER);
    const bgrun_request request = {.struct_size = sizeof request,
                                   .identifier = "org.test.unconfined",
                                   .parameters_json = "{\"most\": 1}"};
    return scheduler ? result(scheduler->submit(target->task, &request)) : ENOSYS;
}

/* Suspended, so that nothing is sent or written where it is not refused. */
static int transfer(const struct target *target, uint32_t flags) {
    const bgrun_transfer_ext *transfers =
        target->host->get_extension(target->host, BGRUN_EXT_TRANSFER);
    const bgrun_transfer_request request = {.struct_size = sizeof request,
                                            .flags = flags | BGRUN_TRANSFER_SUSPENDED,
                                            .session = "org.test.session",
                                            .url = "http://127.0.0.1/",
                                            .file = target->file};
    int64_t id;
    return transfers ? result(transfers->create(target->task, &request, &id)) : ENOSYS;
}

static int transfer_write(const struct target *target) { return transfer(target, 0); }

static int transfer_read(const struct target *target) {
    return transfer(target, BGRUN_TRANSFER_UPLOAD);
}

const struct attack request_attacks[] = {
    {"submit_unconfined", submit_unconfined, IN_WORKER},
    {"transfer_write", transfer_write, IN_WORKER},
    {"transfer_read", transfer_read, IN_WORKER},
    {NULL, NULL, 0},
};
