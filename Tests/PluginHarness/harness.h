/* SPDX-License-Identifier: Apache-2.0
 * harness.h - the parts of the plugin harness: the report, the attempt, the triggers. */
#ifndef HARNESS_H
#define HARNESS_H

#include "bgrun/ext/draft/shortage.h"
#include "bgrun_plugin.h"

#include <pthread.h>
#include <stdbool.h>

/* One attempt; never freed, so that a stale handle stays harmless as the ABI promises. */
struct bgrun_task {
    const bgrun_handler *handler;
    bool reported, ended, expired, deferred, expire_running, success;
    int64_t assertions[BGRUN_ASSERTIONS_MAX]; /* the ids it holds, packed */
    unsigned assertion_count;
};

/* The options of the command line. */
typedef struct settings {
    const char *plugin, *handler, *parameters, *identifier, *directory, *checkpoint;
    uint32_t reason, attempt, kind;
    int64_t grace_ns;
    int runs;
    bool raw_output;
} settings;

extern settings options;
extern struct bgrun_task *current;
/* Guards every field of the current attempt. */
extern pthread_mutex_t lock;
extern pthread_cond_t changed;

/* Prints one whole line of the report. Any thread may call it. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Adds a trigger "EVENT[:TEXT][#N]=ACTION"; exits 64 when it is malformed. */
void trigger_add(const char *specification);
/* Makes every trigger of the options count from zero, for the next attempt. */
void trigger_reset(void);
/* Reports `event` with its text, performs the actions of its triggers, and returns when they are
* complete. Call without the lock. */
void happened(const char *event, const char *text);

/* Calls the handler's expire on the watcher thread, and waits until it has returned. */
void expire_now(void);
void watcher_start(void);
/* Waits until expire has returned. */
void watcher_wait(void);

/* The host's table and the handlers that were registered with it. */
extern const bgrun_host host_table;
const bgrun_handler *handler_named(const char *name);
int handler_count(void);
void registration_close(void);

extern const bgrun_checkpoint_ext checkpoint_extension;
extern const bgrun_scheduler_ext scheduler_extension;
extern const bgrun_device_ext device_extension;
extern const bgrun_assertion_ext assertion_extension;
extern const bgrun_transfer_ext transfer_extension;
extern const bgrun_push_ext push_extension;
extern const bgrun_shortage_ext shortage_extension;

/* Names a transfer that has ended, "URL=FILE"; a push that is held. False: malformed, or too many. */
bool transfer_add(char *specification);
bool message_add(const char *payload);

#endif
