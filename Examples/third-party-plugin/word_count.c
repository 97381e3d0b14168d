/*
 * word_count.c - a plugin outside bgrun's tree: counts the words of a file, can stop, and continues
 * at the same place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <bgrun_plugin.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct position {
    int64_t offset, words;
    int32_t inside; /* the offset is in the middle of a word */
} position;

static const bgrun_host *host;

/* The text of "file" in {"file": "..."}; a real plugin uses a JSON library. */
static int path_of(const bgrun_launch *launch, char *path, size_t size) {
    char name[256];
    const char *key = strstr(launch->parameters_json, "\"file\"");
    if (!key || sscanf(key + 6, " : \"%255[^\"\\]\"", name) != 1) return 0;
    snprintf(path, size, "%s/%s", name[0] == '/' ? "" : launch->manifest_directory, name);
    return 1;
}

/* Continues until the file or the granted time ends; returns 1 at the end of the file. */
static int count(bgrun_task *task, FILE *file, int64_t size, position *at) {
    char block[65536];
    size_t length;
    while (!host->is_expired(task) && (length = fread(block, 1, sizeof block, file)) > 0) {
        for (size_t i = 0; i < length; i++) {
            int letter = !isspace((unsigned char)block[i]);
            if (letter && !at->inside) at->words++;
            at->inside = letter;
        }
        at->offset += (int64_t)length;
        host->set_progress(task, at->offset, size);
    }
    return !host->is_expired(task);
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *given) {
    const bgrun_checkpoint_ext *store = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    position at = {0, 0, 0};
    uint64_t size = 0;
    char path[4096], message[64];
    (void)unused;
    if (!path_of(given, path, sizeof path)) {
        host->complete(task, 0, "parameters: file is missing");
        return;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        host->complete(task, 0, "the file cannot be opened");
        return;
    }
    fseek(file, 0, SEEK_END);
    int64_t whole = ftell(file);
    if (!store || store->get(task, &at, sizeof at, &size, NULL) != BGRUN_OK ||
        size != sizeof at || at.offset > whole)
        memset(&at, 0, sizeof at);
    fseek(file, (long)at.offset, SEEK_SET);
    int done = count(task, file, whole, &at);
    fclose(file);
    if (!done && store) store->put(task, 1, &at, sizeof at);
    snprintf(message, sizeof message, "%lld words%s", (long long)at.words, done ? "" : " so far");
    host->complete(task, done, message);
}

/* launch checks is_expired after every block and ends by itself. */
static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    host->log(host, task, BGRUN_LOG_INFO, expiration->reason_text);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler handler = {
        .struct_size = sizeof handler, .name = "count", .launch = launch, .expire = expire};
    host = given;
    return host->register_handler(host, &handler);
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "word-count",
        .version = "1.0.0",
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
