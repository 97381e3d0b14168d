/*
 * bgrun/core.h - the bgrun plugin ABI, version 1.5, without its extensions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plugin is a shared library that exports ONE symbol, `bgrun_plugin_entry`.
 * bgrun loads it in a worker process, never in the host, so a crash, an exit()
 * or an endless loop ends one attempt and nothing else.
 *
 * Usable from C11 and C++11; needs <stdint.h> and <stddef.h> only.
 *
 * RULES OF THIS FILE
 *  - Every struct begins with `uint32_t struct_size`, set by the side that
 *    fills the struct to sizeof() of the version it was compiled with. Structs
 *    only grow, at the end. A reader treats a missing tail as zero or NULL.
 *  - Integers have fixed widths. A struct never contains a bool, enum,
 *    bit-field, long or size_t. Strings are UTF-8 and end in NUL.
 *  - Optional features are reached by get_extension("bgrun.<name>/<revision>").
 *    NULL means "not supported" and is never an error. bgrun/ext/<name>.h declares
 *    an extension, bgrun/ext/draft/<name>.h one that may still change.
 *  - No memory changes owner. A pointer that is passed in is valid until the
 *    call returns, unless its comment says otherwise; each side frees only what
 *    it allocated.
 *  - No exception, longjmp or signal may cross the boundary. A C++ exception
 *    that escapes a callback ends the worker: the attempt is "crashed".
 *
 * THREADS
 *  [worker-main]  the worker's first thread. It runs entry, init and launch.
 *  [watcher]      a thread of bgrun. It runs expire, at any time between launch
 *                 and the end of the attempt, also while launch is running.
 *  [any-thread]   any thread of the process, possibly several at once.
 *
 * LIFE OF A PLUGIN
 *  bgrun_plugin_entry -> init -> { launch -> ... -> complete }* -> process exit
 *  entry and init run exactly once in a process. One attempt runs at a time.
 *  Between attempts the process is suspended (SIGSTOP or the cgroup freezer).
 *  The library is never unloaded; the end of the process is the unload.
 *
 * LIFE OF AN ATTEMPT
 *  launch is called; it may finish the work itself or start threads and return.
 *  Either way complete() must be called on every path. The attempt ends with it,
 *  or, if it holds assertions (bgrun.assertion/1), with the last of them. When time runs out, or a
 *  condition is lost, expire is called once with the reason and the grace that
 *  remains; then SIGTERM goes to everything the attempt started, then SIGKILL.
 *  expire may begin before the first line of launch has run, and may still be
 *  running when another thread completes. The next launch waits until launch and
 *  expire of the attempt before it have both returned.
 *  Descriptors 1 and 2 of the process go to the host's log, line by line. A
 *  handler must wait for the children that it starts; bgrun does not wait for
 *  them before the attempt has ended.
 */
#ifndef BGRUN_CORE_H
#define BGRUN_CORE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define BGRUN_EXPORT __attribute__((visibility("default")))
#else
#define BGRUN_EXPORT
#endif

/* Major version in the high 16 bits, minor in the low 16. A host loads plugins of
 * its own major version and any minor. */
#define BGRUN_ABI_MAJOR 1u
#define BGRUN_ABI_MINOR 5u
#define BGRUN_ABI_VERSION ((BGRUN_ABI_MAJOR << 16) | BGRUN_ABI_MINOR)

/* The one exported symbol. */
#define BGRUN_ENTRY_SYMBOL "bgrun_plugin_entry"

/* ---- conventions and results -------------------------------------------- */

/* A pointer may be NULL only where its comment says so; `context` and `user_data` always may.
 * Callbacks passed to a function run on the calling thread before it returns, unless its comment
 * says otherwise. */
/* Returned by host functions. */
#define BGRUN_OK 0
#define BGRUN_E_INVALID (-1)     /* an argument is NULL, malformed or out of range */
#define BGRUN_E_STATE (-2)       /* not now: the attempt has ended, or init is over */
#define BGRUN_E_EXISTS (-3)      /* a handler of that name is registered already */
#define BGRUN_E_TOO_LARGE (-4)   /* over the limit the comment names */
#define BGRUN_E_NOT_FOUND (-5)   /* nothing is stored under that name */
#define BGRUN_E_UNAVAILABLE (-6) /* the host cannot do it, or is going away */
#define BGRUN_E_IO (-7)          /* the host could not store it; nothing changed */
/* Refusals of submit, numbered after Apple's BGTaskScheduler.Error.Code. */
#define BGRUN_E_TOO_MANY_PENDING (-20) /* Apple: tooManyPendingTaskRequests */
#define BGRUN_E_NOT_PERMITTED (-21)    /* Apple: notPermitted */
#define BGRUN_E_NOT_IMMEDIATELY (-22)  /* Apple: immediateRunIneligible */

/* ---- constants ---------------------------------------------------------- */

