/* SPDX-License-Identifier: Apache-2.0 OR 0BSD
 * Go cannot call C function pointers; these functions call them. */
#ifndef SHIM_H
#define SHIM_H

#include <bgrun_plugin.h>

extern const bgrun_host *shim_host;
/* Go fills it before bgrun reads it. */
extern bgrun_plugin shim_plugin;

int32_t shim_register(const char *name);

static inline void shim_complete(bgrun_task *task, int32_t success, const char *message) {
    shim_host->complete(task, success, message);
}

static inline int32_t shim_is_expired(bgrun_task *task) { return shim_host->is_expired(task); }

static inline int32_t shim_should_defer(bgrun_task *task) { return shim_host->should_defer(task); }

static inline void shim_progress(bgrun_task *task, int64_t completed, int64_t total) {
    shim_host->set_progress(task, completed, total);
}

static inline void shim_title(bgrun_task *task, const char *title) {
    shim_host->set_title(task, title, NULL);
}

static inline void shim_log(bgrun_task *task, uint32_t level, const char *message) {
    shim_host->log(shim_host, task, level, message);
}

static inline int32_t shim_put(bgrun_task *task, uint32_t version, const void *data, uint64_t size) {
    const bgrun_checkpoint_ext *store = shim_host->get_extension(shim_host, BGRUN_EXT_CHECKPOINT);
    return store ? store->put(task, version, data, size) : BGRUN_E_UNAVAILABLE;
}

static inline int32_t shim_get(bgrun_task *task, void *buffer, uint64_t capacity, uint64_t *size,
                               uint32_t *version) {
    const bgrun_checkpoint_ext *store = shim_host->get_extension(shim_host, BGRUN_EXT_CHECKPOINT);
    return store ? store->get(task, buffer, capacity, size, version) : BGRUN_E_NOT_FOUND;
}

#endif
