/* SPDX-License-Identifier: Apache-2.0 OR 0BSD
 * kit-name: a bgrun plugin in C. `count` does its work in pieces, can stop after each piece, and
 * continues at the next one. The header documents the rules of each function of bgrun. */
#include <bgrun_plugin.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const bgrun_host *host;

/* The content of a checkpoint. Raise the version with every change. */
enum { POSITION_VERSION = 1 };
typedef struct position {
    int64_t done; /* pieces */
} position;

static position restore(bgrun_task *task) {
    const bgrun_checkpoint_ext *store = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    position at;
    uint64_t size = 0;
    uint32_t version = 0;
    if (store && store->get(task, &at, sizeof at, &size, &version) == BGRUN_OK &&
        version == POSITION_VERSION && size == sizeof at)
        return at;
    return (position){0};
}

static void save(bgrun_task *task, position at) {
    const bgrun_checkpoint_ext *store = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    if (store && store->put(task, POSITION_VERSION, &at, sizeof at) != BGRUN_OK)
        host->log(host, task, BGRUN_LOG_WARNING, "the checkpoint could not be stored");
}

/* The number in {"key": number}, at most `most`. A plugin with more parameters uses a JSON
 * library, for example jansson. */
static int64_t parameter(const bgrun_launch *launch, const char *key, int64_t most,
                         int64_t without) {
    char quoted[64];
    int64_t value;
    snprintf(quoted, sizeof quoted, "\"%s\"", key);
    const char *found = strstr(launch->parameters_json, quoted);
    if (!found || sscanf(found + strlen(quoted), " : %" SCNd64, &value) != 1) return without;
    return value < 0 ? 0 : value > most ? most : value;
}

/* Does one piece of the work; put yours here. It must be short, and harmless if repeated. */
static bool do_piece(int64_t milliseconds) {
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    return nanosleep(&pause, NULL) == 0;
}

static void count(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    int64_t pieces = parameter(launch, "pieces", 1000000, 20);
    int64_t milliseconds = parameter(launch, "milliseconds", 1000, 50);
    position at = restore(task);
    char message[80];
    (void)unused;

    host->set_title(task, "Counting", NULL);
    if (at.done > 0) {
        snprintf(message, sizeof message, "continues after %" PRId64 " pieces", at.done);
        host->log(host, task, BGRUN_LOG_INFO, message);
    }
    host->set_progress(task, at.done, pieces);
    while (at.done < pieces && !host->is_expired(task) && !host->should_defer(task)) {
        if (!do_piece(milliseconds)) {
            snprintf(message, sizeof message, "piece %" PRId64 " failed", at.done + 1);
            host->complete(task, 0, message);
            return;
        }
        at.done++;
        save(task, at);
        host->set_progress(task, at.done, pieces);
    }
    bool finished = at.done >= pieces;
    snprintf(message, sizeof message, "%s %" PRId64 " of %" PRId64 " pieces",
             finished ? "counted" : "stopped after", at.done, pieces);
    host->complete(task, finished, message);
}

/* Called on another thread while `count` works. It can be empty, because `count` checks is_expired
* before every piece; but without it the attempt would end at once. */
static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    host->log(host, task, BGRUN_LOG_INFO, expiration->reason_text);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler handler = {
        .struct_size = sizeof handler, .name = "count", .launch = count, .expire = expire};
    host = given;
    return host->register_handler(host, &handler);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "kit-name",
        .version = "0.1.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