/* Task kinds (bgrun_launch.kind, bgrun_request.kind). */
#define BGRUN_KIND_APP_REFRESH 1u
#define BGRUN_KIND_PROCESSING 2u
#define BGRUN_KIND_PUSH 3u
#define BGRUN_KIND_CONTINUED 4u
#define BGRUN_KIND_TRANSFER 5u
/* since ABI 1.4. Not a task: a person has used and left the app (`bgrun open`), the moment to
 * submit requests (Apple: applicationDidEnterBackground). Only for plugins with
 * BGRUN_PLUGIN_FOLLOWS_APP; BGRUN_DEFAULT_HANDLER receives it, with the app's identifier. */
#define BGRUN_KIND_APP 6u

/* How the host treats a request of kind `continued` that cannot start immediately
 * (bgrun_request.strategy, bgrun_pending.strategy), since ABI 1.4. */
#define BGRUN_STRATEGY_OF_TASK 0u /* the strategy of the task in the manifest */
#define BGRUN_STRATEGY_FAIL 1u    /* refuse it: BGRUN_E_NOT_IMMEDIATELY */
#define BGRUN_STRATEGY_QUEUE 2u   /* queue it, unless the task's strategy is `fail` */

/* `requires:` of a task or a request (bgrun_request.requires, bgrun_app_ext.task_requires). */
#define BGRUN_REQUIRES_POWER 0x1       /* Apple: requiresExternalPower */
#define BGRUN_REQUIRES_NETWORK 0x2     /* Apple: requiresNetworkConnectivity */
#define BGRUN_REQUIRES_UNMETERED 0x4
#define BGRUN_REQUIRES_IDLE 0x8
#define BGRUN_REQUIRES_BATTERY 0x10
#define BGRUN_REQUIRES_STORAGE 0x20
#define BGRUN_REQUIRES_GPU 0x40        /* Apple: requiredResources */
#define BGRUN_REQUIRES_MEMORY 0x80     /* since ABI 1.5. Of a task only */

/* Why an attempt is revoked (bgrun_expiration.reason). Values are never reused;
 * treat unknown ones as BGRUN_REASON_OTHER. */
#define BGRUN_REASON_OTHER 0u
#define BGRUN_REASON_TIME 1u             /* the granted time is over */
#define BGRUN_REASON_POWER_LOST 2u       /* external power was required */
#define BGRUN_REASON_NETWORK_LOST 3u     /* a network was required */
#define BGRUN_REASON_BECAME_METERED 4u   /* an unmetered network was required */
#define BGRUN_REASON_USER_ACTIVE 5u      /* idleness was required */
#define BGRUN_REASON_LOW_BATTERY 6u
#define BGRUN_REASON_LOW_POWER_MODE 7u
#define BGRUN_REASON_THERMAL 8u
#define BGRUN_REASON_PRESSURE 9u
#define BGRUN_REASON_QUOTA 10u
#define BGRUN_REASON_STALLED 11u
#define BGRUN_REASON_PREEMPTED 12u
#define BGRUN_REASON_CANCELLED 13u       /* by a person or program */
#define BGRUN_REASON_SHUTDOWN 14u        /* the host is ending */
#define BGRUN_REASON_SUSPEND 15u
#define BGRUN_REASON_MANIFEST_CHANGED 16u

/* The handler for `handler: plugin` without a dot: for plugins that distinguish tasks by
 * bgrun_launch.identifier. */
#define BGRUN_DEFAULT_HANDLER "default"

/* Log levels. */
#define BGRUN_LOG_DEBUG 0u
#define BGRUN_LOG_INFO 1u
#define BGRUN_LOG_WARNING 2u
#define BGRUN_LOG_ERROR 3u

/* Plugin flags (bgrun_plugin.flags). */
/* The plugin keeps threads between attempts (a thread pool), suspended with the
 * process. Without the flag, a worker with more threads after an attempt than before
 * is not reused. */
#define BGRUN_PLUGIN_KEEPS_THREADS 0x1u
/* The plugin keeps descriptors open (a database, a log). Without the flag, a worker
 * with other open descriptors after an attempt than before is not reused. */
#define BGRUN_PLUGIN_KEEPS_DESCRIPTORS 0x2u
/* since ABI 1.4. The plugin receives attempts of kind BGRUN_KIND_APP. */
#define BGRUN_PLUGIN_FOLLOWS_APP 0x4u

/* ---- opaque types ------------------------------------------------------- */

/* One attempt. Valid until the process ends: calls after the attempt has ended
 * return BGRUN_E_STATE. */
typedef struct bgrun_task bgrun_task;

/* ---- messages from the host to a handler -------------------------------- */

/* since ABI 1.0. Owned by the host, valid until launch returns; its strings also
 * until the attempt has ended. */
typedef struct bgrun_launch {
    uint32_t struct_size;
    uint32_t kind;                 /* BGRUN_KIND_... */
    uint32_t attempt;              /* of this request, from 1 */
    uint32_t reserved;             /* zero */
    const char *identifier;
    const char *parameters_json;   /* a JSON object; "{}" without parameters */
    const char *manifest_directory; /* absolute; relative paths in parameters start here */
    int64_t deadline_boottime_ns;  /* CLOCK_BOOTTIME at which time runs out; 0: no limit */
} bgrun_launch;

/* since ABI 1.0. Owned by the host, valid until expire returns. */
typedef struct bgrun_expiration {
    uint32_t struct_size;
    uint32_t reason;               /* BGRUN_REASON_... */
    int64_t grace_ns;              /* time left until SIGTERM; may be 0 */
    int64_t deadline_boottime_ns;  /* CLOCK_BOOTTIME of that SIGTERM */
    const char *reason_text;       /* for people, such as "time" */
} bgrun_expiration;

/* ---- tables of a plugin ------------------------------------------------- */

/* since ABI 1.0. Copied by register_handler, with `name`. */
typedef struct bgrun_handler {
    uint32_t struct_size;
    uint32_t flags;                /* zero */
    const char *name;              /* the part after the dot in `handler: plugin.name`;
                                      1 to 128 of [A-Za-z0-9_-] */
    void *user_data;               /* passed back unchanged; owned by the plugin */

    /* Starts the work of one attempt. complete() ends it, not the return. May block.
     * [worker-main] */
    void (*launch)(void *user_data, bgrun_task *task, const bgrun_launch *launch);

    /* Time is revoked: stop, save a checkpoint, call complete(task, 0, ...), end the
     * assertions. Called at most once per attempt, after complete() only while the
     * attempt holds an assertion. Must return soon and not wait for launch. NULL: the
     * attempt is ended at once, unsuccessfully (Apple).
     * [watcher, attempt active] */
    void (*expire)(void *user_data, bgrun_task *task, const bgrun_expiration *expiration);
} bgrun_handler;

typedef struct bgrun_host bgrun_host;

/* since ABI 1.0. Owned by the plugin, constant, valid until the process ends. */
typedef struct bgrun_plugin {
    uint32_t struct_size;
    uint32_t abi_version;          /* BGRUN_ABI_VERSION the plugin was compiled with */
    uint32_t flags;                /* BGRUN_PLUGIN_... or zero */
    uint32_t reserved;             /* zero */
    const char *name;              /* for people */
    const char *version;           /* for people, may be NULL */

    /* Registers handlers with host->register_handler. Returns BGRUN_OK, or anything
     * else to be refused (log the cause first). Called once. May block.
     * [worker-main] */
    int32_t (*init)(const bgrun_host *host);

    /* Features that a later host may look for; may be NULL. Returns NULL for an
     * unknown id. Must not block.
     * [any-thread] */
    const void *(*get_extension)(const char *extension_id);
} bgrun_plugin;

/* ---- the table of the host ---------------------------------------------- */

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
struct bgrun_host {
    uint32_t struct_size;
    uint32_t abi_version;          /* of the host; tells which fields exist */
    void *host_data;               /* the host's own */
    const char *name;              /* "bgrun" */
    const char *version;           /* of the host, for people */

    /* Registers a handler. BGRUN_E_STATE after init, BGRUN_E_EXISTS for a
     * duplicate name. Does not block. [worker-main, during init] */
    int32_t (*register_handler)(const bgrun_host *host, const bgrun_handler *handler);

    /* Returns the table of an extension, or NULL if this host lacks it. Does not
     * block. [any-thread] */
    const void *(*get_extension)(const bgrun_host *host, const char *extension_id);

    /* Ends the attempt: `success` non-zero or zero; `message` for people, may be NULL.
     * Only the first call counts: later ones return BGRUN_E_STATE. A completion after
     * expire is recorded as expired, together with the report. The process may be
     * suspended at once, unless the attempt holds an assertion. Does not block.
     * [any-thread] */
    int32_t (*complete)(bgrun_task *task, int32_t success, const char *message);

    /* 1 once the attempt is expired or ended, else 0. Cheap: one atomic load.
     * [any-thread] */
    int32_t (*is_expired)(bgrun_task *task);

    /* 1 if the work should stop at the next convenient point (XPC:
     * xpc_activity_should_defer), else 0. Cheap. [any-thread] */
    int32_t (*should_defer)(bgrun_task *task);

    /* Reports progress in any unit; total <= 0: unknown. `completed` must not be
     * negative. The host may skip all but the newest. Does not block.
     * [any-thread, attempt active] */
    int32_t (*set_progress)(bgrun_task *task, int64_t completed, int64_t total);

    /* Sets title and subtitle, shown beside the progress; NULL keeps the old one. At
     * most 256 bytes each are kept. Does not block. [any-thread, attempt active] */
    int32_t (*set_title)(bgrun_task *task, const char *title, const char *subtitle);

    /* Writes a line to the host's log; `task` may be NULL outside an attempt. Lines are
     * cut at 4096 bytes; line feeds become spaces. An unknown level counts as
     * BGRUN_LOG_ERROR. May block while the host is behind. [any-thread] */
    int32_t (*log)(const bgrun_host *host, bgrun_task *task, uint32_t level, const char *message);
};

/* ---- the entry ---------------------------------------------------------- */

/* Returns the plugin's table, or NULL if it cannot work with this version. Called
 * once. Must not block or start threads.
 * [worker-main] */
BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version);
typedef const bgrun_plugin *(*bgrun_plugin_entry_fn)(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_CORE_H */
